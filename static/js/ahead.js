// @ts-check
/** The next item's recordings, fetched once those of this page are there. */

/**
 * @param {import("./http.js").Post} post
 * @param {string} url
 * @param {HTMLAudioElement[]} audios  of this page
 */
export async function fetchAhead(post, url, audios) {
  await Promise.all(audios.map(loaded));
  const { status, body } = await post(url, {});
  if (status !== 200) return;
  for (const next of body.urls ?? []) {
    try {
      // Read to the end, so that the browser keeps the whole of it.
      const options = /** @type {RequestInit} */ ({ priority: "low" });
      await (await fetch(next, options)).arrayBuffer();
    } catch {
      return;
    }
  }
}

/** @param {HTMLAudioElement} audio */
function loaded(audio) {
  return new Promise((resolve) => {
    if (audio.readyState >= HTMLMediaElement.HAVE_ENOUGH_DATA) resolve(null);
    audio.addEventListener("canplaythrough", resolve, { once: true });
  });
}
