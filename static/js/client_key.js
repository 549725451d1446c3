// @ts-check
/** The key that makes a submission count once, however often it is sent. */
import { keptForThisTab } from "./store.js";

/** @returns {string} 128 random bits; `randomUUID` exists on secure origins only */
function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/**
 * The key of this revision of this assignment: the same after a reload in this tab.
 *
 * @param {string} rater
 * @param {string} assignment
 * @param {number} revision
 * @param {string | null} given  the server's own, if it has one
 * @returns {{key: string, spent(): void}}
 */
export function clientKey(rater, assignment, revision, given) {
  const place = `earwitness:${rater}:${assignment}:key:${revision}`;
  const key = given ?? keptForThisTab.get(place) ?? fresh();
  keptForThisTab.put(place, key);
  return { key, spent: () => keptForThisTab.drop(place) };
}
