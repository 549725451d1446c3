import assert from "node:assert/strict";
import { test } from "node:test";

import {
  fromTimeRanges,
  heardSeconds,
  isComplete,
  merge,
  rounded,
  union,
} from "../../static/js/heard.js";

test("no second is counted twice", () => {
  const ranges = [[0, 3], [2, 4], [1, 2]];

  assert.deepEqual(union(ranges), [[0, 4]]);
  assert.equal(heardSeconds(ranges), 4);
});

test("touching ranges join and gaps stay", () => {
  assert.deepEqual(union([[2, 3], [0, 1], [1, 2], [5, 6]]), [[0, 3], [5, 6]]);
});

test("empty, backward and unreadable ranges are dropped, and nothing is negative", () => {
  assert.deepEqual(union([[1, 1], [3, 2], [Number.NaN, 4], [0, Infinity], [-1, 2]]), [
    [0, 2],
  ]);
});

test("the union does not change what it was given", () => {
  const ranges = [[0, 2], [1, 3]];

  union(ranges);

  assert.deepEqual(ranges, [[0, 2], [1, 3]]);
});

test("merging is the same in any order", () => {
  const server = [[0, 1.2], [4, 5]];
  const page = [[1, 4.5]];

  assert.deepEqual(merge(server, page), [[0, 5]]);
  assert.deepEqual(merge(page, server), merge(server, page));
  assert.deepEqual(merge(), []);
});

test("a media element's ranges are read", () => {
  const pairs = [[0, 1], [3, 4]];
  const played = {
    length: 2,
    start: (/** @type {number} */ i) => pairs[i][0],
    end: (/** @type {number} */ i) => pairs[i][1],
  };

  assert.deepEqual(fromTimeRanges(played), [[0, 1], [3, 4]]);
});

test("dragging to the end is not hearing", () => {
  assert.equal(isComplete([[0, 0.4], [7.9, 8.12]], 8.12, 0.25), false);
});

test("a recording heard in pieces is complete within the tolerance", () => {
  assert.equal(isComplete([[4, 8], [0, 4.1]], 8.12, 0.25), true);
  assert.equal(isComplete([[0, 7.8]], 8.12, 0.25), false);
  assert.equal(isComplete([[0, 7.9]], 8.12, 0.25), true);
});

test("what lies past the end counts for nothing", () => {
  assert.equal(isComplete([[2, 11]], 8, 0.25), false);
});

test("an unknown duration is never complete, and a tiny one must be played", () => {
  assert.equal(isComplete([[0, 9]], Number.NaN, 0.25), false);
  assert.equal(isComplete([[0, 9]], 0, 0.25), false);
  assert.equal(isComplete([], 0.2, 0.25), false);
  assert.equal(isComplete([[0, 0.15]], 0.2, 0.25), true);
});

test("ranges are sent in whole milliseconds", () => {
  assert.deepEqual(rounded([[0.00049, 1.23456]]), [[0, 1.235]]);
});
