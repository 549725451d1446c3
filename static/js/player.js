// @ts-check
/**
 * One recording: a native `<audio>`, a button, a waveform, and what has been heard.
 *
 * Reads: inside a `[data-player]`: `[data-player-play]`, `[data-player-wave]`,
 *   `[data-player-time]`, `[data-player-fault]` with `[data-player-fault-text]` and
 *   `[data-player-retry]`, `audio`.
 * Tells: `player:start`, `player:progress`, `player:stop`, `player:heard` (once) and
 *   `player:lost` (the recording failed twice) on the figure; they bubble.
 *
 * Only one sounds at a time, in this page and in other tabs of it. Sound starts inside
 * a click or a key press alone, so nothing here plays by itself but a resume after a
 * failure of what was already sounding.
 */
import { lengthOf, minutesAndSeconds } from "./clock.js";
import { fromTimeRanges, isComplete, merge, rounded } from "./heard.js";
import { Waveform } from "./waveform.js";

/** @typedef {{id: string, part: string, url: string, durationS: number, peaks: string, heard: number[][], completed: boolean, plays?: number}} Recording */
/** @typedef {{of: string, heard: string, pressPlay: string, lost: string}} Words */

/** @type {Set<Player>} */
const all = new Set();
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("earwitness-sound") : null;
tabs?.addEventListener("message", () => pauseAll());

export function pauseAll() {
  for (const player of all) player.pause();
}

export class Player {
  #figure;
  #audio;
  #button;
  #time;
  #fault;
  #wave;
  #words;
  #toleranceS;
  /** @type {number[][]} */ #before;
  #heard;
  #renewed = false;
  #resumeAtS = 0;
  #wantsSound = false;
  #frame = 0;

  /**
   * @param {HTMLElement} figure
   * @param {Recording} recording
   * @param {{toleranceS: number, words: Words}} options
   */
  constructor(figure, recording, { toleranceS, words }) {
    const find = (/** @type {string} */ name) =>
      /** @type {HTMLElement} */ (figure.querySelector(`[data-player-${name}]`));
    this.recording = recording;
    this.plays = recording.plays ?? 0;
    this.#figure = figure;
    this.#words = words;
    this.#toleranceS = toleranceS;
    this.#before = recording.heard ?? [];
    this.#heard =
      recording.completed || isComplete(this.#before, recording.durationS, toleranceS);
    this.#button = find("play");
    this.#time = find("time");
    this.#fault = find("fault");
    this.#audio = /** @type {HTMLAudioElement} */ (figure.querySelector("audio"));
    this.#wave = new Waveform(find("wave"), {
      peaks: recording.peaks,
      durationS: recording.durationS,
      valueText: words.of,
      onSeek: (atS) => this.seek(atS),
    });
    find("wave").addEventListener("keydown", (event) => {
      if ((event.key !== " " && event.key !== "Enter") || event.ctrlKey || event.metaKey) {
        return;
      }
      event.preventDefault();
      if (!event.repeat) this.toggle();
    });
    this.#button.addEventListener("click", () => this.toggle());
    find("retry").addEventListener("click", () => this.retry());
    this.#listen();
    this.#audio.controls = false;
    this.#audio.src = recording.url;
    all.add(this);
    this.#show();
  }

  /** Seconds of the recording that were truly played, here and before. */
  get ranges() {
    return rounded(merge(this.#before, fromTimeRanges(this.#audio.played)));
  }

  get isHeard() {
    return this.#heard;
  }

  get isPlaying() {
    return this.#wantsSound;
  }

  get isLoaded() {
    return this.#audio.readyState >= HTMLMediaElement.HAVE_ENOUGH_DATA;
  }

  /** What the server is told. */
  get listening() {
    return { ranges: this.ranges, plays: this.plays };
  }

  toggle() {
    if (this.#wantsSound) this.pause();
    else void this.play();
  }

  async play() {
    for (const other of all) if (other !== this) other.pause();
    tabs?.postMessage("playing");
    this.#wantsSound = true;
    this.#say("");
    this.plays += 1;
    if (this.#audio.error) this.#load(this.#audio.currentTime);
    if (this.#audio.currentTime >= this.recording.durationS - 0.05) {
      this.#audio.currentTime = 0;
    }
    this.#tell("start");
    this.#show();
    try {
      await this.#audio.play();
    } catch (error) {
      // An abort is our own pause; a media error is told by its own event.
      if (!(error instanceof DOMException) || error.name !== "NotAllowedError") return;
      this.plays -= 1;
      this.pause();
      this.#say(this.#words.pressPlay);
    }
  }

  pause() {
    if (!this.#wantsSound && this.#audio.paused) return;
    this.#wantsSound = false;
    this.#audio.pause();
    this.#check();
    this.#show();
    this.#tell("stop");
  }

  /** @param {number} atS */
  seek(atS) {
    // At the very end there is nothing left to play; stop a moment before.
    this.#audio.currentTime = Math.min(atS, Math.max(0, this.recording.durationS - 0.02));
    this.#resumeAtS = this.#audio.currentTime;
    this.#show();
  }

  /** Ask for the recording again, and go on where it stopped. */
  retry() {
    this.#renewed = false;
    this.#say("");
    this.#load(this.#resumeAtS);
    void this.play();
  }

  /** @param {number} atS */
  #load(atS) {
    // Loading anew empties `audio.played`.
    this.#before = this.ranges;
    this.#audio.src = this.recording.url;
    this.#audio.load();
    if (atS > 0) this.#audio.currentTime = atS;
  }

  #listen() {
    const audio = this.#audio;
    audio.addEventListener("play", () => {
      if (!this.#wantsSound) audio.pause();
    });
    audio.addEventListener("timeupdate", () => {
      if (!audio.error) this.#resumeAtS = audio.currentTime;
      this.#check();
      this.#show();
      if (this.#wantsSound) this.#tell("progress");
    });
    audio.addEventListener("playing", () => {
      this.#renewed = false;
      this.#follow();
    });
    audio.addEventListener("pause", () => {
      // The browser may pause by itself, for a call or a headset that was pulled out.
      // Events come late: by now it may be sounding again.
      if (audio.paused && !audio.ended && !audio.error) this.pause();
    });
    audio.addEventListener("ended", () => {
      if (audio.ended) this.pause();
    });
    audio.addEventListener("error", () => {
      const wasSounding = this.#wantsSound;
      if (!this.#renewed) {
        this.#renewed = true;
        this.#load(this.#resumeAtS);
        if (wasSounding) void audio.play().catch(() => {});
        return;
      }
      this.#wantsSound = false;
      this.#say(this.#words.lost, true);
      this.#show();
      this.#tell("lost");
    });
  }

  /** The head moves with the sound, not four times a second. */
  #follow() {
    cancelAnimationFrame(this.#frame);
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const next = () => {
      if (!this.#wantsSound) return;
      this.#show();
      this.#frame = requestAnimationFrame(next);
    };
    this.#frame = requestAnimationFrame(next);
  }

  #check() {
    if (this.#heard) return;
    const { durationS } = this.recording;
    if (!isComplete(this.ranges, durationS, this.#toleranceS)) return;
    this.#heard = true;
    this.#tell("heard");
  }

  #show() {
    const { durationS } = this.recording;
    const atS = Math.min(this.#audio.currentTime || this.#resumeAtS, durationS);
    this.#wave.show(atS, this.#heard && !this.ranges.length ? [[0, durationS]] : this.ranges);
    this.#button.setAttribute("aria-pressed", String(this.#wantsSound));
    this.#figure.dataset.playing = String(this.#wantsSound);
    this.#figure.dataset.heard = String(this.#heard);
    const length = lengthOf(durationS);
    const at = minutesAndSeconds(atS);
    const resting = !this.#wantsSound && (atS === 0 || this.#audio.ended);
    const words =
      this.#heard && (resting || atS === 0)
        ? this.#words.heard.replace("{length}", length)
        : this.#words.of.replace("{at}", at).replace("{length}", length);
    if (this.#time.textContent !== words) this.#time.textContent = words;
  }

  /**
   * @param {string} text
   * @param {boolean} [canRetry]
   */
  #say(text, canRetry = false) {
    const words = /** @type {HTMLElement} */ (
      this.#fault.querySelector("[data-player-fault-text]")
    );
    words.textContent = text;
    this.#fault.hidden = !text;
    const retry = /** @type {HTMLElement} */ (
      this.#fault.querySelector("[data-player-retry]")
    );
    retry.hidden = !canRetry;
  }

  /** @param {string} what */
  #tell(what) {
    this.#figure.dispatchEvent(
      new CustomEvent(`player:${what}`, { bubbles: true, detail: this }),
    );
  }
}
