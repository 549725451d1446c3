// @ts-check
/**
 * Signing out leaves no unsent work on a shared machine.
 *
 * Reads: `form[data-sign-out]`.
 */
import { kept, keptForThisTab } from "./store.js";

for (const form of document.querySelectorAll("form[data-sign-out]")) {
  form.addEventListener("submit", () => {
    kept.dropAll("earwitness:");
    keptForThisTab.dropAll("earwitness:");
  });
}
