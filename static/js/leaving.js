// @ts-check
/**
 * Pausing, and giving an item back with a reason.
 *
 * Reads: `[data-pause]`; `form[data-skip]` with `reason`, `note` and
 *   `[data-skip-fault]`.
 */
import { find } from "./desk_parts.js";

/**
 * @param {object} parts
 * @param {import("./http.js").Post} parts.post
 * @param {{pause: string, skip: string}} parts.urls
 * @param {Record<string, string>} parts.words
 * @param {() => Promise<unknown>} parts.before   what must be stored first
 * @param {() => void} parts.skipped              the unsent work is not wanted any more
 * @param {() => Promise<boolean>} parts.signIn
 * @param {import("./saving.js").Say} parts.say
 */
export function bindLeaving({ post, urls, words, before, skipped, signIn, say }) {
  const pause = /** @type {HTMLButtonElement} */ (find("[data-pause]"));
  const form = /** @type {HTMLFormElement} */ (find("form[data-skip]"));
  const fault = find("[data-skip-fault]");
  const send = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));

  /**
   * @param {string} url
   * @param {unknown} body
   * @param {HTMLButtonElement} button
   * @param {(text: string) => void} fail
   * @returns {Promise<void>}
   */
  const leave = async (url, body, button, fail) => {
    button.disabled = true;
    await before();
    const answer = await post(url, body);
    if (answer.status === 200 && answer.body.next) {
      if (button === send) skipped();
      window.location.assign(answer.body.next);
      return;
    }
    button.disabled = false;
    if (answer.status === 401) {
      say("signed-out", {});
      if (await signIn()) await leave(url, body, button, fail);
      return;
    }
    fail(answer.body?.message || words.unreachable);
  };

  pause.addEventListener("click", () => {
    void leave(urls.pause, {}, pause, (text) => say("refused", { message: text }));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = new FormData(form);
    const reason = chosen.get("reason");
    fault.textContent = reason ? "" : words.chooseReason;
    if (!reason || send.disabled) return;
    const body = { reason, note: chosen.get("note") ?? "" };
    void leave(urls.skip, body, send, (text) => (fault.textContent = text));
  });
}
