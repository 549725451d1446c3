// @ts-check
/**
 * How much of a recording has been played, counting no second twice.
 *
 * Ranges are `[start, end]` in seconds. Nothing here touches a page.
 */

/** @typedef {[number, number]} Range */

/**
 * The same stretches, sorted, without overlaps, without empty or unreadable ones.
 *
 * @param {ReadonlyArray<ReadonlyArray<number>>} ranges
 * @returns {Range[]}
 */
export function union(ranges) {
  const sorted = ranges
    .filter(
      (range) =>
        Number.isFinite(range[0]) && Number.isFinite(range[1]) && range[1] > range[0],
    )
    .map((range) => /** @type {Range} */ ([Math.max(0, range[0]), range[1]]))
    .sort((a, b) => a[0] - b[0]);
  /** @type {Range[]} */
  const joined = [];
  for (const [start, end] of sorted) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/**
 * The union of several lists of ranges, such as the server's and this page's.
 *
 * @param {...ReadonlyArray<ReadonlyArray<number>>} lists
 * @returns {Range[]}
 */
export function merge(...lists) {
  return union(lists.flat());
}

/**
 * @param {{length: number, start(i: number): number, end(i: number): number}} played
 *   `audio.played`
 * @returns {Range[]}
 */
export function fromTimeRanges(played) {
  /** @type {Range[]} */
  const ranges = [];
  for (let i = 0; i < played.length; i += 1) {
    ranges.push([played.start(i), played.end(i)]);
  }
  return union(ranges);
}

/**
 * @param {ReadonlyArray<ReadonlyArray<number>>} ranges
 * @returns {number} seconds
 */
export function heardSeconds(ranges) {
  return union(ranges).reduce((sum, [start, end]) => sum + (end - start), 0);
}

/**
 * Whether all of a recording has been played.
 *
 * A player stops a little before the stated end, hence the tolerance. An unknown
 * duration is never complete.
 *
 * @param {ReadonlyArray<ReadonlyArray<number>>} ranges
 * @param {number} durationS
 * @param {number} toleranceS
 * @returns {boolean}
 */
export function isComplete(ranges, durationS, toleranceS) {
  if (!(durationS > 0)) return false;
  const inside = ranges.map((range) => [range[0], Math.min(range[1], durationS)]);
  // A clip shorter than the tolerance must still be played: half of it at least.
  return heardSeconds(inside) >= Math.max(durationS - toleranceS, durationS / 2);
}

/**
 * Ranges as they are sent: whole milliseconds.
 *
 * @param {ReadonlyArray<ReadonlyArray<number>>} ranges
 * @returns {Range[]}
 */
export function rounded(ranges) {
  return union(ranges).map(([start, end]) => [
    Math.round(start * 1000) / 1000,
    Math.round(end * 1000) / 1000,
  ]);
}
