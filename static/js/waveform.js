// @ts-check
/**
 * A waveform on a canvas, inside a labelled slider.
 *
 * Reads: `[role=slider]` with a `<canvas>`; the colours `--wave`, `--wave-heard` and
 *   `--wave-head`. It draws again when its size changes (a hidden panel that opens
 *   changes size) and on `theme:change`.
 * Tells: its caller, through `onSeek`, where a person pointed or stepped to.
 */
import { lengthOf, minutesAndSeconds } from "./clock.js";

const BAR_PX = 3;
const GAP_PX = 2;
const STEP_S = 1;

/**
 * @param {string} base64  one byte a peak, 0 to 255
 * @returns {Uint8Array}
 */
export function readPeaks(base64) {
  return Uint8Array.from(atob(base64 || ""), (letter) => letter.charCodeAt(0));
}

/**
 * The highest peak under each bar, 0 to 1.
 *
 * @param {Uint8Array} peaks
 * @param {number} n  how many bars
 * @returns {number[]}
 */
export function bars(peaks, n) {
  return Array.from({ length: n }, (_, i) => {
    if (!peaks.length) return 0;
    const from = Math.floor((i * peaks.length) / n);
    const to = Math.max(from + 1, Math.floor(((i + 1) * peaks.length) / n));
    let high = 0;
    for (let j = from; j < to && j < peaks.length; j += 1) high = Math.max(high, peaks[j]);
    return high / 255;
  });
}

/**
 * @param {number} step  seconds of one arrow key, in a recording of `durationS`
 * @param {string} key
 * @param {number} atS
 * @param {number} durationS
 * @returns {number | null} where the key leads, or null when it leads nowhere
 */
export function seekByKey(step, key, atS, durationS) {
  const small = Math.min(step, durationS / 10);
  const large = Math.max(durationS / 10, small);
  /** @type {Record<string, number>} */
  const places = {
    ArrowLeft: atS - small,
    ArrowDown: atS - small,
    ArrowRight: atS + small,
    ArrowUp: atS + small,
    PageDown: atS - large,
    PageUp: atS + large,
    Home: 0,
    End: durationS,
  };
  return key in places ? Math.min(durationS, Math.max(0, places[key])) : null;
}

export class Waveform {
  #slider;
  #canvas;
  #peaks;
  #words;
  #durationS;
  /** @type {number[]} */ #bars = [];
  #state = { atS: 0, heard: /** @type {number[][]} */ ([]) };

  /**
   * @param {HTMLElement} slider
   * @param {object} parts
   * @param {string} parts.peaks       base64
   * @param {number} parts.durationS
   * @param {string} parts.valueText   "{at} of {length}"
   * @param {(atS: number) => void} parts.onSeek
   */
  constructor(slider, { peaks, durationS, valueText, onSeek }) {
    this.#slider = slider;
    this.#canvas = /** @type {HTMLCanvasElement} */ (slider.querySelector("canvas"));
    this.#peaks = readPeaks(peaks);
    this.#words = valueText;
    this.#durationS = durationS;
    slider.setAttribute("aria-valuemax", durationS.toFixed(2));
    slider.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const atS = seekByKey(STEP_S, event.key, this.#state.atS, durationS);
      if (atS === null) return;
      event.preventDefault();
      onSeek(atS);
    });
    const point = (/** @type {PointerEvent} */ event) => {
      const box = this.#canvas.getBoundingClientRect();
      const share = (event.clientX - box.left) / Math.max(1, box.width);
      onSeek(Math.min(1, Math.max(0, share)) * durationS);
    };
    slider.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      slider.setPointerCapture(event.pointerId);
      point(event);
    });
    slider.addEventListener("pointermove", (event) => {
      if (slider.hasPointerCapture(event.pointerId)) point(event);
    });
    new ResizeObserver(() => this.#measure()).observe(slider);
    document.addEventListener("theme:change", () => this.#draw());
    window.matchMedia("(forced-colors: active)").addEventListener("change", () =>
      this.#draw(),
    );
  }

  /**
   * @param {number} atS
   * @param {number[][]} heard
   */
  show(atS, heard) {
    this.#state = { atS, heard };
    const { valueText, valueNow } = this.#spoken();
    if (this.#slider.getAttribute("aria-valuetext") !== valueText) {
      this.#slider.setAttribute("aria-valuetext", valueText);
      this.#slider.setAttribute("aria-valuenow", valueNow);
    }
    this.#draw();
  }

  #spoken() {
    const at = minutesAndSeconds(this.#state.atS);
    const length = lengthOf(this.#durationS);
    return {
      valueText: this.#words.replace("{at}", at).replace("{length}", length),
      valueNow: this.#state.atS.toFixed(2),
    };
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#slider;
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * scale);
    this.#canvas.height = Math.round(height * scale);
    const n = Math.max(8, Math.floor((width + GAP_PX) / (BAR_PX + GAP_PX)));
    this.#bars = bars(this.#peaks, n);
    this.#draw();
  }

  #draw() {
    const pen = this.#canvas.getContext("2d");
    const { width, height } = this.#canvas;
    if (!pen || !width || !this.#bars.length) return;
    const look = getComputedStyle(this.#slider);
    const colour = (/** @type {string} */ name) => look.getPropertyValue(name).trim();
    const [quiet, full, head] = ["--wave", "--wave-heard", "--wave-head"].map(colour);
    const scale = window.devicePixelRatio || 1;
    const step = width / this.#bars.length;
    const thick = Math.max(1, step - GAP_PX * scale);
    const round = Math.min(thick / 2, 2 * scale);
    const loudest = Math.max(0.05, ...this.#bars);
    const room = height - 2 * scale;

    pen.clearRect(0, 0, width, height);
    const outline = new Path2D();
    this.#bars.forEach((bar, i) => {
      const tall = Math.max(thick, (bar / loudest) * room);
      outline.roundRect(i * step, (height - tall) / 2, thick, tall, round);
    });
    pen.fillStyle = quiet;
    pen.fill(outline);
    // Heard is filled to the exact second, not to the nearest bar.
    pen.save();
    pen.beginPath();
    for (const [start, end] of this.#state.heard) {
      const from = (start / this.#durationS) * width;
      pen.rect(from, 0, ((end - start) / this.#durationS) * width, height);
    }
    pen.clip();
    pen.fillStyle = full;
    pen.fill(outline);
    pen.restore();
    const { atS } = this.#state;
    if (atS > 0 && atS < this.#durationS - 0.03) {
      const x = Math.min(width - 2 * scale, (atS / this.#durationS) * width);
      pen.fillStyle = head;
      pen.beginPath();
      pen.roundRect(x, 0, 2 * scale, height, scale);
      pen.fill();
    }
  }
}
