import assert from "node:assert/strict";
import { test } from "node:test";

import { bars, readPeaks, seekByKey } from "../../static/js/waveform.js";

test("peaks are read from bytes", () => {
  assert.deepEqual([...readPeaks("AH//")], [0, 127, 255]);
  assert.deepEqual([...readPeaks("")], []);
});

test("a bar is as high as the highest peak under it", () => {
  const peaks = Uint8Array.from([0, 255, 51, 0]);

  assert.deepEqual(bars(peaks, 2), [1, 0.2]);
});

test("there may be more bars than peaks, or no peaks at all", () => {
  assert.deepEqual(bars(Uint8Array.from([255, 0]), 4), [1, 1, 0, 0]);
  assert.deepEqual(bars(new Uint8Array(), 3), [0, 0, 0]);
});

test("arrows step a second, pages a tenth, and nothing leaves the recording", () => {
  assert.equal(seekByKey(1, "ArrowRight", 3, 60), 4);
  assert.equal(seekByKey(1, "ArrowLeft", 0.5, 60), 0);
  assert.equal(seekByKey(1, "PageUp", 3, 60), 9);
  assert.equal(seekByKey(1, "End", 3, 60), 60);
  assert.equal(seekByKey(1, "Home", 3, 60), 0);
  assert.equal(seekByKey(1, "ArrowRight", 59.5, 60), 60);
  assert.equal(seekByKey(1, "x", 3, 60), null);
});

test("in a short recording a step is a tenth of it", () => {
  assert.ok(Math.abs((seekByKey(1, "ArrowRight", 1, 2) ?? 0) - 1.2) < 1e-9);
});
