// @ts-check
/**
 * What has been heard, on its way to the server.
 *
 * Sent when a recording is complete, at a pause, after each ten seconds of play and
 * when the page is left; kept in the browser until acknowledged.
 */
import { kept } from "./store.js";

const EACH_S = 10;

/** @typedef {Record<string, {ranges: number[][], plays: number}>} Listening */

export class ListeningReport {
  #post;
  #url;
  #place;
  #players;
  #sent = "";
  #playedS = 0;
  #lastMs = 0;
  #stopped = false;

  /**
   * @param {object} parts
   * @param {import("./http.js").Post} parts.post
   * @param {string} parts.url
   * @param {string} parts.place  key in the browser's memory
   * @param {() => import("./player.js").Player[]} parts.players
   */
  constructor({ post, url, place, players }) {
    this.#post = post;
    this.#url = url;
    this.#place = place;
    this.#players = players;
    document.addEventListener("player:start", () => (this.#lastMs = performance.now()));
    document.addEventListener("player:progress", () => this.#progress());
    document.addEventListener("player:heard", () => void this.send());
    document.addEventListener("player:stop", () => void this.send());
  }

  /** @returns {Listening} of recordings that were played at all */
  get map() {
    return Object.fromEntries(
      this.#players()
        .filter((player) => player.plays || player.ranges.length)
        .map((player) => [player.recording.id, player.listening]),
    );
  }

  /** @param {{keepalive?: boolean}} [options] */
  async send(options = {}) {
    const recordings = this.map;
    const text = JSON.stringify(recordings);
    if (this.#stopped || text === this.#sent || text === "{}") return;
    this.#sent = text;
    this.#playedS = 0;
    kept.put(this.#place, recordings);
    const { status } = await this.#post(this.#url, { recordings }, options);
    if (status !== 200) {
      if (this.#sent === text) this.#sent = "";
    } else if (this.#sent === text) {
      kept.drop(this.#place);
    }
  }

  stop() {
    this.#stopped = true;
  }

  forget() {
    kept.drop(this.#place);
  }

  #progress() {
    const nowMs = performance.now();
    this.#playedS += (nowMs - this.#lastMs) / 1000;
    this.#lastMs = nowMs;
    if (this.#playedS >= EACH_S) void this.send();
  }
}

/**
 * The server's ranges with those that this browser could not deliver.
 *
 * @param {import("./player.js").Recording[]} recordings
 * @param {string} place
 * @returns {import("./player.js").Recording[]}
 */
export function withUndelivered(recordings, place) {
  /** @type {Listening} */
  const mine = kept.get(place) ?? {};
  return recordings.map((one) => ({
    ...one,
    heard: [...(one.heard ?? []), ...(mine[one.id]?.ranges ?? [])],
    plays: Math.max(one.plays ?? 0, mine[one.id]?.plays ?? 0),
  }));
}
