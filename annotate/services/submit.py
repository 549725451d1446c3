"""Take in what a rater said: once, whole, and never thrown away."""

import datetime
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from annotate.errors import IncompleteAnswers, StaleRevision, WorkEnded
from annotate.models import Answer, Assignment, Draft, Slot, Submission
from annotate.services.answers import (
    as_posted,
    letters_of,
    read_answers,
    rows_of,
    unheard,
)
from annotate.services.listen import record_listening
from annotate.services.page import RaterPage
from annotate.services.protocols import policy_of


@dataclass(frozen=True)
class Taken:
    """What became of a submission.

    Attributes
    ----------
    stored : {"stored", "revised", "surplus"}
    again : the same client key had been taken in before; nothing was stored now
    """

    submission: Submission
    stored: str
    again: bool = False

    @property
    def message(self) -> str:
        if self.stored == "surplus":
            return (
                "Your time for this item had run out and its places are taken. Your"
                " answers are kept as surplus."
            )
        return "Your change is saved." if self.stored == "revised" else "Saved."


@transaction.atomic
def submit_answers(
    page: RaterPage,
    posted: Mapping[str, Any],
    *,
    client_key: uuid.UUID,
    seen_revision: int = 0,
    listening: Mapping[str, Any] | None = None,
    worked_s: float = 0.0,
    stage: int = 1,
) -> Taken:
    """Store the answers of one page (or one stage of it).

    The same client key twice is stored once. Closing is one UPDATE of a row that is
    still open, made while the slot is locked, so that a lease that runs out, a
    hand-over and a second tab each find either an open or a finished row.

    Parameters
    ----------
    page : what the rater was shown, loaded for this rater alone
    posted : answers by field name as shown, e.g. {"A:coherence": 3}
    seen_revision : the revision the page was opened with; 0 where none stood

    Raises
    ------
    IncompleteAnswers
        With a fault for each field: missing, unknown, off its scale, not heard.
    StaleRevision
        Answers stand already and this page has not seen them, or may not change them.
    WorkEnded
        The rater withdrew; nothing is taken in any more.
    """
    assignment = page.assignment
    questions = [q for q in page.questions if q.stage == stage]
    letters = letters_of(assignment)
    clean, faults = read_answers(questions, letters, posted)
    heard = record_listening(assignment, page.exhibits, listening or {})
    if policy_of(page.study)["gate"] == "heard":
        missed = unheard(clean, letters, heard, page.durations)
        faults = {**missed, **faults}
    if faults:
        known = Submission.objects.filter(assignment=assignment, client_key=client_key)
        if not known.exists():
            raise IncompleteAnswers(faults)

    last_stage = max(q.stage for q in page.questions)
    slot = _locked_slot(assignment)
    holds = slot is not None and slot.rater_id == assignment.rater_id
    closed = _close(assignment, worked_s, holds) if stage == last_stage else 0
    if not closed:
        earlier = _standing(assignment, client_key, stage)
        if earlier is not None:
            return earlier
    fresh = Assignment.objects.only(
        "submitted_at", "ended_at", "end_reason", "slot"
    ).get(pk=assignment.pk)
    late = False
    if not closed and stage == last_stage:
        if fresh.submitted_at is not None:
            return _revise(page, clean, client_key, seen_revision, stage)
        late, slot = True, _place_for_late(assignment, fresh)
        holds = slot is not None
    taken = Submission.objects.create(
        assignment=assignment,
        stage=stage,
        client_key=client_key,
        received_at=timezone.now(),
        late=late,
    )
    _store(taken, clean, page)
    if slot is not None and holds and stage == last_stage:
        _finish_slot(slot)
    Draft.objects.filter(assignment=assignment).delete()
    surplus = assignment.occasion == 0 and stage == last_stage and not holds
    needs_slot = assignment.rater.kind == "person" and page.is_task
    return Taken(taken, "surplus" if surplus and needs_slot else "stored")


def _locked_slot(assignment: Assignment) -> Slot | None:
    if assignment.slot_id is None:
        return None
    return (
        Slot.objects.select_for_update(no_key=True)
        .filter(pk=assignment.slot_id)
        .first()
    )


def _close(assignment: Assignment, worked_s: float, holds: bool) -> int:
    """Close the row if it is open and its slot (where it has one) is still held."""
    if assignment.slot_id is not None and not holds:
        return 0
    now = timezone.now()
    opened = assignment.opened_at or now
    return (
        Assignment.objects.open()
        .filter(pk=assignment.pk, slot=assignment.slot_id)
        .update(
            submitted_at=now,
            opened_at=opened,
            worked_s=plausible_seconds(worked_s, opened, assignment.worked_s),
        )
    )


def plausible_seconds(
    claimed: Any, opened_at: datetime.datetime, known_s: float = 0.0
) -> float:
    """Return the time worked, which is never more than the time that has passed."""
    if not isinstance(claimed, int | float) or not 0 <= claimed < 1e7:
        return known_s
    passed = (timezone.now() - opened_at).total_seconds()
    return round(max(known_s, min(float(claimed), passed)), 1)


def _standing(
    assignment: Assignment, client_key: uuid.UUID, stage: int
) -> Taken | None:
    known = Submission.objects.filter(
        assignment=assignment, client_key=client_key, stage=stage
    ).first()
    if known is None:
        return None
    is_surplus = Assignment.objects.surplus().filter(pk=assignment.pk).exists()
    word = "surplus" if is_surplus else "revised" if known.revision > 1 else "stored"
    return Taken(known, word, again=True)


def _place_for_late(assignment: Assignment, fresh: Assignment) -> Slot | None:
    """Reopen an ended row as submitted, on another free place of its bundle if any."""
    if fresh.end_reason == Assignment.EndReason.WITHDRAWN:
        raise WorkEnded("You withdrew from this study; nothing is stored any more.")
    free = (
        Slot.objects.select_for_update(no_key=True)
        .filter(
            bundle=assignment.item.bundle_id, rater__isnull=True, done_at__isnull=True
        )
        .order_by("id")
        .first()
    )
    may_hold = not Slot.objects.filter(
        bundle=assignment.item.bundle_id, rater=assignment.rater_id
    ).exists()
    if free is not None and may_hold:
        Slot.objects.filter(pk=free.pk, rater__isnull=True).update(
            rater=assignment.rater_id, lease_until=Now()
        )
    else:
        free = None
    changed = Assignment.objects.filter(
        pk=assignment.pk, submitted_at__isnull=True
    ).update(
        submitted_at=timezone.now(),
        ended_at=None,
        end_reason="",
        end_note="",
        slot=free,
    )
    if not changed:
        raise StaleRevision("This was submitted elsewhere a moment ago.", {}, 1)
    return free


def _finish_slot(slot: Slot) -> None:
    """Mark the place done when the last item of its bundle is in."""
    Slot.objects.filter(pk=slot.pk, done_at__isnull=True).exclude(
        Exists(Assignment.objects.open().filter(slot=OuterRef("pk")))
    ).update(done_at=Now())


def _revise(
    page: RaterPage, clean: list, client_key: uuid.UUID, seen: int, stage: int
) -> Taken:
    standing = (
        Submission.objects.select_for_update()
        .filter(assignment=page.assignment, stage=stage, superseded_at__isnull=True)
        .first()
    )
    revision = standing.revision if standing else 0
    allowed = policy_of(page.study)["revisions"] and page.study.is_open
    if standing is None or seen != revision or not allowed:
        stored = as_posted(
            Answer.objects.filter(submission=standing).select_related(
                "part", "question"
            ),
            letters_of(page.assignment),
        )
        why = (
            "These answers were submitted before and cannot be changed any more."
            if not allowed
            else "These answers were changed in another tab or device."
        )
        raise StaleRevision(why, stored, revision)
    now = timezone.now()
    Submission.objects.filter(pk=standing.pk).update(superseded_at=now)
    taken = Submission.objects.create(
        assignment=page.assignment,
        stage=stage,
        revision=revision + 1,
        client_key=client_key,
        received_at=now,
        late=standing.late,
    )
    _store(taken, clean, page)
    Draft.objects.filter(assignment=page.assignment).delete()
    return Taken(taken, "revised")


def _store(submission: Submission, clean: list, page: RaterPage) -> None:
    rows = rows_of(clean, page.parts)
    for row in rows:
        row.submission = submission
    Answer.objects.bulk_create(rows)
