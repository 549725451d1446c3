import assert from "node:assert/strict";
import { test } from "node:test";

import { isUnlocked, neighbour, nextStep, nextToMark } from "../../static/js/next_step.js";

/** @param {string[]} heard */
const recordings = (heard) =>
  [
    ["utterance", ""],
    ["response-a", "A"],
    ["response-b", "B"],
  ].map(([id, part]) => ({ id, part, heard: heard.includes(id) }));

/**
 * @param {string[]} answered
 * @param {string} [unlocked]  letters of the parts that are open
 */
const groups = (answered, unlocked = "AB") =>
  [
    ["A:coherence", "A", true],
    ["A:delivery", "A", true],
    ["B:coherence", "B", true],
    ["preference", "", false],
  ].map(([name, part, required]) => ({
    name: String(name),
    part: String(part),
    required: Boolean(required),
    answered: answered.includes(String(name)),
    unlocked: part === "" ? unlocked === "AB" : unlocked.includes(String(part)),
  }));

test("a reply is rated when it and the utterance were heard", () => {
  assert.equal(isUnlocked("heard", "A", recordings(["response-a"])), false);
  assert.equal(isUnlocked("heard", "A", recordings(["utterance"])), false);
  assert.equal(isUnlocked("heard", "A", recordings(["utterance", "response-a"])), true);
  assert.equal(isUnlocked("heard", "B", recordings(["utterance", "response-a"])), false);
});

test("the whole item is judged when all was heard", () => {
  const all = ["utterance", "response-a", "response-b"];

  assert.equal(isUnlocked("heard", "", recordings(all.slice(0, 2))), false);
  assert.equal(isUnlocked("heard", "", recordings(all)), true);
});

test("without a gate everything is open", () => {
  assert.equal(isUnlocked("off", "A", recordings([])), true);
});

test("the next thing is to hear, then to rate, part by part, then to submit", () => {
  const step = (/** @type {string[]} */ heard, /** @type {string[]} */ answered) =>
    nextStep("heard", recordings(heard), groups(answered));
  const all = ["utterance", "response-a", "response-b"];
  const ratings = ["A:coherence", "A:delivery", "B:coherence"];

  assert.deepEqual(step([], []), { kind: "play", id: "utterance" });
  assert.deepEqual(step(["utterance"], []), { kind: "play", id: "response-a" });
  assert.deepEqual(step(all.slice(0, 2), []), { kind: "rate", name: "A:coherence" });
  assert.deepEqual(step(all.slice(0, 2), ratings.slice(0, 2)), {
    kind: "play",
    id: "response-b",
  });
  assert.deepEqual(step(all, ratings.slice(0, 2)), { kind: "rate", name: "B:coherence" });
  assert.deepEqual(step(all, ratings), { kind: "submit" });
});

test("without a gate, an answered part is not asked to be heard", () => {
  const step = nextStep("off", recordings([]), groups(["A:coherence"]));

  assert.deepEqual(step, { kind: "rate", name: "A:delivery" });
});

test("a required question about the whole item comes last", () => {
  const asked = groups(["A:coherence", "A:delivery", "B:coherence"]);
  asked[3].required = true;
  const all = recordings(["utterance", "response-a", "response-b"]);

  assert.deepEqual(nextStep("heard", all, asked), { kind: "rate", name: "preference" });
});

test("the mark goes on to the next open question and round once", () => {
  assert.equal(nextToMark(groups(["A:coherence"]), "A:coherence"), "A:delivery");
  assert.equal(nextToMark(groups(["B:coherence"]), "B:coherence"), "A:coherence");
  assert.equal(nextToMark(groups([]), null), "A:coherence");
});

test("the mark passes over what is locked, and over what is optional", () => {
  const done = ["A:coherence", "A:delivery"];

  assert.equal(nextToMark(groups(done, "A"), "A:delivery"), null);
  assert.equal(nextToMark(groups([...done, "B:coherence"]), "B:coherence"), null);
});

test("arrows move the mark among open questions and stop at the ends", () => {
  assert.equal(neighbour(groups([]), "A:delivery", 1), "B:coherence");
  assert.equal(neighbour(groups([]), "A:coherence", -1), "A:coherence");
  assert.equal(neighbour(groups([]), "preference", 1), "preference");
  assert.equal(neighbour(groups([], "A"), "A:delivery", 1), "A:delivery");
  assert.equal(neighbour(groups([]), null, 1), "A:coherence");
  assert.equal(neighbour(groups([]), null, -1), "preference");
  assert.equal(neighbour(groups([], ""), null, 1), null);
});
