// @ts-check
/**
 * The browser's own memory, which a person may have switched off or filled up.
 *
 * All keys begin with `earwitness:`. Keys with a rater's code in them hold unsent work
 * and go at sign-out; those of `earwitness-look:` are the person's taste and stay.
 */

/** @param {() => Storage} open */
function careful(open) {
  return {
    /**
     * @param {string} key
     * @returns {any} what was put, or null
     */
    get(key) {
      try {
        return JSON.parse(open().getItem(key) ?? "null");
      } catch {
        return null;
      }
    },
    /**
     * @param {string} key
     * @param {unknown} value
     */
    put(key, value) {
      try {
        open().setItem(key, JSON.stringify(value));
      } catch {
        // Full or forbidden: the page still holds what it has.
      }
    },
    /** @param {string} key */
    drop(key) {
      try {
        open().removeItem(key);
      } catch {
        // Nothing was kept, so nothing is left behind.
      }
    },
    /** @param {string} prefix */
    dropAll(prefix) {
      try {
        for (const key of Object.keys(open())) {
          if (key.startsWith(prefix)) open().removeItem(key);
        }
      } catch {
        // As above.
      }
    },
  };
}

/** @typedef {ReturnType<typeof careful>} Store */

export const kept = careful(() => window.localStorage);
export const keptForThisTab = careful(() => window.sessionStorage);
