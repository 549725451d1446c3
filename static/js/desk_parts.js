// @ts-check
/**
 * The small fixed places of a desk: the status in the header, the notice, the state.
 *
 * Reads: `#desk-state` (json_script), `#desk-words` with `data-` texts, `[data-status]`,
 *   `[data-notice]` with `[data-notice-text]` and `[data-notice-action]`.
 */
import { localTime } from "./clock.js";

const SHOW_SAVING_AFTER_MS = 250;

/**
 * @typedef {object} DeskState
 * @property {string} assignment
 * @property {"open" | "submitted"} state
 * @property {number} revision
 * @property {string} rater
 * @property {string | null} clientKey
 * @property {{version: number, answers: import("./saving.js").Answers}} draft
 * @property {"heard" | "off"} gate
 * @property {number} toleranceS
 * @property {number} [workedS]
 * @property {import("./player.js").Recording[]} recordings
 * @property {Record<"draft" | "listening" | "submit" | "skip" | "pause" | "ahead" | "signIn" | "home", string>} urls
 */

/** @returns {DeskState} */
export function deskState() {
  return JSON.parse(document.getElementById("desk-state")?.textContent ?? "{}");
}

/** @returns {Record<string, string>} the page's words, in the person's language */
export function deskWords() {
  return /** @type {Record<string, string>} */ ({
    ...document.getElementById("desk-words")?.dataset,
  });
}

/** @param {string} selector */
export function find(selector) {
  return /** @type {HTMLElement} */ (document.querySelector(selector));
}

/**
 * The one place where saving is spoken of.
 *
 * @param {Record<string, string>} words
 * @returns {import("./saving.js").Say}
 */
export function statusPlace(words) {
  const place = find("[data-status]");
  /** @type {any} */
  let soon = null;
  const put = (/** @type {string} */ news, /** @type {string} */ text, title = "") => {
    place.dataset.status = news;
    if (place.textContent !== text) place.textContent = text;
    place.title = title;
  };
  return (news, { message, at }) => {
    clearTimeout(soon);
    if (news === "saving") {
      soon = setTimeout(() => put(news, words.saving), SHOW_SAVING_AFTER_MS);
    } else if (news === "saved") {
      const when = at ? new Date(at) : new Date();
      const { time, zone } = localTime(Number.isNaN(+when) ? new Date() : when);
      put(news, words.saved.replace("{time}", time), zone);
    } else if (news === "offline") {
      put(news, words.offline);
    } else if (news === "signed-out") {
      put(news, words.signedOut);
    } else {
      put(news, message || words[news]);
    }
  };
}

/**
 * Words about the whole page that stay until answered, with at most one thing to do.
 *
 * @param {string} text  "" takes the notice away
 * @param {{label: string, act: () => void}} [action]
 */
export function notice(text, action) {
  const place = find("[data-notice]");
  const button = find("[data-notice-action]");
  find("[data-notice-text]").textContent = text;
  place.hidden = !text;
  button.hidden = !action;
  button.textContent = action?.label ?? "";
  button.onclick = action ? () => action.act() : null;
}

/**
 * Wait, but not longer than until the network is back.
 *
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function waitOrOnline(ms) {
  return new Promise((resolve) => {
    const over = () => {
      window.removeEventListener("online", over);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(over, ms);
    window.addEventListener("online", over);
  });
}
