// @ts-check
/**
 * Time worked, counted and shown in minutes.
 *
 * Reads: `[data-worked="<minutes before this page>"]`.
 */
import { WorkedTime } from "./clock.js";
import { keptForThisTab } from "./store.js";

const ACTS = ["pointermove", "pointerdown", "keydown", "scroll", "player:progress"];
const SHOW_EACH_MS = 5000;

/**
 * @param {string} key       where the count survives a reload of this tab
 * @param {number} beforeS   what the server knows of this assignment
 * @param {string} minutesText  "{n} min"
 * @returns {() => number} seconds worked on this assignment so far
 */
export function countWork(key, beforeS, minutesText) {
  const worked = new WorkedTime(performance.now());
  const before = Math.max(beforeS, Number(keptForThisTab.get(key)) || 0);
  const seconds = () => {
    worked.tick(performance.now());
    return before + worked.seconds;
  };
  for (const act of ACTS) {
    document.addEventListener(act, () => worked.act(performance.now()), {
      passive: true,
      capture: true,
    });
  }
  document.addEventListener("visibilitychange", () => {
    worked.setSeen(document.visibilityState === "visible", performance.now());
  });
  window.addEventListener("pagehide", () => keptForThisTab.put(key, seconds()));

  const place = /** @type {HTMLElement} */ (document.querySelector("[data-worked]"));
  const minutesBefore = Number(place.dataset.worked) || 0;
  setInterval(() => {
    const minutes = minutesBefore + Math.floor(worked.seconds / 60);
    const text = minutesText.replace("{n}", String(minutes));
    if (place.textContent !== text) place.textContent = text;
    worked.tick(performance.now());
  }, SHOW_EACH_MS);
  return seconds;
}
