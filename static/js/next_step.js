// @ts-check
/**
 * What a person should do next on a desk, and where the mark goes. No page needed.
 *
 * @typedef {object} Heard   one recording
 * @property {string} id
 * @property {string} part   "" for what belongs to the whole item
 * @property {boolean} heard
 *
 * @typedef {object} Group   one question
 * @property {string} name
 * @property {string} part   "" for a question about the whole item
 * @property {boolean} required
 * @property {boolean} answered
 *
 * @typedef {{kind: "play", id: string} | {kind: "rate", name: string} | {kind: "submit"}} Step
 */

/**
 * Whether the questions about a part may be answered.
 *
 * A part needs its own recording and those of the whole item; the whole item needs all.
 *
 * @param {"heard" | "off"} gate
 * @param {string} part
 * @param {Heard[]} recordings
 * @returns {boolean}
 */
export function isUnlocked(gate, part, recordings) {
  if (gate === "off") return true;
  return recordings
    .filter((one) => part === "" || one.part === "" || one.part === part)
    .every((one) => one.heard);
}

/**
 * The one thing the page should point at.
 *
 * With the gate off, a recording is pointed at only until its part has an answer.
 *
 * @param {"heard" | "off"} gate
 * @param {Heard[]} recordings  in the order of the page
 * @param {Group[]} groups      in the order of the page
 * @returns {Step}
 */
export function nextStep(gate, recordings, groups) {
  const wants = (/** @type {Heard} */ one) =>
    !one.heard &&
    (gate === "heard" ||
      !groups.some(
        (group) => group.answered && (one.part === "" || group.part === one.part),
      ));
  const shared = recordings.find((one) => one.part === "" && wants(one));
  if (shared) return { kind: "play", id: shared.id };
  const parts = [...new Set(groups.concat().map((group) => group.part))];
  for (const one of recordings) if (!parts.includes(one.part)) parts.push(one.part);
  for (const part of parts.filter((one) => one !== "").concat("")) {
    const unheard = recordings.find(
      (one) => part !== "" && one.part === part && wants(one),
    );
    if (unheard) return { kind: "play", id: unheard.id };
    const open = groups.find(
      (group) => group.part === part && group.required && !group.answered,
    );
    if (open) return { kind: "rate", name: open.name };
  }
  return { kind: "submit" };
}

/**
 * The required question to mark after `after`, going round once; null when none is open.
 *
 * @param {(Group & {unlocked: boolean})[]} groups
 * @param {string | null} after
 * @returns {string | null}
 */
export function nextToMark(groups, after) {
  const at = groups.findIndex((group) => group.name === after);
  const round = [...groups.slice(at + 1), ...groups.slice(0, at + 1)];
  const open = round.find(
    (group) => group.unlocked && group.required && !group.answered,
  );
  return open ? open.name : null;
}

/**
 * The unlocked question above or below; the ends do not wrap.
 *
 * @param {(Group & {unlocked: boolean})[]} groups
 * @param {string | null} from
 * @param {1 | -1} by
 * @returns {string | null}
 */
export function neighbour(groups, from, by) {
  const open = groups.filter((group) => group.unlocked).map((group) => group.name);
  if (!open.length) return null;
  const at = from === null ? -1 : open.indexOf(from);
  if (at < 0) return by > 0 ? open[0] : (open.at(-1) ?? null);
  return open[Math.min(open.length - 1, Math.max(0, at + by))];
}
