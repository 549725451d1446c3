import assert from "node:assert/strict";
import { test } from "node:test";

import { meaningOf } from "../../static/js/keys.js";

/** @param {string} key */
const press = (key, held = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

test("letters play, digits answer, arrows move the mark", () => {
  assert.deepEqual(meaningOf(press("q"), "body", true), { kind: "play", which: "A" });
  assert.deepEqual(meaningOf(press("W"), "body", true), { kind: "play", which: "B" });
  assert.deepEqual(meaningOf(press("e"), "control", true), {
    kind: "play",
    which: "utterance",
  });
  assert.deepEqual(meaningOf(press("3"), "radio", true), { kind: "answer", value: 3 });
  assert.deepEqual(meaningOf(press("ArrowUp"), "body", true), { kind: "mark", by: -1 });
  assert.deepEqual(meaningOf(press("?"), "body", true), { kind: "help" });
});

test("nothing fires in a text box but submitting and closing", () => {
  for (const key of ["q", "w", "e", "a", "1", "0", "?", " ", "ArrowUp"]) {
    assert.equal(meaningOf(press(key), "text", true), null, key);
  }
  assert.deepEqual(meaningOf(press("Enter", { ctrlKey: true }), "text", true), {
    kind: "submit",
  });
  assert.deepEqual(meaningOf(press("Escape"), "text", true), { kind: "close" });
});

test("nothing fires with a modifier or while a word is being composed", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    assert.equal(meaningOf(press("q", held), "body", true), null);
    assert.equal(meaningOf(press("1", held), "body", true), null);
  }
  assert.equal(meaningOf(press("q", { isComposing: true }), "body", true), null);
});

test("the command key submits too, and a held key submits once", () => {
  const enter = press("Enter", { metaKey: true });

  assert.deepEqual(meaningOf(enter, "radio", true), { kind: "submit" });
  assert.equal(meaningOf({ ...enter, repeat: true }, "radio", true), null);
  assert.equal(meaningOf(press("Enter"), "body", true), null);
});

test("the space bar plays when no control has the focus", () => {
  assert.deepEqual(meaningOf(press(" "), "body", true), {
    kind: "play",
    which: "current",
  });
  for (const place of /** @type {const} */ (["radio", "slider", "control"])) {
    assert.equal(meaningOf(press(" "), place, true), null, place);
  }
});

test("arrows belong to radios and sliders that have the focus", () => {
  assert.equal(meaningOf(press("ArrowDown"), "radio", true), null);
  assert.equal(meaningOf(press("ArrowDown"), "slider", true), null);
});

test("single characters can be switched off; the rest stays", () => {
  for (const key of ["q", "a", "2", "0", "?"]) {
    assert.equal(meaningOf(press(key), "body", false), null, key);
  }
  assert.notEqual(meaningOf(press(" "), "body", false), null);
  assert.notEqual(meaningOf(press("ArrowDown"), "body", false), null);
  assert.notEqual(meaningOf(press("Enter", { ctrlKey: true }), "body", false), null);
});
