// @ts-check
/** Times as people read them, and the count of time worked. No page needed. */

const IDLE_AFTER_MS = 60_000;

/**
 * `0:04`, `12:30`, `1:02:09`. Whole seconds that have passed.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function minutesAndSeconds(seconds) {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds + 0.001)) : 0;
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  if (hours) return `${hours}:${two(minutes)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}`;
}

/**
 * How long a recording is, to the nearest second but never 0:00.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function lengthOf(seconds) {
  return minutesAndSeconds(Math.max(1, Math.round(seconds)));
}

/**
 * @param {Date} at
 * @returns {{time: string, zone: string}} `14:03:21` and the zone it is in
 */
export function localTime(at) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  const offset = -at.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const size = Math.abs(offset);
  const place = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  const utc = `UTC${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return { time, zone: place ? `${place} (${utc})` : utc };
}

/**
 * Counts seconds while the page is seen and something happened within a minute.
 *
 * Times are milliseconds of any clock that only goes forward.
 */
export class WorkedTime {
  #seconds = 0;
  #lastTickMs;
  #lastActMs;
  #seen = true;

  /** @param {number} nowMs */
  constructor(nowMs) {
    this.#lastTickMs = nowMs;
    this.#lastActMs = nowMs;
  }

  /** @param {number} nowMs */
  act(nowMs) {
    this.tick(nowMs);
    this.#lastActMs = nowMs;
  }

  /**
   * @param {boolean} seen
   * @param {number} nowMs
   */
  setSeen(seen, nowMs) {
    this.tick(nowMs);
    this.#seen = seen;
  }

  /** @param {number} nowMs */
  tick(nowMs) {
    const until = Math.min(nowMs, this.#lastActMs + IDLE_AFTER_MS);
    if (this.#seen && until > this.#lastTickMs) {
      this.#seconds += (until - this.#lastTickMs) / 1000;
    }
    this.#lastTickMs = Math.max(this.#lastTickMs, nowMs);
  }

  get seconds() {
    return this.#seconds;
  }
}
