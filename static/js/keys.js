// @ts-check
/**
 * Which key means what on a desk.
 *
 * `meaningOf` needs no page. `listenForKeys` binds it to the document and tells its
 * caller what was meant; it tells nothing when the key belongs to the place in focus.
 *
 * @typedef {"body" | "text" | "radio" | "slider" | "control"} Place
 * @typedef {{kind: "play", which: "current" | "utterance" | "A" | "B"}
 *   | {kind: "answer", value: number} | {kind: "cannot-judge"}
 *   | {kind: "mark", by: 1 | -1} | {kind: "submit"} | {kind: "help"}
 *   | {kind: "anchors"} | {kind: "close"}} Meaning
 *
 * @typedef {object} Press
 * @property {string} key
 * @property {string} [code]
 * @property {boolean} ctrlKey
 * @property {boolean} metaKey
 * @property {boolean} altKey
 * @property {boolean} [isComposing]
 * @property {boolean} [repeat]
 */

/** @type {Record<string, "utterance" | "A" | "B">} */
const PLAYS = { q: "A", w: "B", e: "utterance" };

/**
 * @param {Press} press
 * @param {Place} place          what has the focus
 * @param {boolean} lettersOn    single characters are switched on
 * @returns {Meaning | null}
 */
export function meaningOf(press, place, lettersOn) {
  if (press.isComposing) return null;
  const { key } = press;
  if (key === "Enter" && (press.ctrlKey || press.metaKey) && !press.altKey) {
    return press.repeat ? null : { kind: "submit" };
  }
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (key === "Escape") return { kind: "close" };
  if (place === "text") return null;
  if (key === " ") {
    return place === "body" && !press.repeat ? { kind: "play", which: "current" } : null;
  }
  if (key === "ArrowUp" || key === "ArrowDown") {
    if (place === "radio" || place === "slider") return null;
    return { kind: "mark", by: key === "ArrowUp" ? -1 : 1 };
  }
  if (!lettersOn || press.repeat) return null;
  const letter = key.toLowerCase();
  if (letter in PLAYS) return { kind: "play", which: PLAYS[letter] };
  if (letter === "a") return { kind: "anchors" };
  if (key === "?") return { kind: "help" };
  if (key === "0") return { kind: "cannot-judge" };
  if (/^[1-9]$/.test(key)) return { kind: "answer", value: Number(key) };
  return null;
}

/**
 * @param {Element | null} element
 * @returns {Place}
 */
export function placeOf(element) {
  if (!element || element === document.body) return "body";
  if (element instanceof HTMLInputElement) {
    if (element.type === "radio") return "radio";
    return ["checkbox", "button", "submit"].includes(element.type) ? "control" : "text";
  }
  if (element.matches("textarea, select, [contenteditable]")) return "text";
  if (element.getAttribute("role") === "slider") return "slider";
  if (element.matches("button, a[href], summary, [role=button]")) return "control";
  return "body";
}

/**
 * @param {() => boolean} lettersOn
 * @param {(meaning: Meaning) => boolean} act  false: the key was not used after all
 */
export function listenForKeys(lettersOn, act) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const meaning = meaningOf(event, placeOf(document.activeElement), lettersOn());
    if (meaning && act(meaning)) event.preventDefault();
  });
}
