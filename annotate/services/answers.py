"""Check what a page posts against the protocol, and say of each fault where it is."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.models import Answer, Assignment, Listening, Part, Question

MAX_TEXT = 10_000


@dataclass(frozen=True)
class CleanAnswer:
    """One answer that fits its question, on the part as stored (not as shown)."""

    part_key: str
    question: Question
    state: str
    number: float | None = None
    choice: str = ""
    text: str = ""
    spans: list | None = None


def letters_of(assignment: Assignment) -> dict[str, str]:
    """Return the letter under which each part is shown, by part key."""
    keys = assignment.shown_order.get("parts", [])
    return {key: chr(ord("A") + place) for place, key in enumerate(keys)}


def field_name(question: Question, letter: str = "") -> str:
    return f"{letter}:{question.key}" if letter else question.key


def fields_of(
    questions: Iterable[Question], letters: Mapping[str, str]
) -> dict[str, tuple[Question, str]]:
    """Return every field of the page: name to (question, part key)."""
    fields = {}
    for question in questions:
        if question.target == Question.Target.ITEM:
            fields[question.key] = (question, "")
        else:
            for key, letter in letters.items():
                fields[field_name(question, letter)] = (question, key)
    return fields


def read_answers(
    questions: Iterable[Question],
    letters: Mapping[str, str],
    posted: Mapping[str, Any],
) -> tuple[list[CleanAnswer], dict[str, str]]:
    """Return the answers that fit, and what is wrong with each field that does not.

    An unknown field is a fault too: silence about it would lose what somebody said.
    """
    fields = fields_of(questions, letters)
    clean: list[CleanAnswer] = []
    faults: dict[str, str] = {}
    for name in posted:
        if name not in fields:
            faults[str(name)[:80]] = f"There is no question {str(name)[:80]!r} here."
    for name, (question, part_key) in fields.items():
        value = posted.get(name)
        if value is None or value == "":
            if question.required:
                faults[name] = "Choose one."
            continue
        try:
            clean.append(_read_one(question, part_key, value, letters))
        except ValueError as error:
            faults[name] = str(error)
    return clean, faults


def _read_one(
    question: Question, part_key: str, value: Any, letters: Mapping[str, str]
) -> CleanAnswer:
    if isinstance(value, Mapping):
        state = value.get("state")
        if state not in (Answer.State.CANNOT_JUDGE, Answer.State.NOT_APPLICABLE):
            raise ValueError(f"{question.label}: {state!r} is not a state.")
        return CleanAnswer(part_key, question, state)
    given = Answer.State.GIVEN
    if question.kind == Question.Kind.SCALE:
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not math.isfinite(value)
            or value not in question.values
        ):
            points = ", ".join(map(str, question.values))
            raise ValueError(f"{question.label}: {value!r} is not one of {points}.")
        return CleanAnswer(part_key, question, given, number=float(value))
    if not isinstance(value, str):
        raise ValueError(f"{question.label}: {value!r} is not text.")
    if question.kind == Question.Kind.PREFERENCE:
        stored = {letter: key for key, letter in letters.items()} | {"tie": "tie"}
        if value not in stored:
            raise ValueError(f"{question.label}: choose a side or no difference.")
        return CleanAnswer(part_key, question, given, choice=stored[value])
    if question.kind == Question.Kind.CHOICE:
        if value not in question.values:
            raise ValueError(f"{question.label}: {value!r} is not offered.")
        return CleanAnswer(part_key, question, given, choice=value)
    return _read_text(question, part_key, value)


def is_storable(text: str) -> bool:
    """Return whether a database can store every character of the text."""
    return "\0" not in text and not any("\ud800" <= mark <= "\udfff" for mark in text)


def storable_text(text: str, limit: int = MAX_TEXT) -> str:
    """Return the text without the characters that no database stores."""
    return text[:limit].encode("utf-8", "ignore").decode().replace("\0", "")


def _read_text(question: Question, part_key: str, value: str) -> CleanAnswer:
    if len(value) > MAX_TEXT:
        raise ValueError(f"{question.label}: at most {MAX_TEXT} characters.")
    if not is_storable(value):
        raise ValueError(f"{question.label}: holds characters that cannot be stored.")
    return CleanAnswer(part_key, question, Answer.State.GIVEN, text=value)


def unheard(
    clean: Iterable[CleanAnswer],
    letters: Mapping[str, str],
    listening: Mapping[str, Listening],
    durations: Mapping[str, tuple[str, float]],
) -> dict[str, str]:
    """Return a fault for each answer given before what it judges was heard.

    A part's rating needs what is played for the whole item (the utterance) and the
    part itself; "cannot judge" needs nothing.

    Parameters
    ----------
    durations : exhibit name to (part key, duration in seconds)
    """
    faults = {}
    for answer in clean:
        if answer.state != Answer.State.GIVEN or answer.text:
            continue
        for name, (part_key, duration_s) in durations.items():
            if part_key not in ("", answer.part_key) and answer.part_key:
                continue
            row = listening.get(name)
            if row is not None and row.completed_at is not None:
                continue
            what = "This reply" if part_key else "What they say"
            heard_s = row.heard_s if row else 0.0
            field = field_name(answer.question, letters.get(answer.part_key, ""))
            faults[field] = (
                f"{what} was not heard to the end"
                f" ({_clock(heard_s)} of {_clock(duration_s)})."
            )
            break
    return faults


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def as_posted(answers: Iterable[Answer], letters: Mapping[str, str]) -> dict[str, Any]:
    """Return stored answers under the names and values the page uses.

    `answers` must have `part` and `question` loaded.
    """
    posted: dict[str, Any] = {}
    for answer in answers:
        name = field_name(answer.question, letters.get(answer.part.key, ""))
        if answer.state != Answer.State.GIVEN:
            posted[name] = {"state": answer.state}
        elif answer.question.kind == Question.Kind.PREFERENCE:
            posted[name] = letters.get(answer.choice, answer.choice)
        else:
            posted[name] = answer.value
    return posted


def rows_of(clean: Iterable[CleanAnswer], parts: Iterable[Part]) -> list[Answer]:
    """Return unsaved answers, for a submission to take."""
    by_key = {part.key: part for part in parts}
    return [
        Answer(
            part=by_key[answer.part_key],
            question=answer.question,
            state=answer.state,
            number=answer.number,
            choice=answer.choice,
            text=answer.text,
            spans=answer.spans,
        )
        for answer in clean
    ]
