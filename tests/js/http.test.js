import assert from "node:assert/strict";
import { test } from "node:test";

import { backoffMs, cookie, isNoAnswer, poster } from "../../static/js/http.js";

/**
 * @param {number} status
 * @param {unknown} body
 */
const json = (status, body) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });

/** @param {(Response | Error)[]} answers */
function farEnd(answers) {
  /** @type {{url: string, options: any}[]} */
  const asked = [];
  const fetch = async (/** @type {any} */ url, /** @type {any} */ options) => {
    asked.push({ url, options });
    const answer = answers.shift();
    if (!answer || answer instanceof Error) throw answer ?? new TypeError("no answer");
    return answer;
  };
  return { asked, fetch: /** @type {typeof globalThis.fetch} */ (fetch) };
}

test("a cookie is found by its whole name", () => {
  assert.equal(cookie("xcsrftoken=no; csrftoken=a%3Db=c", "csrftoken"), "a=b=c");
  assert.equal(cookie("", "csrftoken"), "");
});

test("waiting doubles up to half a minute", () => {
  assert.deepEqual([1, 2, 3, 9].map(backoffMs), [1000, 2000, 4000, 30_000]);
});

test("silence and trouble say nothing about the work", () => {
  assert.deepEqual([0, 429, 500, 503].map(isNoAnswer), [true, true, true, true]);
  assert.deepEqual([200, 400, 401, 409, 410].some(isNoAnswer), false);
});

test("a post carries the token and the body", async () => {
  const { asked, fetch } = farEnd([json(200, { version: 2 })]);
  const post = poster("/renew", { fetch, jar: () => "csrftoken=t1" });

  const answer = await post("/draft", { version: 1 });

  assert.deepEqual(answer, { status: 200, body: { version: 2 } });
  assert.equal(asked[0].options.headers["X-CSRFToken"], "t1");
  assert.equal(asked[0].options.headers.Accept, "application/json");
  assert.equal(asked[0].options.body, '{"version":1}');
});

test("a stale token is renewed once and the post repeated", async () => {
  let token = "old";
  const { asked, fetch } = farEnd([json(403, { csrf: true }), json(200, {}), json(200, {})]);
  const renewing = async (/** @type {any} */ url, /** @type {any} */ options) => {
    if (url === "/renew") token = "new";
    return fetch(url, options);
  };
  const post = poster("/renew", { fetch: renewing, jar: () => `csrftoken=${token}` });

  const answer = await post("/submit", {});

  assert.equal(answer.status, 200);
  assert.deepEqual(
    asked.map(({ url, options }) => [url, options.headers?.["X-CSRFToken"]]),
    [["/submit", "old"], ["/renew", undefined], ["/submit", "new"]],
  );
});

test("a token that stays stale is told, not tried for ever", async () => {
  const { asked, fetch } = farEnd([json(403, { csrf: true }), json(200, {}), json(403, { csrf: true })]);
  const post = poster("/renew", { fetch, jar: () => "" });

  assert.equal((await post("/submit", {})).status, 403);
  assert.equal(asked.length, 3);
});

test("no connection is no exception, and a page in place of an answer is none", async () => {
  const page = new Response("<html>", { headers: { "Content-Type": "text/html" } });
  const { fetch } = farEnd([new TypeError("gone"), page]);
  const post = poster("/renew", { fetch, jar: () => "" });

  assert.deepEqual(await post("/draft", {}), { status: 0, body: {} });
  assert.deepEqual(await post("/draft", {}), { status: 0, body: {} });
});
