// @ts-check
/**
 * Panels that open beside the work and never cover a question in focus for long.
 *
 * Reads: `button[data-opens="<id>"]` with `aria-expanded`; the panel by its id.
 *   One panel is open at a time; Escape and `[data-close]` shut it and give the focus back.
 */

/** @param {Element} button */
function panelOf(button) {
  const id = button.getAttribute("data-opens") ?? "";
  return /** @type {HTMLElement | null} */ (document.getElementById(id));
}

const buttons = () =>
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-opens]"));

/**
 * Shut what is open.
 *
 * @returns {boolean} whether there was something to shut
 */
export function shutPanels() {
  let shut = false;
  for (const button of buttons()) {
    const panel = panelOf(button);
    if (!panel || panel.hidden) continue;
    const hadFocus = panel.contains(document.activeElement);
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (hadFocus) button.focus({ preventScroll: true });
    shut = true;
  }
  return shut;
}

/** @param {string} id */
export function togglePanel(id) {
  const panel = document.getElementById(id);
  const button = document.querySelector(`[data-opens="${id}"]`);
  if (!panel || !button) return;
  const opens = panel.hidden;
  shutPanels();
  if (!opens) return;
  panel.hidden = false;
  button.setAttribute("aria-expanded", "true");
  panel.focus({ preventScroll: true });
}

export function bindPanels() {
  for (const button of buttons()) {
    button.addEventListener("click", () =>
      togglePanel(button.getAttribute("data-opens") ?? ""),
    );
    panelOf(button)
      ?.querySelector("[data-close]")
      ?.addEventListener("click", () => shutPanels());
  }
}
