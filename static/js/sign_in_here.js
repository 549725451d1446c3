// @ts-check
/**
 * Signing in on the page one is on, so that nothing on it is lost.
 *
 * Reads: `form[data-sign-in-here]` with `username`, `password`, a
 *   `[data-sign-in-fault]` and its submit button.
 * Tells: its caller, by the promise: true when the same person is back, false when
 *   somebody else is signed in, who gets nothing of the first one's work.
 */

/** @type {Promise<boolean> | null} */
let asking = null;

/**
 * @param {import("./http.js").Post} post
 * @param {string} url
 * @param {string} rater
 * @param {string} unreachable  words for a server that does not answer
 * @returns {Promise<boolean>}
 */
export function signInHere(post, url, rater, unreachable) {
  asking ??= ask(post, url, rater, unreachable);
  return asking;
}

/**
 * @param {import("./http.js").Post} post
 * @param {string} url
 * @param {string} rater
 * @param {string} unreachable  words for a server that does not answer
 * @returns {Promise<boolean>}
 */
function ask(post, url, rater, unreachable) {
  const form = /** @type {HTMLFormElement} */ (
    document.querySelector("form[data-sign-in-here]")
  );
  const fault = /** @type {HTMLElement} */ (form.querySelector("[data-sign-in-fault]"));
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const button = /** @type {HTMLButtonElement} */ (
    form.querySelector("button[type=submit]")
  );
  const before = document.activeElement;
  form.hidden = false;
  form.scrollIntoView({ block: "nearest" });
  (field("username").value ? field("password") : field("username")).focus();

  return new Promise((resolve) => {
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      fault.textContent = "";
      const { status, body } = await post(url, {
        username: field("username").value,
        password: field("password").value,
        rater,
      });
      field("password").value = "";
      if (status === 200 && body.same === true) {
        form.removeEventListener("submit", send);
        form.hidden = true;
        button.disabled = false;
        asking = null;
        if (before instanceof HTMLElement) before.focus({ preventScroll: true });
        resolve(true);
      } else if (status === 200) {
        // The form stays shut: a second try would mix two people's work.
        fault.textContent = body.message ?? "";
        for (const name of ["username", "password"]) field(name).disabled = true;
        resolve(false);
      } else {
        button.disabled = false;
        fault.textContent = body.message || unreachable;
        field("password").focus();
      }
    };
    form.addEventListener("submit", send);
  });
}
