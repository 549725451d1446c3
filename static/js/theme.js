// @ts-check
/**
 * Light or dark. A classic script in the head, so that no page flashes.
 *
 * Reads: `button[data-theme-toggle]`, which turns the present look round. A choice that
 *   is what the system asks for anyway is forgotten, so that the page follows it again.
 * Tells: `theme:change` on the document, for what is drawn and not styled.
 */
(() => {
  const KEY = "earwitness-look:theme";
  const asksDark = window.matchMedia("(prefers-color-scheme: dark)");

  /** @returns {string | null} */
  const chosen = () => {
    try {
      const value = window.localStorage.getItem(KEY);
      return value === "dark" || value === "light" ? value : null;
    } catch {
      return null;
    }
  };

  const show = (tell = true) => {
    const look = chosen() ?? (asksDark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = look;
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.setAttribute("aria-pressed", String(look === "dark"));
    }
    if (tell) document.dispatchEvent(new CustomEvent("theme:change"));
  };

  const turn = () => {
    const look = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      if ((look === "dark") === asksDark.matches) window.localStorage.removeItem(KEY);
      else window.localStorage.setItem(KEY, look);
      show();
    } catch {
      document.documentElement.dataset.theme = look;
      document.dispatchEvent(new CustomEvent("theme:change"));
    }
  };

  show(false);
  asksDark.addEventListener("change", () => show());
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) show();
  });
  document.addEventListener("DOMContentLoaded", () => {
    show();
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.addEventListener("click", turn);
    }
  });
})();
