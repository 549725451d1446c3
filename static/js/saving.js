// @ts-check
/**
 * Answers on their way to the server: drafts as they change, and the submission.
 *
 * Nothing here touches a page; what happens is told through `say`. `worked_s` is the
 * time worked on this assignment so far, and `plays` the plays so far: the server keeps
 * the largest it was sent.
 *
 * @typedef {Record<string, number | string | {state: string}>} Answers
 * @typedef {{base: number, answers: Answers, sent: Answers | null}} KeptDraft
 *
 * @typedef {"saving" | "saved" | "offline" | "theirs" | "ended" | "signed-out" | "refused"} News
 * @typedef {(news: News, detail: {message?: string, at?: string}) => void} Say
 */
import { backoffMs, isNoAnswer } from "./http.js";

const SETTLE_MS = 400;

/**
 * Whether two sets of answers are the same, whatever the order of their names.
 *
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
export function sameAnswers(a, b) {
  const plain = (/** @type {any} */ value) =>
    JSON.stringify(value ?? {}, (_, inner) =>
      inner && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
        : inner,
    );
  return plain(a) === plain(b);
}

/**
 * What to show on opening, given the server's draft and the browser's unsent copy.
 *
 * The copy wins when it stands on the server's version, or when the server's version is
 * only what this browser had sent and not seen acknowledged. Otherwise another tab has
 * saved since, and the server's stands.
 *
 * @param {{version: number, answers: Answers}} theirs
 * @param {KeptDraft | null} mine
 * @returns {{answers: Answers, isUnsent: boolean, isOutdated: boolean}}
 */
export function reconcile(theirs, mine) {
  if (!mine || sameAnswers(mine.answers, theirs.answers)) {
    return { answers: theirs.answers, isUnsent: false, isOutdated: false };
  }
  const standsOnIt =
    mine.base === theirs.version ||
    (mine.sent !== null && sameAnswers(mine.sent, theirs.answers));
  return standsOnIt
    ? { answers: mine.answers, isUnsent: true, isOutdated: false }
    : { answers: theirs.answers, isUnsent: false, isOutdated: true };
}

/** Saves a draft after each change, one request at a time, until it is acknowledged. */
export class DraftSaver {
  #parts;
  #version;
  /** @type {Answers} */ #answers;
  /** @type {Answers | null} */ #sent = null;
  #dirty = false;
  #failures = 0;
  #stopped = false;
  /** @type {Promise<boolean> | null} */ #running = null;
  /** @type {any} */ #timer = null;

  /**
   * @param {object} parts
   * @param {import("./http.js").Post} parts.post
   * @param {string} parts.url
   * @param {number} parts.version      the server's, 0 for none
   * @param {Answers} parts.answers
   * @param {() => number} parts.workedS
   * @param {Say} parts.say
   * @param {(draft: KeptDraft) => void} parts.keep   into the browser's own memory
   * @param {() => void} parts.forget                 out of it again
   * @param {(answers: Answers) => void} parts.showTheirs
   * @param {() => Promise<boolean>} parts.signIn     true: the same person is back
   */
  constructor(parts) {
    this.#parts = parts;
    this.#version = parts.version;
    this.#answers = parts.answers;
  }

  get isDirty() {
    return this.#dirty;
  }

  /** @param {Answers} answers */
  change(answers) {
    if (this.#stopped) return;
    this.#answers = answers;
    this.#dirty = true;
    this.#keep();
    this.#later(SETTLE_MS);
  }

  /** Try now, for instance because the network is back. */
  hurry() {
    if (this.#dirty && !this.#stopped) this.#later(0);
  }

  /**
   * Save what is unsaved, now. True when the server has all of it.
   *
   * @returns {Promise<boolean>}
   */
  async flush() {
    clearTimeout(this.#timer);
    while (this.#dirty && !this.#stopped) {
      if (!(await this.#send())) return false;
    }
    return !this.#dirty;
  }

  /** The last words of a page that is being left; nobody waits for the answer. */
  farewell() {
    if (!this.#dirty || this.#stopped) return;
    this.#sent = this.#answers;
    this.#keep();
    void this.#parts.post(this.#parts.url, this.#message(), { keepalive: true });
  }

  /** No more drafts: a submission is under way, or the assignment has ended. */
  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    return this.#running ?? Promise.resolve(false);
  }

  /** The submission did not go through after all. */
  resume() {
    this.#stopped = false;
    if (this.#dirty) this.#later(SETTLE_MS);
  }

  #message() {
    return {
      version: this.#version,
      answers: this.#answers,
      worked_s: Math.round(this.#parts.workedS()),
    };
  }

  #keep() {
    this.#parts.keep({
      base: this.#version,
      answers: this.#answers,
      sent: this.#sent,
    });
  }

  /** @param {number} ms */
  #later(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#send(), ms);
  }

  #send() {
    this.#running ??= this.#sendOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** @returns {Promise<boolean>} whether it was stored */
  async #sendOnce() {
    if (this.#stopped) return false;
    if (!this.#dirty) return true;
    const { say } = this.#parts;
    const sending = this.#answers;
    say("saving", {});
    // An earlier attempt may have been stored without our knowing.
    const before = this.#sent;
    this.#sent = sending;
    this.#keep();
    const { status, body } = await this.#parts.post(this.#parts.url, this.#message());
    if (status === 200) {
      this.#failures = 0;
      this.#version = body.version;
      this.#dirty = this.#answers !== sending;
      if (this.#dirty) {
        this.#keep();
        if (!this.#stopped) this.#later(SETTLE_MS);
      } else {
        this.#parts.forget();
        say("saved", { at: body.saved_at });
      }
      return true;
    }
    if (isNoAnswer(status)) {
      this.#failures += 1;
      say("offline", {});
      if (!this.#stopped) this.#later(backoffMs(this.#failures));
      return false;
    }
    if (status === 409) {
      this.#version = body.version;
      const ours = [before, sending].some((one) => one && sameAnswers(one, body.answers));
      if (ours) {
        this.#dirty = !sameAnswers(this.#answers, body.answers);
        if (this.#dirty) return this.#sendOnce();
        this.#parts.forget();
        say("saved", { at: body.saved_at });
        return true;
      }
      this.#answers = body.answers;
      this.#dirty = false;
      this.#parts.forget();
      this.#parts.showTheirs(body.answers);
      say("theirs", { message: body.message });
      return false;
    }
    if (status === 401) {
      say("signed-out", {});
      if (await this.#parts.signIn()) return this.#sendOnce();
      return false;
    }
    if (status === 410) {
      void this.stop();
      say("ended", { message: body.message });
      return false;
    }
    say("refused", { message: body?.message });
    return false;
  }
}

/**
 * Send a submission until the server has said something about it.
 *
 * The same body, hence the same client key, goes out each time.
 *
 * @param {object} parts
 * @param {import("./http.js").Post} parts.post
 * @param {string} parts.url
 * @param {unknown} parts.body
 * @param {Say} parts.say
 * @param {() => Promise<boolean>} parts.signIn
 * @param {(ms: number) => Promise<void>} parts.wait
 * @returns {Promise<import("./http.js").Answer>} 401 only when another person signed in
 */
export async function submitUntilAnswered({ post, url, body, say, signIn, wait }) {
  for (let failures = 0; ; ) {
    say("saving", {});
    const answer = await post(url, body);
    if (isNoAnswer(answer.status)) {
      failures += 1;
      say("offline", {});
      await wait(backoffMs(failures));
    } else if (answer.status === 401) {
      say("signed-out", {});
      if (!(await signIn())) return answer;
    } else {
      return answer;
    }
  }
}
