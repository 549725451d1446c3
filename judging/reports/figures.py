"""One dimension's figures: distribution, agreement, pair ranking, systems, judges."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from judging.reports.tables import RatingRow
from stats.agreement import agreement
from stats.distribution import distribution, kappa_paradox
from stats.errors import StatsError
from stats.judges import ceiling, confusion, judge_profile, leave_one_out
from stats.pair_ranking import PairTable, pair_ranking
from stats.results import as_plain
from stats.systems import compare_systems, system_means
from stats.table import RatingTable

Figures = dict[str, Any]
COEFFICIENTS = (
    "exact",
    "within_one",
    "kappa_quadratic",
    "alpha_ordinal",
    "ac2_quadratic",
    "kappa_cohen",
    "alpha_nominal",
    "ac1",
)
NO_PAIRS = "no item has two replies rated on this dimension"
NO_SYSTEMS = "no rated reply names its system and instance"


class How(TypedDict):
    """How often to resample, and from which seed."""

    bootstrap: int
    seed: int


def attempt(compute: Callable[[], Any]) -> Any:
    """Return the figures, or a note where the ratings do not allow them."""
    try:
        return as_plain(compute())
    except StatsError as error:
        return {"value": None, "note": str(error)}


def rating_table(rows: Sequence[RatingRow], points: Sequence[float]) -> RatingTable:
    """Return the table of one dimension: a unit is one part of one item.

    Parameters
    ----------
    rows : sequence of RatingRow
        Of one dimension.
    points : sequence of float
        Every point of the scale, used or not.

    Returns
    -------
    RatingTable
        Clusters are the groups.

    Raises
    ------
    StatsError
        A value is off the scale, or a rater rated a unit twice.
    """
    numbers: dict[tuple[str, str], int] = {}
    units = [numbers.setdefault((row.item, row.part), len(numbers)) for row in rows]
    return RatingTable.from_long(
        units,
        [row.rater for row in rows],
        [row.value for row in rows],
        points=points,
        clusters=[row.group for row in rows],
    )


def of_people(rows: Sequence[RatingRow], points: Sequence[float], how: How) -> Figures:
    """Return the figures of people's ratings of one dimension."""
    table = rating_table(rows, points)
    spread = distribution(table)
    found = agreement(table, coefficients=COEFFICIENTS, **how)
    paradox = ""
    if table.n_ratings:
        kappa = found["kappa_cohen"]
        paradox = kappa_paradox(found["exact"], kappa, found["ac1"], spread)
    return {
        "n_units": len({(row.item, row.part) for row in rows}),
        "n_ratings": table.n_ratings,
        "n_raters": len(table.active_raters),
        "n_groups": len({row.group for row in rows}),
        "distribution": spread.as_dict(),
        "coefficients": {name: one.as_dict() for name, one in found.items()},
        "paradox": paradox,
    }


def pair_rows(rows: Sequence[RatingRow]) -> list[tuple[str, str, float, float, str]]:
    """Return item, rater, both values and group wherever a rater rated both replies.

    Only items with two rated parts count; A is the part with the lesser key, the same
    for every rater.
    """
    parts = defaultdict(set)
    given: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    groups = {}
    for row in rows:
        parts[row.item].add(row.part)
        given[row.item, row.rater][row.part] = row.value
        groups[row.item] = row.group
    return [
        (item, rater, values[min(values)], values[max(values)], groups[item])
        for (item, rater), values in given.items()
        if len(parts[item]) == 2 and len(values) == 2
    ]


def ranking(
    rows: Sequence[RatingRow],
    how: How,
    between: tuple[set[str], set[str]] | None = None,
) -> Figures:
    """Return how far raters order the two replies alike, beside the expectation."""
    pairs = pair_rows(rows)
    if not pairs:
        return {"note": NO_PAIRS}
    items, raters, first, second, groups = zip(*pairs, strict=True)
    if between is not None:
        between = (between[0] & set(raters), between[1] & set(raters))

    def compute() -> Any:
        table = PairTable.from_long(items, raters, first, second, clusters=groups)
        return pair_ranking(table, between=between, **how)

    return {"note": ""} | attempt(compute)


def of_judge(
    rows: Sequence[RatingRow],
    points: Sequence[float],
    judge: str,
    people: set[str],
    how: How,
) -> Figures:
    """Return how one judge compares with people on the units both rated.

    Parameters
    ----------
    rows : sequence of RatingRow
        Of one dimension, by people and by this judge.
    """
    table = rating_table(rows, points)
    here = people & set(table.raters)
    if judge not in table.raters or not here:
        return {"note": "the judge and people rated no unit in common"}
    beside = ceiling(table, judge, here, **how)
    profile = judge_profile(table, judge, here, **how)
    return {
        "note": "",
        "judge": as_plain(beside.judge),
        "people": as_plain(beside.people),
        "profile": as_plain(profile),
        "leave_one_out": attempt(lambda: leave_one_out(table, judge, here, **how)),
        "confusion": confusion(table, judge, here).tolist(),
        "pair_ranking": ranking(rows, how, ({judge}, here)),
    }


def competitors(rows: Sequence[RatingRow]) -> dict[tuple[str, str], str]:
    """Return what each (system, prompt) is called: its prompt only where it has two."""
    both = {(row.system, row.prompt) for row in rows if row.system}
    prompts = defaultdict(set)
    for system, prompt in both:
        prompts[system].add(prompt)
    return {
        (system, prompt): f"{system} · {prompt}" if len(prompts[system]) > 1 else system
        for system, prompt in both
    }


def of_systems(rows: Sequence[RatingRow], points: Sequence[float], how: How) -> Figures:
    """Return the mean of each system, and paired differences within the instance.

    A unit is one system's reply to one instance, every rating of it counting alike,
    also where the reply stands in several items.
    """
    kept = [row for row in rows if row.system and row.instance]
    if not kept:
        return {"note": NO_SYSTEMS, "means": [], "differences": []}
    names = competitors(kept)
    cells: dict[tuple[str, str], int] = {}
    units = [
        cells.setdefault((row.instance, names[row.system, row.prompt]), len(cells))
        for row in kept
    ]
    try:
        table = RatingTable.from_long(
            units,
            [f"{row.rater}\n{row.item}\n{row.part}" for row in kept],
            [row.value for row in kept],
            points=points,
            clusters=[row.group for row in kept],
        )
        instances, systems = zip(*cells, strict=True)
        means = as_plain(system_means(table, systems, **how))
        compared = compare_systems(table, systems, instances, **how)
    except StatsError as error:
        return {"note": str(error), "means": [], "differences": []}
    raters = defaultdict(set)
    for row in kept:
        raters[names[row.system, row.prompt]].add(row.rater)
    letters = as_plain(compared.ranking)
    return {
        "note": "",
        "means": [
            {"system": system} | mean | {"n_raters": len(raters[system])}
            for system, mean in means.items()
        ],
        "differences": as_plain(compared.differences),
        "ranking": letters,
    }
