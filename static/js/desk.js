// @ts-check
/**
 * The desk: binds players, questions, keys and saving to one page.
 *
 * Reads: what `desk_parts.js`, `player.js`, `questions.js`, `panels.js`, `leaving.js`,
 *   `sign_in_here.js` and `worked.js` read; `[data-submit]`, `[data-anchors]`,
 *   `[data-letters]`, `[data-cannot-judge-marked]`.
 * Shows: `data-next` on the one thing to do next.
 */
import { fetchAhead } from "./ahead.js";
import { clientKey } from "./client_key.js";
import {
  deskState,
  deskWords,
  find,
  notice,
  statusPlace,
  waitOrOnline,
} from "./desk_parts.js";
import { poster } from "./http.js";
import { listenForKeys } from "./keys.js";
import { bindLeaving } from "./leaving.js";
import { ListeningReport, withUndelivered } from "./listening.js";
import { isUnlocked, neighbour, nextStep, nextToMark } from "./next_step.js";
import { bindPanels, shutPanels, togglePanel } from "./panels.js";
import { pauseAll, Player } from "./player.js";
import { Questions } from "./questions.js";
import { DraftSaver, reconcile, submitUntilAnswered } from "./saving.js";
import { signInHere } from "./sign_in_here.js";
import { kept, keptForThisTab } from "./store.js";
import { countWork } from "./worked.js";

const LETTERS = "earwitness-look:letters";
const ANCHORS = "earwitness-look:anchors";
const DRAFT_PATIENCE_MS = 2000;

const desk = deskState();
const words = deskWords();
const place = `earwitness:${desk.rater}:${desk.assignment}`;
const post = poster(desk.urls.signIn);
const say = statusPlace(words);
const questions = new Questions();
const submitButton = /** @type {HTMLButtonElement} */ (find("[data-submit]"));
let ended = false;
let submitting = false;

const workedS = countWork(`${place}:worked`, desk.workedS ?? 0, words.minutes);

// --- Recordings -------------------------------------------------------------------
const players = withUndelivered(desk.recordings, `${place}:heard`).map(
  (recording) =>
    new Player(find(`[data-player="${recording.id}"]`), recording, {
      toleranceS: desk.toleranceS,
      words: /** @type {any} */ (words),
    }),
);
let current = players[0];
const report = new ListeningReport({
  post,
  url: desk.urls.listening,
  place: `${place}:heard`,
  players: () => players,
});

// --- Where things stand -----------------------------------------------------------
const recordings = () =>
  players.map(({ recording: { id, part }, isHeard }) => ({ id, part, heard: isHeard }));

function refresh() {
  if (ended) return;
  questions.lock((part) => isUnlocked(desk.gate, part, recordings()));
  questions.explainLocks((part) =>
    players.every((one) => one.recording.part !== part || one.isHeard),
  );
  const step = nextStep(desk.gate, recordings(), questions.list);
  if (step.kind === "play") pointAt(find(`[data-player="${step.id}"]`));
  else if (step.kind === "rate") pointAt(questions.group(step.name) ?? null);
  else pointAt(submitButton);
}

/** @param {Element | null} thing  the one thing to do next */
function pointAt(thing) {
  for (const element of document.querySelectorAll("[data-next]")) {
    if (element !== thing) element.removeAttribute("data-next");
  }
  thing?.setAttribute("data-next", "");
}

const isComplete = () =>
  questions.list.every((group) => group.answered || !group.required);

/** Mark the next open question, unless the marked one is still open. */
function markOpen() {
  const marked = questions.list.find((group) => group.name === questions.marked);
  if (marked && marked.unlocked && !marked.answered) return;
  const next = nextToMark(questions.list, null);
  if (next) questions.mark(next);
}

document.addEventListener("player:start", (event) => {
  current = /** @type {CustomEvent} */ (event).detail;
});
document.addEventListener("player:heard", () => {
  refresh();
  markOpen();
});
document.addEventListener("player:lost", async (event) => {
  // The link may be fine and the person signed out; a byte of it tells.
  const player = /** @type {Player} */ (/** @type {CustomEvent} */ (event).detail);
  try {
    const options = { headers: { Range: "bytes=0-0" }, cache: /** @type {const} */ ("no-store") };
    const answer = await fetch(player.recording.url, options);
    if (answer.status !== 401 && !answer.redirected) return;
  } catch {
    return;
  }
  say("signed-out", {});
  await signIn();
});

// --- Saving -----------------------------------------------------------------------
async function signIn() {
  pointAt(null);
  const same = await signInHere(post, desk.urls.signIn, desk.rater, words.unreachable);
  if (same) refresh();
  else endWith("");
  return same;
}

/** @param {string} message */
function endWith(message) {
  ended = true;
  void saver.stop();
  report.stop();
  pauseAll();
  questions.freeze();
  submitButton.disabled = true;
  pointAt(null);
  if (!message) return;
  const label = words.home;
  notice(message, { label, act: () => window.location.assign(desk.urls.home) });
  find("[data-notice-action]").focus();
}

const opening = reconcile(desk.draft, kept.get(place));
const saver = new DraftSaver({
  post,
  url: desk.urls.draft,
  version: desk.draft.version,
  answers: opening.answers,
  workedS,
  say: (news, detail) => {
    say(news, detail);
    if (news === "ended") endWith(detail.message || words.ended);
  },
  keep: (draft) => kept.put(place, draft),
  forget: () => kept.drop(place),
  showTheirs: (answers) => {
    questions.show(answers);
    refresh();
    markOpen();
  },
  signIn,
});

/** @param {Record<string, string>} faults */
function showFaults(faults) {
  const { first, homeless } = questions.showFaults(faults);
  notice(homeless.join(" "));
  if (first) {
    const name = first.closest("fieldset")?.dataset.question;
    if (name) questions.mark(name);
    first.scrollIntoView({ block: "nearest" });
    first.focus({ preventScroll: true });
  } else if (homeless.length) {
    find("[data-notice]").focus();
  }
}

async function submit() {
  if (submitting || ended) return;
  submitting = true;
  submitButton.disabled = true;
  submitButton.setAttribute("aria-busy", "true");
  notice("");
  questions.showFaults({});
  await Promise.race([
    saver.stop(),
    new Promise((resolve) => setTimeout(resolve, DRAFT_PATIENCE_MS)),
  ]);
  const key = clientKey(desk.rater, desk.assignment, desk.revision, desk.clientKey);
  const mine = questions.answers;
  const { status, body } = await submitUntilAnswered({
    post,
    url: desk.urls.submit,
    body: {
      client_key: key.key,
      revision: desk.revision,
      answers: mine,
      listening: report.map,
      worked_s: Math.round(workedS()),
    },
    say,
    signIn,
    wait: waitOrOnline,
  });
  if (status === 200) {
    say("saved", { at: body.saved_at });
    ended = true;
    report.stop();
    pauseAll();
    kept.drop(place);
    report.forget();
    key.spent();
    keptForThisTab.drop(`${place}:worked`);
    if (body.stored === "surplus" && body.message) {
      keptForThisTab.put("earwitness:said", body.message);
    }
    window.location.assign(body.next || desk.urls.home);
    return;
  }
  submitting = false;
  submitButton.removeAttribute("aria-busy");
  if (ended) return;
  submitButton.disabled = false;
  if (status === 410) {
    say("ended", { message: body.message });
    endWith(body.message || words.ended);
    return;
  }
  saver.resume();
  if (status === 400) {
    say("refused", { message: words.notSubmitted });
    showFaults(body.faults ?? { "": body.message || words.refused });
  } else if (status === 409) {
    key.spent();
    desk.clientKey = null;
    desk.revision = body.revision ?? desk.revision;
    questions.show(body.stored?.answers ?? mine);
    refresh();
    say("theirs", { message: words.notSubmitted });
    const putBack = () => {
      notice("");
      questions.show(mine);
      saver.change(mine);
      refresh();
      submitButton.focus();
    };
    notice(body.message || words.theirs, { label: words.putBack, act: putBack });
    find("[data-notice]").focus();
  } else {
    say("refused", { message: body.message });
    notice(body.message || words.refused);
  }
}

document.addEventListener("question:change", (event) => {
  const { name, by } = /** @type {CustomEvent} */ (event).detail;
  const wasComplete = isComplete() && submitButton.hasAttribute("data-next");
  saver.change(questions.answers);
  refresh();
  const group = questions.list.find((one) => one.name === name);
  if (!group || by === "keyboard") return;
  const next = nextToMark(questions.list, name);
  if (next) {
    const follows = by === "digit" && document.activeElement?.matches("[type=radio]");
    questions.mark(next);
    if (follows) questions.focusMarked();
  } else if (isComplete() && group.required && (by === "digit" || !wasComplete)) {
    submitButton.focus({ preventScroll: true });
  }
});

// --- Controls ---------------------------------------------------------------------
submitButton.addEventListener("click", (event) => {
  event.preventDefault();
  void submit();
});

const anchors = find("[data-anchors]");
/** @param {boolean} open */
function showAnchors(open) {
  document.documentElement.toggleAttribute("data-anchors-open", open);
  anchors.setAttribute("aria-pressed", String(open));
  kept.put(ANCHORS, open);
}
const anchorsOpen = () => document.documentElement.hasAttribute("data-anchors-open");
anchors.addEventListener("click", () => showAnchors(!anchorsOpen()));
showAnchors(kept.get(ANCHORS) === true);

const letters = /** @type {HTMLInputElement} */ (find("[data-letters]"));
const showLetters = () => {
  document.documentElement.toggleAttribute("data-letters-off", !letters.checked);
};
letters.checked = kept.get(LETTERS) !== false;
letters.addEventListener("change", () => {
  kept.put(LETTERS, letters.checked);
  showLetters();
});
showLetters();

const cannotJudge = /** @type {HTMLButtonElement} */ (find("[data-cannot-judge-marked]"));
document.addEventListener("question:mark", () => {
  const group = questions.group(questions.marked);
  cannotJudge.hidden = !group;
  const label = group?.getAttribute("aria-label") ?? "";
  cannotJudge.textContent = words.cannotJudge.replace("{question}", label);
});
cannotJudge.addEventListener("click", () => {
  const name = questions.marked;
  shutPanels();
  if (name) questions.cannotJudge(name);
});

listenForKeys(
  () => letters.checked,
  (meaning) => {
    if (meaning.kind === "close") return shutPanels();
    // A panel with the focus keeps its keys to itself.
    if (document.activeElement?.closest(".panel") && meaning.kind !== "help") return false;
    if (meaning.kind === "help") togglePanel("desk-help");
    else if (meaning.kind === "anchors") showAnchors(!anchorsOpen());
    else if (meaning.kind === "submit") void submit();
    else if (ended) return false;
    else if (meaning.kind === "play") {
      const part = { A: "A", B: "B", utterance: "", current: null }[meaning.which];
      const player =
        part === null ? current : players.find((one) => one.recording.part === part);
      if (!player) return false;
      player.toggle();
    } else if (meaning.kind === "mark") {
      const next = neighbour(questions.list, questions.marked, meaning.by);
      if (!next) return false;
      questions.mark(next);
      questions.group(next)?.scrollIntoView({ block: "nearest" });
    } else if (questions.marked === null) return false;
    else if (meaning.kind === "answer") {
      return questions.choose(questions.marked, meaning.value);
    } else if (meaning.kind === "cannot-judge") {
      return questions.cannotJudge(questions.marked);
    }
    return true;
  },
);

bindPanels();
bindLeaving({
  post,
  urls: desk.urls,
  words,
  before: () => Promise.all([saver.flush(), report.send()]),
  skipped: () => {
    ended = true;
    void saver.stop();
    report.stop();
    kept.drop(place);
    report.forget();
  },
  signIn,
  say,
});

window.addEventListener("online", () => saver.hurry());
window.addEventListener("pagehide", () => {
  pauseAll();
  if (ended || submitting) return;
  saver.farewell();
  void report.send({ keepalive: true });
});
window.addEventListener("pageshow", (event) => {
  // A page from the browser's memory is older than what the server knows.
  if (event.persisted) window.location.reload();
});

// --- Opening ----------------------------------------------------------------------
questions.show(opening.answers);
refresh();
markOpen();
if (opening.isOutdated) {
  kept.drop(place);
  say("theirs", { message: words.theirs });
}
if (opening.isUnsent) saver.change(questions.answers);
document.documentElement.setAttribute("data-desk-ready", "");
void fetchAhead(
  post,
  desk.urls.ahead,
  [...document.querySelectorAll("audio")].map((one) => one),
);
