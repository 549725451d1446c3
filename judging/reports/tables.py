"""A study's ratings as rows: the one reader of every table, report and export."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connections
from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Collate

from annotate.models import Answer, Exhibit, Listening, Study

CHUNK = 2000
BY_CODE_POINT = {"postgresql": "C", "sqlite": "BINARY"}


class RatingRow(NamedTuple):
    """One rating, with all that an analysis joins to it."""

    item: str
    part: str
    instance: str
    group: str
    system: str
    prompt: str
    dimension: str
    value: float
    rater: str
    rater_kind: str
    position: int | None
    heard_s: float | None
    submitted_at: str


COLUMNS = RatingRow._fields
NAMES = {
    "item": "submission__assignment__item__code",
    "part": "part__key",
    "instance": "part__instance__code",
    "group": "submission__assignment__item__cluster_code",
    "system": "replied__stimulus__response__system__code",
    "prompt": "replied__stimulus__response__prompt",
    "dimension": "question__key",
    "value": "number",
    "rater": "submission__assignment__rater__code",
    "rater_kind": "submission__assignment__rater__kind",
}
OTHERS = (
    "pk",
    "submission__assignment__shown_order",
    "heard_s",
    "submission__assignment__submitted_at",
)


def rating_rows(study: Study) -> Iterator[RatingRow]:
    """Yield every rating that statistics may read, in one query.

    Parameters
    ----------
    study : Study

    Yields
    ------
    RatingRow
        By item, part, dimension and rater, in the order of code points on either
        database. `system`, `prompt` and `instance` are empty where the part shows no
        reply of a system; `position` is the place of the part on the rater's page, from
        1, and `heard_s` what was played of the reply; both None where not recorded.
    """
    last = None
    rows = _ratings(study).values_list(*NAMES.values(), *OTHERS)
    for row in rows.iterator(chunk_size=CHUNK):
        *columns, answer, shown, heard, submitted = row
        if answer == last:
            continue  # a part with two replies: its first stands for it
        last = answer
        known = ("" if value is None else value for value in columns)
        named: dict[str, Any] = dict(zip(NAMES, known, strict=True))
        yield RatingRow(
            **named,
            position=_place(shown, named["part"]),
            heard_s=heard,
            submitted_at=stamp(submitted),
        )


def _ratings(study: Study) -> QuerySet[Answer]:
    collation = BY_CODE_POINT[connections[Answer.objects.db].vendor]
    order = [
        Collate(F(NAMES[name]), collation)
        for name in ("item", "part", "dimension", "rater")
    ]
    heard = Listening.objects.filter(
        assignment=OuterRef("submission__assignment"), exhibit=OuterRef("replied__pk")
    )
    return (
        Answer.objects.ratings()
        .filter(submission__assignment__item__study=study)
        .annotate(
            replied=FilteredRelation(
                "part__exhibits",
                condition=Q(part__exhibits__role=Exhibit.Role.RESPONSE),
            )
        )
        .annotate(heard_s=Subquery(heard.values("heard_s")[:1]))
        .order_by(*order, "pk", "replied__position")
    )


def _place(shown_order: dict, part: str) -> int | None:
    """Return the place of a part on the page as shown, from 1."""
    parts = shown_order.get("parts", [])
    return parts.index(part) + 1 if part in parts else None


def stamp(moment: datetime) -> str:
    """Return a moment in UTC as ISO 8601 writes it, with Z.

    Examples
    --------
    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
