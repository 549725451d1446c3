"""Each rater: severity, agreement with the rest, habits, and pace."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from stats.errors import StatsError
from stats.judges.system_level import pearson_rows
from stats.labels import Labels, encode
from stats.multiple import benjamini_hochberg
from stats.results import finite_or_none
from stats.row_sums import ratio
from stats.table import RatingTable
from stats.votes import FIRST_WON, OUTCOMES, TIE

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RaterFigures:
    """One rater's figures; None where there is nothing to go by.

    Attributes
    ----------
    n_ratings, n_shared : int
        Ratings given; and those on units that somebody else rated too.
    mean, sd : float or None
    severity : float or None
        Mean of the others less own, on shared units: over 0 is stricter than others.
    exact, within_one : float or None
        Mean share of the others with the same point; with one at most a step away.
    correlation : float or None
        Pearson's, of own ratings with the mean of the others.
    modal_share : float or None
        Share of the rater's most used point; 1 is a rater who never moves.
    self_agreement : float or None
        Share of repeated units given the same point again.
    gold_accuracy : float or None
        Share of gold units within the tolerance of the right point.
    n_repeats, n_gold : int
    """

    n_ratings: int
    n_shared: int
    mean: float | None
    sd: float | None
    severity: float | None
    exact: float | None
    within_one: float | None
    correlation: float | None
    modal_share: float | None
    self_agreement: float | None
    gold_accuracy: float | None
    n_repeats: int
    n_gold: int


def rater_panel(
    table: RatingTable,
    *,
    repeats: RatingTable | None = None,
    gold: Mapping[str, float] | None = None,
    gold_tolerance: float = 0.0,
) -> dict[str, RaterFigures]:
    """Return the figures of every rater.

    Parameters
    ----------
    table : RatingTable
    repeats : RatingTable, optional
        Second ratings of units in `table` by the same raters.
    gold : mapping of unit label to value, optional
    gold_tolerance : float
        How far from the right value is still right.

    Returns
    -------
    dict of str to RaterFigures

    Raises
    ------
    StatsError
        `repeats` is on another scale, or `gold` names no unit of the table.

    References
    ----------
    ITU-T P.808 (2021) for gold units and self-agreement as grounds for exclusion.

    Examples
    --------
    >>> table = RatingTable([[1, 2], [2, 3]], (1, 2, 3), None, ["strict", "mild"])
    >>> found = rater_panel(table)["strict"]
    >>> found.severity, found.exact, found.within_one
    (1.0, 0.0, 1.0)
    """
    n, n_points = table.n_raters, table.n_points
    values = table.rating_values
    per_unit = table.ratings_per_unit[table.unit_index]
    shared = np.flatnonzero(per_unit > 1)
    rater, unit = table.rater_index, table.unit_index
    totals = np.bincount(unit, values, table.n_units)
    others = (totals[unit] - values)[shared] / (per_unit[shared] - 1)
    counts = np.bincount(unit * n_points + table.point_index).astype(float)
    counts = np.pad(counts, (0, table.n_units * n_points - len(counts)))
    near = _near(counts.reshape(table.n_units, n_points))
    mine = rater[shared]
    n_shared = np.bincount(mine, minlength=n)
    same = (near[0][unit, table.point_index] - 1)[shared] / (per_unit[shared] - 1)
    close = (near[1][unit, table.point_index] - 1)[shared] / (per_unit[shared] - 1)

    def mean_of(entries: Floats) -> Floats:
        return ratio(np.bincount(mine, entries, n), n_shared.astype(float))

    n_given = np.bincount(rater, minlength=n).astype(float)
    mean = ratio(np.bincount(rater, values, n), n_given)
    away = (values - mean[rater]) ** 2
    sd = np.sqrt(ratio(np.bincount(rater, away, n), np.maximum(n_given - 1, 0)))
    used = np.bincount(rater * n_points + table.point_index, minlength=n * n_points)
    modal = ratio(used.reshape(n, n_points).max(axis=1).astype(float), n_given)
    right, n_gold = _gold(table, gold or {}, gold_tolerance)
    again, n_again = _repeated(table, repeats)
    columns = {
        "mean": mean,
        "sd": sd,
        "severity": mean_of(others - values[shared]),
        "exact": mean_of(same),
        "within_one": mean_of(close),
        "correlation": _correlations(mine, values[shared], others, n),
        "modal_share": modal,
        "self_agreement": again,
        "gold_accuracy": right,
    }
    return {
        label: RaterFigures(
            int(n_given[at]),
            int(n_shared[at]),
            **{name: finite_or_none(column[at]) for name, column in columns.items()},
            n_repeats=int(n_again[at]),
            n_gold=int(n_gold[at]),
        )
        for at, label in enumerate(table.raters)
    }


def _near(counts: Floats) -> tuple[Floats, Floats]:
    """Return ratings of each unit on a point, and on it or its neighbours."""
    close = counts.copy()
    close[:, 1:] += counts[:, :-1]
    close[:, :-1] += counts[:, 1:]
    return counts, close


def _correlations(
    rater: npt.NDArray[np.intp], own: Floats, others: Floats, n: int
) -> Floats:
    found = np.full(n, np.nan)
    order = np.argsort(rater, kind="stable")
    bounds = np.cumsum(np.bincount(rater, minlength=n))[:-1]
    for at, rows in enumerate(np.split(order, bounds)):
        if len(rows) > 2:
            found[at] = pearson_rows(own[rows][None], others[rows][None])[0]
    return found


def _gold(
    table: RatingTable, gold: Mapping[str, float], tolerance: float
) -> tuple[Floats, Floats]:
    """Return the share of gold units right, and their number, by rater."""
    answer = np.full(table.n_units, np.nan)
    place = {label: at for at, label in enumerate(table.units)} if gold else {}
    for label, value in gold.items():
        if label not in place:
            raise StatsError(f"no unit {label} in the table")
        answer[place[label]] = value
    rows = np.flatnonzero(~np.isnan(answer[table.unit_index]))
    off = np.abs(table.rating_values[rows] - answer[table.unit_index[rows]])
    return _share(table, rows, off <= tolerance + 1e-12)


def _repeated(table: RatingTable, repeats: RatingTable | None) -> tuple[Floats, Floats]:
    """Return the share of repeats equal to the first rating, by rater."""
    if repeats is None:
        return np.full(table.n_raters, np.nan), np.zeros(table.n_raters)
    if repeats.points != table.points:
        raise StatsError("the repeats are on another scale")
    second = {
        (repeats.units[u], repeats.raters[r]): p
        for u, r, p in zip(
            repeats.unit_index.tolist(),
            repeats.rater_index.tolist(),
            repeats.point_index.tolist(),
            strict=True,
        )
    }
    given = [
        second.get((table.units[u], table.raters[r]), -1)
        for u, r in zip(
            table.unit_index.tolist(), table.rater_index.tolist(), strict=True
        )
    ]
    again = np.array(given, dtype=np.intp)
    rows = np.flatnonzero(again >= 0)
    return _share(table, rows, again[rows] == table.point_index[rows])


def _share(
    table: RatingTable, rows: npt.NDArray[np.intp], hit: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    rater = table.rater_index[rows]
    n = np.bincount(rater, minlength=table.n_raters).astype(float)
    return ratio(np.bincount(rater, hit * 1.0, table.n_raters), n), n


@dataclass(frozen=True)
class SideHabits:
    """Which side one rater chooses.

    Attributes
    ----------
    n_votes, n_ties : int
    first_rate : float or None
        Share of the first (left) side among votes that are no ties.
    p_value, q_value : float or None
        Two-sided binomial test against a half; and the false discovery rate over all
        raters at which it would count.
    tie_rate : float or None
    """

    n_votes: int
    n_ties: int
    first_rate: float | None
    p_value: float | None
    q_value: float | None
    tie_rate: float | None


def side_habits(raters: Labels, outcomes: Labels) -> dict[str, SideHabits]:
    """Return how often each rater chooses the side heard first.

    Parameters
    ----------
    raters : sequence, shape (n_votes,)
    outcomes : sequence of {"first", "tie", "second"}, shape (n_votes,)

    Returns
    -------
    dict of str to SideHabits
        Rates in 0 to 1, None for a rater with ties only.

    Raises
    ------
    StatsError
        The columns differ in length, or an outcome is none of the three.

    References
    ----------
    Clopper and Pearson's exact binomial test; Benjamini and Hochberg (1995).

    Examples
    --------
    >>> found = side_habits(["a"] * 10, ["first"] * 9 + ["tie"])["a"]
    >>> found.first_rate, found.tie_rate, round(found.p_value, 5)
    (1.0, 0.1, 0.00391)
    """
    if len(raters) != len(outcomes):
        raise StatsError("the columns differ in length")
    unknown = [str(outcome) for outcome in outcomes if str(outcome) not in OUTCOMES]
    if unknown:
        raise StatsError(f"outcome {unknown[0]!r} is not first, tie or second")
    codes, names = encode(raters)
    values = np.array([OUTCOMES[str(outcome)] for outcome in outcomes], dtype=np.intp)
    k = len(names)
    counts = np.bincount(codes * 3 + values, minlength=3 * k).reshape(k, 3)
    votes, ties = counts.sum(axis=1), counts[:, TIE]
    first = counts[:, FIRST_WON]
    decided = votes - ties
    p_values = np.array(
        [
            scipy_stats.binomtest(int(won), int(n)).pvalue if n else np.nan
            for won, n in zip(first, decided, strict=True)
        ]
    )
    q_values = benjamini_hochberg(p_values)
    rate = ratio(first.astype(float), decided.astype(float))
    tie_rate = ratio(ties.astype(float), votes.astype(float))
    return {
        str(name): SideHabits(
            int(votes[at]),
            int(ties[at]),
            finite_or_none(rate[at]),
            finite_or_none(p_values[at]),
            finite_or_none(q_values[at]),
            finite_or_none(tie_rate[at]),
        )
        for at, name in enumerate(names)
    }


@dataclass(frozen=True)
class Pace:
    """How one rater listens.

    Attributes
    ----------
    n : int
    early_share : float or None
        Share of ratings given before the clip had played to its end.
    median_s, quartile_low_s, quartile_high_s : float or None
        Seconds an item.
    """

    n: int
    early_share: float | None
    median_s: float | None
    quartile_low_s: float | None
    quartile_high_s: float | None


def pace(
    raters: Labels, seconds: npt.ArrayLike, clip_seconds: npt.ArrayLike
) -> dict[str, Pace]:
    """Return how long each rater takes, and how often less than the clip lasts.

    Parameters
    ----------
    raters : sequence, shape (n,)
    seconds : array_like of float, shape (n,)
        From the start of play to the rating; NaN where unknown.
    clip_seconds : array_like of float, shape (n,)
        How long the clip lasts; NaN where unknown, which counts for no share.

    Returns
    -------
    dict of str to Pace

    Raises
    ------
    StatsError
        The columns differ in length.

    References
    ----------
    ITU-T P.808 (2021), which locks the scale until the clip has played to its end.

    Examples
    --------
    >>> pace(["a", "a"], [3.0, 9.0], [5.0, 5.0])["a"].early_share
    0.5
    """
    taken = np.asarray(seconds, dtype=float)
    lasts = np.asarray(clip_seconds, dtype=float)
    if not len(raters) == len(taken) == len(lasts):
        raise StatsError("the columns differ in length")
    codes, names = encode(raters)
    found = {}
    for at, name in enumerate(names):
        mine = codes == at
        known = taken[mine & ~np.isnan(taken)]
        both = mine & ~np.isnan(taken) & ~np.isnan(lasts)
        early = float((taken[both] < lasts[both]).mean()) if both.any() else None
        quartiles = (
            [float(q) for q in np.quantile(known, [0.5, 0.25, 0.75])]
            if len(known)
            else [None, None, None]
        )
        found[str(name)] = Pace(len(known), early, *quartiles)
    return found
