"""Keep what stands on a page before it is submitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.errors import StaleRevision, WorkEnded
from annotate.models import Assignment, Draft
from annotate.services.answers import storable_text
from annotate.services.deal import renew_lease
from annotate.services.submit import plausible_seconds

MAX_FIELDS = 500


@dataclass(frozen=True)
class Saved:
    version: int
    at: datetime


@transaction.atomic
def save_draft(
    assignment: Assignment,
    answers: Mapping[str, Any],
    *,
    seen_version: int,
    worked_s: Any = 0.0,
) -> Saved:
    """Store a draft over the version the page has seen, and renew the lease.

    Raises
    ------
    StaleRevision
        Another tab saved since; it carries what that one saved.
    WorkEnded
        The assignment was skipped, or the rater withdrew.
    """
    if assignment.end_reason in (
        Assignment.EndReason.SKIPPED,
        Assignment.EndReason.WITHDRAWN,
    ):
        raise WorkEnded("This item is no longer yours; nothing more is stored for it.")
    answers = storable(answers)
    now = timezone.now()
    kept = Draft.objects.filter(assignment=assignment, version=seen_version).update(
        body=dict(answers), version=seen_version + 1, saved_at=now
    )
    if not kept:
        kept = seen_version == 0 and _first(assignment, answers, now)
    if not kept:
        stored = Draft.objects.filter(assignment=assignment).first()
        raise StaleRevision(
            "Another tab saved this page since. Its answers are shown now.",
            stored.body if stored else {},
            stored.version if stored else 0,
        )
    opened = assignment.opened_at or now
    Assignment.objects.filter(pk=assignment.pk).update(
        worked_s=plausible_seconds(worked_s, opened, assignment.worked_s)
    )
    renew_lease(assignment)
    return Saved(seen_version + 1, now)


def _first(assignment: Assignment, answers: Mapping[str, Any], now: datetime) -> bool:
    try:
        with transaction.atomic():
            Draft.objects.create(
                assignment=assignment, body=dict(answers), version=1, saved_at=now
            )
    except IntegrityError:
        return False
    return True


def storable(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a draft keeps: short names, and values a page can have given.

    Characters that no database stores are dropped; a submission names them instead.
    """
    kept: dict[str, Any] = {}
    for name, value in list(answers.items())[:MAX_FIELDS]:
        if isinstance(value, str):
            kept[_plain(name)] = storable_text(value)
        elif isinstance(value, Mapping):
            kept[_plain(name)] = {"state": _plain(str(value.get("state", "")))}
        elif value is None or isinstance(value, bool | int | float):
            kept[_plain(name)] = value
    return kept


def _plain(name: str) -> str:
    return storable_text(name, 80)
