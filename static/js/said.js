// @ts-check
/**
 * What the page before wanted to say, such as an answer that was kept as surplus.
 *
 * Reads: `[data-said]`, an empty, hidden notice.
 */
import { keptForThisTab } from "./store.js";

const place = document.querySelector("[data-said]");
const said = keptForThisTab.get("earwitness:said");
if (place && typeof said === "string") {
  place.textContent = said;
  place.removeAttribute("hidden");
  keptForThisTab.drop("earwitness:said");
}
