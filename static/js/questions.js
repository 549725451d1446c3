// @ts-check
/**
 * The questions of a desk: answers read and shown, locks, faults, the mark.
 *
 * Reads: `fieldset[data-question="<name>"]` with `data-part`, `data-required`, radios
 *   whose value is the answer; `[data-question-text="<name>"]` for written answers;
 *   `[data-lock="<part>"]`, the words that say what unlocks a part's questions.
 * Tells: `question:change` on the document, detail `{name, by: "pointer" | "keyboard" |
 *   "digit"}`, where keyboard is an arrow that may only be passing by;
 *   `question:mark` when another question is marked.
 */

/** @typedef {import("./saving.js").Answers} Answers */

export class Questions {
  /** @type {HTMLFieldSetElement[]} */ #groups;
  /** @type {(HTMLTextAreaElement | HTMLInputElement)[]} */ #texts;
  /** @type {string | null} */ #marked = null;
  /** @type {Answers} Answers that no control shows, such as "cannot judge". */
  #other = {};
  /** @type {"pointer" | "keyboard"} */ #by = "pointer";

  constructor() {
    this.#groups = [...document.querySelectorAll("fieldset[data-question]")].map(
      (one) => /** @type {HTMLFieldSetElement} */ (one),
    );
    this.#texts = [...document.querySelectorAll("[data-question-text]")].map(
      (one) => /** @type {HTMLTextAreaElement} */ (one),
    );
    document.addEventListener("pointerdown", () => (this.#by = "pointer"), true);
    document.addEventListener(
      "keydown",
      // The space bar chooses as deliberately as a pointer does; arrows pass by.
      (event) => (this.#by = event.key === " " ? "pointer" : "keyboard"),
      true,
    );
    for (const group of this.#groups) {
      const name = this.nameOf(group);
      group.addEventListener("change", () => this.#changed(name));
      group.addEventListener("focusin", () => this.mark(name));
    }
    for (const text of this.#texts) {
      text.addEventListener("input", () => this.#changed(text.name));
    }
  }

  /** @param {HTMLElement} group */
  nameOf(group) {
    return group.dataset.question ?? "";
  }

  /** @param {string | null} name */
  group(name) {
    return this.#groups.find((group) => this.nameOf(group) === name);
  }

  /** What `next_step.js` works with, in the order of the page. */
  get list() {
    return this.#groups.map((group) => ({
      name: this.nameOf(group),
      part: group.dataset.part ?? "",
      required: group.dataset.required === "true",
      answered: this.#isAnswered(group),
      unlocked: group.dataset.locked !== "true",
    }));
  }

  /** @returns {Answers} */
  get answers() {
    /** @type {Answers} */
    const answers = { ...this.#other };
    for (const group of this.#groups) {
      const radio = this.#chosen(group);
      if (!radio) continue;
      answers[this.nameOf(group)] = group.hasAttribute("data-numeric")
        ? Number(radio.value)
        : radio.value;
    }
    for (const text of this.#texts) {
      if (text.value.trim()) answers[text.name] = text.value;
    }
    return answers;
  }

  /**
   * Show these answers and no others.
   *
   * @param {Answers} answers
   */
  show(answers) {
    this.#other = { ...answers };
    for (const group of this.#groups) {
      const name = this.nameOf(group);
      for (const radio of this.#radios(group)) {
        radio.checked = radio.value === String(answers[name]);
        if (radio.checked) delete this.#other[name];
      }
      this.#showState(group);
    }
    for (const text of this.#texts) {
      const answer = answers[text.name];
      delete this.#other[text.name];
      // A person who is typing is not interrupted by their own earlier words.
      const shown = typeof answer === "string" ? answer : "";
      if (text.value !== shown) text.value = shown;
    }
  }

  /**
   * Choose the point with this value, or by place where values are words.
   *
   * @param {string} name
   * @param {number} digit
   * @returns {boolean} whether there was such a point to choose
   */
  choose(name, digit) {
    const group = this.group(name);
    if (!group || group.dataset.locked === "true") return false;
    const radios = this.#radios(group);
    const radio = group.hasAttribute("data-numeric")
      ? radios.find((one) => Number(one.value) === digit)
      : radios[digit - 1];
    if (!radio) return false;
    radio.checked = true;
    this.#changed(name, false);
    return true;
  }

  /**
   * "Cannot judge" is an answer, and not the same as none. A second time takes it back.
   *
   * @param {string} name
   * @returns {boolean}
   */
  cannotJudge(name) {
    const group = this.group(name);
    if (!group || group.dataset.locked === "true") return false;
    const isTakenBack = typeof this.#other[name] === "object";
    for (const radio of this.#radios(group)) radio.checked = false;
    this.#changed(name, false);
    if (!isTakenBack) this.#other[name] = { state: "cannot_judge" };
    this.#showState(group);
    return true;
  }

  get marked() {
    return this.#marked;
  }

  /** @param {string | null} name */
  mark(name) {
    this.#marked = name;
    for (const group of this.#groups) {
      group.toggleAttribute("data-marked", this.nameOf(group) === name);
    }
    document.dispatchEvent(new CustomEvent("question:mark", { detail: { name } }));
  }

  /** Keep the focus with the mark, for those whose focus is among the radios. */
  focusMarked() {
    const group = this.group(this.#marked);
    if (!group) return;
    (this.#chosen(group) ?? this.#radios(group)[0])?.focus({ preventScroll: true });
  }

  /**
   * @param {(part: string) => boolean} isOpen
   */
  lock(isOpen) {
    for (const group of this.#groups) {
      const locked = !isOpen(group.dataset.part ?? "");
      group.dataset.locked = String(locked);
      for (const radio of this.#radios(group)) radio.disabled = locked;
    }
    for (const words of document.querySelectorAll("[data-lock]")) {
      const open = isOpen(words.getAttribute("data-lock") ?? "");
      words.toggleAttribute("hidden", open);
    }
  }

  /**
   * Say what unlocks a part: its own recording, or the one that all share.
   *
   * @param {(part: string) => boolean} isOwnHeard
   */
  explainLocks(isOwnHeard) {
    for (const words of document.querySelectorAll("[data-lock]")) {
      if (!(words instanceof HTMLElement)) continue;
      const { lock = "", own = "", shared = "" } = words.dataset;
      const text = isOwnHeard(lock) ? shared : own;
      if (words.textContent !== text) words.textContent = text;
    }
  }

  /** Nothing can be changed any more. */
  freeze() {
    this.lock(() => false);
    for (const group of this.#groups) group.toggleAttribute("data-frozen", true);
    for (const words of document.querySelectorAll("[data-lock]")) {
      words.setAttribute("hidden", "");
    }
    for (const text of this.#texts) text.readOnly = true;
  }

  /**
   * Say what is wrong where it is wrong.
   *
   * @param {Record<string, string>} faults  by question
   * @returns {{first: HTMLElement | null, homeless: string[]}} where to look first, and
   *   what belongs to no question of this page
   */
  showFaults(faults) {
    /** @type {HTMLElement | null} */
    let first = null;
    const left = { ...faults };
    for (const group of this.#groups) {
      const name = this.nameOf(group);
      this.#say(group, left[name] ?? "");
      if (!left[name]) continue;
      delete left[name];
      first ??= this.#radios(group).find((radio) => !radio.disabled) ?? group;
    }
    for (const text of this.#texts) {
      const place = text.closest("[data-question-place]");
      if (place) this.#say(place, left[text.name] ?? "");
      if (left[text.name]) first ??= text;
      delete left[text.name];
    }
    return { first, homeless: Object.values(left) };
  }

  /** @param {HTMLFieldSetElement} group */
  #radios(group) {
    return /** @type {HTMLInputElement[]} */ ([
      ...group.querySelectorAll("input[type=radio]"),
    ]);
  }

  /** @param {HTMLFieldSetElement} group */
  #chosen(group) {
    return this.#radios(group).find((radio) => radio.checked);
  }

  /** @param {HTMLFieldSetElement} group */
  #isAnswered(group) {
    return !!this.#chosen(group) || this.nameOf(group) in this.#other;
  }

  /**
   * @param {Element} place
   * @param {string} text
   */
  #say(place, text) {
    const words = place.querySelector("[data-question-fault]");
    if (!words) return;
    words.textContent = text;
    words.toggleAttribute("hidden", !text);
    place.toggleAttribute("data-fault", !!text);
  }

  /** @param {HTMLFieldSetElement} group */
  #showState(group) {
    const other = this.#other[this.nameOf(group)];
    group.toggleAttribute("data-cannot-judge", typeof other === "object");
    group
      .querySelector("[data-cannot-judge-words]")
      ?.toggleAttribute("hidden", typeof other !== "object");
  }

  /**
   * @param {string} name
   * @param {boolean} [isInput]  from a control itself
   */
  #changed(name, isInput = true) {
    delete this.#other[name];
    const group = this.group(name);
    if (group) {
      this.#showState(group);
      this.#say(group, "");
    }
    const by = isInput ? this.#by : "digit";
    queueMicrotask(() =>
      document.dispatchEvent(
        new CustomEvent("question:change", { detail: { name, by } }),
      ),
    );
  }
}
