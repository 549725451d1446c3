import assert from "node:assert/strict";
import { test } from "node:test";

import { DraftSaver, reconcile, sameAnswers, submitUntilAnswered } from "../../static/js/saving.js";

/** @typedef {import("../../static/js/http.js").Answer} Answer */

/**
 * A saver whose far end gives these answers in turn, and what came of it.
 *
 * @param {(Answer | ((body: any) => Answer | Promise<Answer>))[]} answers
 * @param {{version?: number, signIn?: () => Promise<boolean>}} [options]
 */
function saverWith(answers, { version = 0, signIn = async () => true } = {}) {
  /** @type {any[]} */ const sent = [];
  /** @type {string[]} */ const news = [];
  /** @type {any} */ let kept = null;
  /** @type {any} */ let theirs = null;
  const saver = new DraftSaver({
    post: async (_, body) => {
      sent.push(structuredClone(body));
      const answer = answers.shift() ?? { status: 0, body: {} };
      return typeof answer === "function" ? answer(body) : answer;
    },
    url: "/draft",
    version,
    answers: {},
    workedS: () => 12.4,
    say: (what) => news.push(what),
    keep: (draft) => (kept = structuredClone(draft)),
    forget: () => (kept = null),
    showTheirs: (shown) => (theirs = shown),
    signIn,
  });
  return { saver, sent, news, kept: () => kept, theirs: () => theirs };
}

const stored = (/** @type {number} */ version) => ({
  status: 200,
  body: { version, saved_at: "2026-01-02T14:03:21Z" },
});

test("answers are the same in any order of their names", () => {
  assert.ok(sameAnswers({ a: 1, b: { state: "cannot_judge" } }, { b: { state: "cannot_judge" }, a: 1 }));
  assert.ok(!sameAnswers({ a: 1 }, { a: 2 }));
  assert.ok(sameAnswers(undefined, {}));
});

test("a draft is kept until the server has it, and then forgotten", async () => {
  const { saver, sent, news, kept } = saverWith([stored(1)]);

  saver.change({ a: 1 });
  assert.deepEqual(kept().answers, { a: 1 });
  assert.equal(await saver.flush(), true);

  assert.deepEqual(sent, [{ version: 0, answers: { a: 1 }, worked_s: 12 }]);
  assert.deepEqual(news, ["saving", "saved"]);
  assert.equal(kept(), null);
});

test("what changes during a save goes out after it, on the new version", async () => {
  const { saver, sent, news } = saverWith([
    () => {
      saver.change({ a: 2 });
      return stored(1);
    },
    stored(2),
  ]);

  saver.change({ a: 1 });
  await saver.flush();

  assert.deepEqual(sent.map((one) => [one.version, one.answers.a]), [[0, 1], [1, 2]]);
  assert.deepEqual(news, ["saving", "saving", "saved"]);
});

test("without a connection it never says saved, keeps the draft and tries again", async () => {
  const { saver, sent, news, kept } = saverWith([{ status: 0, body: {} }, stored(1)]);

  saver.change({ a: 1 });
  assert.equal(await saver.flush(), false);
  assert.deepEqual(news, ["saving", "offline"]);
  assert.deepEqual(kept().answers, { a: 1 });
  assert.equal(await saver.flush(), true);

  assert.equal(sent.length, 2);
  assert.equal(news.at(-1), "saved");
});

test("a newer draft of another tab is shown and not overwritten", async () => {
  const { saver, sent, news, theirs } = saverWith([
    { status: 409, body: { version: 7, answers: { a: 3 }, message: "newer" } },
    stored(8),
  ]);

  saver.change({ a: 1 });
  assert.equal(await saver.flush(), false);
  assert.deepEqual(theirs(), { a: 3 });
  assert.equal(news.at(-1), "theirs");
  saver.change({ a: 3, b: 1 });
  await saver.flush();

  assert.equal(sent.at(-1).version, 7);
});

test("a save whose answer was lost is not taken for another tab's", async () => {
  const { saver, sent, news, theirs } = saverWith([
    { status: 0, body: {} },
    { status: 409, body: { version: 1, answers: { a: 1 } } },
    stored(2),
  ]);

  saver.change({ a: 1 });
  await saver.flush();
  saver.change({ a: 1, b: 2 });
  assert.equal(await saver.flush(), true);

  assert.equal(theirs(), null);
  assert.deepEqual(sent.at(-1), { version: 1, answers: { a: 1, b: 2 }, worked_s: 12 });
  assert.equal(news.at(-1), "saved");
});

test("after signing in again the save is replayed", async () => {
  const { saver, sent, news } = saverWith([{ status: 401, body: {} }, stored(1)]);

  saver.change({ a: 1 });
  assert.equal(await saver.flush(), true);

  assert.equal(sent.length, 2);
  assert.deepEqual(news, ["saving", "signed-out", "saving", "saved"]);
});

test("another person who signs in gets nothing of the draft", async () => {
  const { saver, sent, kept } = saverWith([{ status: 401, body: {} }], {
    signIn: async () => false,
  });

  saver.change({ a: 1 });
  assert.equal(await saver.flush(), false);

  assert.equal(sent.length, 1);
  assert.deepEqual(kept().answers, { a: 1 });
});

test("an ended assignment is not saved to again", async () => {
  const { saver, sent, news } = saverWith([{ status: 410, body: { message: "ended" } }]);

  saver.change({ a: 1 });
  await saver.flush();
  saver.change({ a: 2 });
  await saver.flush();

  assert.equal(sent.length, 1);
  assert.equal(news.at(-1), "ended");
});

test("opening takes the unsent copy that stands on the server's version", () => {
  const theirs = { version: 3, answers: { a: 1 } };

  assert.deepEqual(reconcile(theirs, { base: 3, answers: { a: 2 }, sent: null }), {
    answers: { a: 2 },
    isUnsent: true,
    isOutdated: false,
  });
  assert.equal(reconcile(theirs, null).isUnsent, false);
  assert.equal(reconcile(theirs, { base: 1, answers: { a: 1 }, sent: null }).isOutdated, false);
});

test("opening takes the unsent copy when the server has only what this browser sent", () => {
  const theirs = { version: 4, answers: { a: 1 } };
  const mine = { base: 3, answers: { a: 1, b: 2 }, sent: { a: 1 } };

  assert.equal(reconcile(theirs, mine).isUnsent, true);
});

test("opening shows another tab's newer draft and says so", () => {
  const theirs = { version: 9, answers: { a: 3 } };
  const mine = { base: 3, answers: { a: 2 }, sent: { a: 1 } };

  assert.deepEqual(reconcile(theirs, mine), {
    answers: { a: 3 },
    isUnsent: false,
    isOutdated: true,
  });
});

test("a submission goes out with one key until the server has spoken", async () => {
  /** @type {any[]} */ const sent = [];
  /** @type {number[]} */ const waits = [];
  /** @type {string[]} */ const news = [];
  const answers = [
    { status: 0, body: {} },
    { status: 503, body: {} },
    { status: 401, body: {} },
    { status: 200, body: { next: "/next" } },
  ];

  const answer = await submitUntilAnswered({
    post: async (_, body) => {
      sent.push(body);
      return /** @type {Answer} */ (answers.shift());
    },
    url: "/submit",
    body: { client_key: "k" },
    say: (what) => news.push(what),
    signIn: async () => true,
    wait: async (ms) => void waits.push(ms),
  });

  assert.equal(answer.status, 200);
  assert.deepEqual(sent, Array(4).fill({ client_key: "k" }));
  assert.deepEqual(waits, [1000, 2000]);
  assert.ok(!news.includes("saved"));
});
