"""Who rated how, and what was left out: the tables about people, not about replies."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from annotate.models import Assignment, Exclusion, Item, Rater, Study
from judging.reports.figures import rating_table
from judging.reports.tables import RatingRow
from stats.errors import StatsError
from stats.raters import rater_panel, side_habits
from stats.results import as_plain

Figures = dict[str, Any]


def rater_table(
    study: Study,
    rows: Sequence[RatingRow],
    scales: dict[str, list[float]],
    people: set[str],
) -> list[Figures]:
    """Return one line a rater: how much, how severe, how near the others, which side.

    People are measured against other people. A judge is listed, marked as such, with
    its ratings and sides only.
    """
    panels = _panels([row for row in rows if row.rater in people], scales)
    habits = as_plain(side_habits(*_votes(rows)))
    pace = _minutes(study)
    kinds = {row.rater: row.rater_kind for row in rows}
    n_ratings = Counter(row.rater for row in rows)
    n_items: dict[str, set[str]] = defaultdict(set)
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        n_items[row.rater].add(row.item)
        values[row.rater].append(row.value)
    return [
        {
            "rater": rater,
            "kind": kinds[rater],
            "n_ratings": n_ratings[rater],
            "n_items": len(n_items[rater]),
            "mean": fmean(values[rater]),
            "by_dimension": panels[rater],
            "severity": _weighted(panels[rater], "severity"),
            "exact": _weighted(panels[rater], "exact"),
            "sides": habits.get(rater),
            "minutes_per_item": pace.get(rater),
        }
        for rater in sorted(kinds, key=lambda code: (kinds[code] != "person", code))
    ]


def _panels(
    rows: Sequence[RatingRow], scales: dict[str, list[float]]
) -> dict[str, dict[str, Figures]]:
    """Return stats' figures of each person by dimension."""
    found: dict[str, dict[str, Figures]] = defaultdict(dict)
    for dimension, points in scales.items():
        mine = [row for row in rows if row.dimension == dimension]
        if not mine:
            continue
        try:
            panel = rater_panel(rating_table(mine, points))
        except StatsError:
            continue  # the dimension's own section says why
        for rater, figures in panel.items():
            found[rater][dimension] = as_plain(figures)
    return found


def _weighted(panel: dict[str, Figures], name: str) -> float | None:
    """Return the mean over dimensions, weighted by the ratings that others share."""
    known = [(one[name], one["n_shared"]) for one in panel.values()]
    known = [(value, n) for value, n in known if value is not None and n]
    if not known:
        return None
    return sum(value * n for value, n in known) / sum(n for _, n in known)


def _votes(rows: Sequence[RatingRow]) -> tuple[list[str], list[str]]:
    """Return one vote an item and rater: which of two places got more in all.

    Dimensions are added up, since they are not independent: three would count thrice.
    """
    sums: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    by_dimension: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for row in rows:
        if row.position in (1, 2):
            by_dimension[row.rater, row.item, row.dimension][row.position] = row.value
    for (rater, item, _), places in by_dimension.items():
        if len(places) == 2:
            total = sums[rater, item]
            for place, value in places.items():
                total[place] = total.get(place, 0) + value
    raters, outcomes = [], []
    for (rater, _), total in sums.items():
        gap = total[1] - total[2]
        raters.append(rater)
        outcomes.append("tie" if gap == 0 else "first" if gap > 0 else "second")
    return raters, outcomes


def _minutes(study: Study) -> dict[str, float]:
    """Return the median minutes of work an item, by rater; judges have none."""
    worked = defaultdict(list)
    for rater, seconds in (
        _dealt(study)
        .filter(
            submitted_at__isnull=False, worked_s__gt=0, rater__kind=Rater.Kind.PERSON
        )
        .values_list("rater__code", "worked_s")
    ):
        worked[rater].append(seconds / 60)
    return {rater: median(minutes) for rater, minutes in worked.items()}


def counts(study: Study, rows: Sequence[RatingRow]) -> Figures:
    """Return how much was dealt and came back, and what was left out, by reason."""
    dealt = list(
        _dealt(study).values_list(
            "rater__kind", "submitted_at", "ended_at", "end_reason", "end_note"
        )
    )
    of_people = [row for row in dealt if row[0] == Rater.Kind.PERSON]
    ended = Counter(row[3] for row in of_people if row[2] is not None)
    skipped = Counter(row[4] for row in of_people if row[3] == "skipped")
    return {
        "n_assigned": len(of_people),
        "n_submitted": sum(row[1] is not None for row in of_people),
        "n_open": sum(row[1] is None and row[2] is None for row in of_people),
        "n_ended": _listed(ended),
        "n_skipped": ended.get("skipped", 0),
        "skipped": _listed(skipped),
        "n_surplus": Assignment.objects.surplus().filter(item__study=study).count(),
        "n_judged": sum(
            row[0] != Rater.Kind.PERSON and row[1] is not None for row in dealt
        ),
        "n_ratings": len(rows),
        "n_ratings_of_people": sum(row.rater_kind == "person" for row in rows),
        "exclusions": exclusions(study),
    }


def _dealt(study: Study) -> Any:
    return Assignment.objects.filter(
        item__study=study,
        item__purpose=Item.Purpose.TASK,
        duty=Assignment.Duty.RATE,
        occasion=0,
    )


def _listed(found: Counter) -> list[Figures]:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"reason": reason, "n": n} for reason, n in ordered]


def exclusions(study: Study) -> list[Figures]:
    """Return how many exclusions are in force, by reason and what they touch."""
    found: Counter = Counter()
    for reason, rater, question in Exclusion.objects.filter(
        study=study, lifted_at__isnull=True
    ).values_list("reason", "rater_id", "question__key"):
        found[reason, "rater" if rater else "assignment", question or ""] += 1
    return [
        {"reason": reason, "of": of, "dimension": dimension, "n": n}
        for (reason, of, dimension), n in sorted(found.items())
    ]
