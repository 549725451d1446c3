// @ts-check
/**
 * JSON to the server and back, with Django's token.
 *
 * @typedef {{status: number, body: any}} Answer  `status` is 0 when nothing came back
 * @typedef {(url: string, body: unknown, options?: {keepalive?: boolean}) => Promise<Answer>} Post
 */

const PATIENCE_MS = 30_000;

/**
 * @param {string} jar  as in `document.cookie`
 * @param {string} name
 * @returns {string}
 */
export function cookie(jar, name) {
  for (const pair of jar.split(";")) {
    const [key, ...value] = pair.trim().split("=");
    if (key === name) return decodeURIComponent(value.join("="));
  }
  return "";
}

/**
 * How long to wait before trying again: 1, 2, 4 … 30 seconds.
 *
 * @param {number} failures  how many attempts have failed, from 1
 * @returns {number} milliseconds
 */
export function backoffMs(failures) {
  return Math.min(30_000, 1000 * 2 ** Math.max(0, failures - 1));
}

/**
 * Whether an answer says nothing about the work: no connection, or a server in trouble.
 *
 * @param {number} status
 * @returns {boolean}
 */
export function isNoAnswer(status) {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

/**
 * A `post` that renews a stale token once. It never throws.
 *
 * @param {string} renewUrl  a GET of it sets a fresh `csrftoken` cookie
 * @param {{fetch?: typeof fetch, jar?: () => string}} [parts]  replaced in tests
 * @returns {Post}
 */
export function poster(renewUrl, parts = {}) {
  const send = parts.fetch ?? ((...args) => window.fetch(...args));
  const jar = parts.jar ?? (() => document.cookie);

  /** @type {Post} */
  const once = async (url, body, options = {}) => {
    try {
      const response = await send(url, {
        method: "POST",
        credentials: "same-origin",
        keepalive: options.keepalive ?? false,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": cookie(jar(), "csrftoken"),
        },
        body: JSON.stringify(body),
        signal: options.keepalive ? undefined : AbortSignal.timeout(PATIENCE_MS),
      });
      const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
      // A sign-in page in place of an answer is a 401 that was redirected.
      if (response.redirected && !isJson) return { status: 401, body: {} };
      if (response.ok && !isJson) return { status: 0, body: {} };
      return { status: response.status, body: isJson ? await response.json() : {} };
    } catch {
      return { status: 0, body: {} };
    }
  };

  return async (url, body, options = {}) => {
    const answer = await once(url, body, options);
    if (answer.status !== 403 || answer.body?.csrf !== true) return answer;
    try {
      await send(renewUrl, { credentials: "same-origin", cache: "no-store" });
    } catch {
      return { status: 0, body: {} };
    }
    return once(url, body, options);
  };
}
