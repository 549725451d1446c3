"""How a judge rates: bias, spread, polarisation, preferences, sensitivities."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.estimates import estimate
from stats.judges.sides import NOTHING_SHARED, Sides, sides
from stats.labels import Labels, encode
from stats.resampling import bootstrap_columns, draws_of
from stats.results import Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
PROFILE = (
    "bias",
    "absolute_error",
    "judge_sd",
    "people_sd",
    "sd_ratio",
    "judge_extreme",
    "people_extreme",
    "polarisation",
)


def judge_profile(
    table: RatingTable,
    judge: str,
    people: Collection[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return how the judge's ratings lie against people's of the same units.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of str to Estimate
        `bias`: mean of the judge less the mean of people, over units.
        `absolute_error`: mean distance of the judge from people's mean.
        `judge_sd`, `people_sd`, `sd_ratio`: spread of single ratings, and judge by
        people; undefined where people do not vary.
        `judge_extreme`, `people_extreme`, `polarisation`: share of ratings on the first
        or last point of the scale, and judge less people. Each unit counts once.
        All undefined where no unit is shared.

    Raises
    ------
    StatsError
        A rater is not in the table.

    References
    ----------
    None: these are means and standard deviations.

    Examples
    --------
    >>> table = RatingTable([[2, 3], [3, 3], [1, 2]], (1, 2, 3), None, ["a", "J"])
    >>> round(judge_profile(table, "J", bootstrap=0)["bias"].value, 3)
    0.667
    """
    shared = sides(table, judge, people)
    values = shared.points - shared.points.mean()
    given, last = shared.judge, len(shared.points) - 1
    weight = 1 / shared.per_unit[shared.row]
    people_means = np.bincount(
        shared.row, weight * values[shared.point], shared.n_units
    )
    squares = np.bincount(
        shared.row, weight * values[shared.point] ** 2, shared.n_units
    )
    at_end = (shared.point == 0) | (shared.point == last)
    extreme = np.bincount(shared.row, weight * at_end, shared.n_units)
    columns = [
        np.ones(shared.n_units),
        values[given],
        values[given] ** 2,
        people_means,
        squares,
        np.abs(values[given] - people_means),
        ((given == 0) | (given == last)).astype(float),
        extreme,
    ]
    rows = np.arange(shared.n_units)
    sums = row_sums(
        shared.cluster,
        [(rows, np.full(len(rows), at), entry) for at, entry in enumerate(columns)],
        len(columns),
    )

    def statistic(totals: Floats) -> Floats:
        n = totals[:, :1]
        mean, square, other, other_square, error, end, other_end = ratio(
            totals[:, 1:], np.repeat(n, len(columns) - 1, axis=1)
        ).T
        judge_sd = np.sqrt(np.maximum(square - mean**2, 0))
        people_sd = np.sqrt(np.maximum(other_square - other**2, 0))
        steady = np.where(people_sd > 1e-9, people_sd, 0)
        return np.column_stack(
            [
                mean - other,
                error,
                judge_sd,
                people_sd,
                ratio(judge_sd, steady),
                end,
                other_end,
                end - other_end,
            ]
        )

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    notes = dict.fromkeys(PROFILE, NOTHING_SHARED)
    if shared.n_units:
        notes["sd_ratio"] = "people gave every unit the same"
    return {
        name: estimate(
            draws_of(points, resamples, column, sums.n_clusters),
            shared.basis(),
            level=level,
            undefined_note=notes[name],
        )
        for column, name in enumerate(PROFILE)
    }


def family_preference(
    table: RatingTable,
    judge: str,
    families: Labels,
    people: Collection[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return how much more the judge favours each family of systems than people do.

    Parameters
    ----------
    table : RatingTable
        A unit is one answer of one system.
    judge : str
    families : sequence, shape (n_units,)
        The family of each unit's system.
    people : collection of str, optional
        Left out, every other rater.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of str to Estimate
        By family: the judge's bias on it less the bias on all other families together,
        in points of the scale; 0 is no preference. Undefined with one family.

    Raises
    ------
    StatsError
        A rater is not in the table, or there is not one family a unit.

    References
    ----------
    A difference of differences, the interaction of judge and family.

    Examples
    --------
    >>> table = RatingTable([[2, 3], [2, 2]], (1, 2, 3), None, ["a", "J"])
    >>> found = family_preference(table, "J", ["own", "other"], bootstrap=0)
    >>> found["own"].value, found["other"].value
    (1.0, -1.0)
    """
    if len(families) != table.n_units:
        raise StatsError(f"{len(families)} families for {table.n_units} units")
    codes, names = encode(families)
    shared = sides(table, judge, people)
    k = len(names)
    family = codes[shared.units]
    gaps = shared.points[shared.judge] - shared.means
    rows = np.arange(shared.n_units)
    sums = row_sums(
        shared.cluster,
        [(rows, family, gaps), (rows, k + family, np.ones(len(rows)))],
        2 * k,
    )

    def statistic(totals: Floats) -> Floats:
        total, count = totals[:, :k], totals[:, k:]
        others = total.sum(axis=1, keepdims=True) - total
        other_count = count.sum(axis=1, keepdims=True) - count
        return ratio(total, count) - ratio(others, other_count)

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    return {
        str(name): estimate(
            draws_of(points, resamples, column, sums.n_clusters),
            shared.basis(),
            level=level,
            undefined_note="no unit of this family, or of any other, is shared",
        )
        for column, name in enumerate(names)
    }


def sensitivity(
    table: RatingTable,
    judge: str,
    covariate: npt.ArrayLike,
    people: Collection[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """Return how the judge's distance from people changes with a property of the unit.

    Parameters
    ----------
    table : RatingTable
    judge : str
    covariate : array_like of float, shape (n_units,)
        Length or loudness of each reply; NaN where unknown.
    people : collection of str, optional
        Left out, every other rater.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    Estimate
        Slope of judge less people, in points of the scale for one standard deviation
        of the covariate. Undefined where the covariate does not vary.

    Raises
    ------
    StatsError
        A rater is not in the table, or there is not one number a unit.

    References
    ----------
    Ordinary least squares with a cluster bootstrap.

    Examples
    --------
    >>> table = RatingTable([[1, 1], [1, 2], [1, 3]], (1, 2, 3), None, ["a", "J"])
    >>> round(sensitivity(table, "J", [10.0, 20.0, 30.0], bootstrap=0).value, 3)
    0.816
    """
    given = np.asarray(covariate, dtype=float)
    if given.shape != (table.n_units,):
        raise StatsError(f"{len(given)} numbers for {table.n_units} units")
    shared = sides(table, judge, people)
    known = np.flatnonzero(np.isfinite(given[shared.units]))
    x = given[shared.units[known]]
    spread = x.std() if len(x) else 0.0
    x = (x - x.mean()) / spread if spread > 0 else np.zeros(len(x))
    gaps = _gaps(shared)[known]
    rows = np.arange(len(known))
    columns = [np.ones(len(rows)), x, x**2, gaps, x * gaps]
    sums = row_sums(
        shared.cluster[known],
        [(rows, np.full(len(rows), at), entry) for at, entry in enumerate(columns)],
        len(columns),
    )

    def statistic(totals: Floats) -> Floats:
        n, total, squares, gap, product = totals.T
        varied = n * squares - total**2
        varied = np.where(varied > 1e-9 * np.maximum(n, 1) ** 2, varied, 0)
        return ratio(n * product - total * gap, varied)[:, None]

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    return estimate(
        draws_of(points, resamples, 0, sums.n_clusters),
        shared.basis(),
        level=level,
        undefined_note="the property does not vary over shared units",
    )


def _gaps(shared: Sides) -> Floats:
    """Return the judge's value less people's mean, shape (n_shared,)."""
    return shared.points[shared.judge] - shared.means
