"""Keep what was truly played, and say whether it suffices to rate."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotate.models import Assignment, Exhibit, Listening, Part

TOLERANCE_S = 0.25  # players stop a little before the end
SLACK_S = 3.0  # clocks of page and server, and the page's own loading

Ranges = list[list[float]]


def merge_ranges(ranges: Iterable[Sequence[float]], duration_s: float) -> Ranges:
    """Return the union of played ranges, sorted, within the recording.

    Touching and overlapping ranges become one, so that no second counts twice.
    Ranges that are not two finite numbers in order are left out.
    """
    usable = []
    for pair in ranges:
        if len(pair) != 2:
            continue
        start, end = (max(0.0, min(float(x), duration_s)) for x in pair)
        if math.isfinite(start) and math.isfinite(end) and end > start:
            usable.append([start, end])
    merged: Ranges = []
    for start, end in sorted(usable):
        if merged and start <= merged[-1][1] + 0.05:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [[round(start, 3), round(end, 3)] for start, end in merged]


def heard_seconds(ranges: Iterable[Sequence[float]]) -> float:
    return round(sum(end - start for start, end in ranges), 3)


def is_complete(heard_s: float, duration_s: float) -> bool:
    return heard_s >= min(duration_s - TOLERANCE_S, duration_s * 0.98)


def exhibits_by_name(
    parts: Iterable[Part], letters: Mapping[str, str]
) -> dict[str, Exhibit]:
    """Return the played exhibits under the names the page knows them by.

    Names say the role and the letter under which the part is shown ("utterance",
    "response-a"), nothing of what stands behind them.

    Parameters
    ----------
    letters : the letter shown for each part key
    """
    named: dict[str, Exhibit] = {}
    for part in parts:
        for exhibit in part.exhibits.all():
            if exhibit.stimulus.recording_id is None:
                continue
            name = exhibit.role.replace("_", "-")
            if part.key:
                name = f"{name}-{letters[part.key].lower()}"
            if exhibit.position:
                name = f"{name}-{exhibit.position + 1}"
            named[name] = exhibit
    return named


def record_listening(
    assignment: Assignment,
    exhibits: Mapping[str, Exhibit],
    posted: Mapping[str, Any],
) -> dict[str, Listening]:
    """Add what was played to what is known, and return all of it by exhibit name.

    What is claimed beyond the time that has passed since the page was opened cannot
    have been heard and is not taken in. This is evidence of listening, not proof.
    """
    known = {
        row.exhibit_id: row for row in Listening.objects.filter(assignment=assignment)
    }
    now = timezone.now()
    opened = assignment.opened_at or now
    left_s = (now - opened).total_seconds() + SLACK_S
    left_s -= sum(row.heard_s for row in known.values())
    new: list[Listening] = []
    changed: list[Listening] = []
    for name, report in posted.items():
        exhibit = exhibits.get(name)
        if exhibit is None or not isinstance(report, Mapping):
            continue
        duration_s = exhibit.stimulus.duration_s
        row = known.get(exhibit.pk) or Listening(assignment=assignment, exhibit=exhibit)
        merged = merge_ranges([*row.ranges, *_pairs(report.get("ranges"))], duration_s)
        heard_s = heard_seconds(merged)
        plays = max(row.plays, _count(report.get("plays")))
        if heard_s - row.heard_s > left_s:
            continue
        if merged == row.ranges and plays == row.plays:
            continue
        left_s -= heard_s - row.heard_s
        row.ranges, row.heard_s, row.plays = merged, heard_s, plays
        if row.completed_at is None and is_complete(heard_s, duration_s):
            row.completed_at = now
        (changed if row.pk else new).append(row)
        known[exhibit.pk] = row
    if new:
        Listening.objects.bulk_create(
            new,
            update_conflicts=True,
            unique_fields=["assignment", "exhibit"],
            update_fields=["ranges", "heard_s", "plays", "completed_at"],
        )
    if changed:
        Listening.objects.bulk_update(
            changed, ["ranges", "heard_s", "plays", "completed_at"]
        )
    by_pk = {exhibit.pk: name for name, exhibit in exhibits.items()}
    return {by_pk[pk]: row for pk, row in known.items() if pk in by_pk}


def _pairs(given: Any) -> list[list[float]]:
    if not isinstance(given, list):
        return []
    return [
        pair
        for pair in given[:500]
        if isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(x, int | float) and not isinstance(x, bool) for x in pair)
    ]


def _count(given: Any) -> int:
    return min(given, 10_000) if isinstance(given, int) and given > 0 else 0
