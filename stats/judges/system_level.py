"""Whether a judge orders systems as people do."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from stats.errors import StatsError
from stats.estimates import estimate
from stats.judges.sides import sides
from stats.labels import Labels, encode
from stats.resampling import bootstrap_columns, draws_of
from stats.results import Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
FEWEST_SYSTEMS = 3
CORRELATIONS = ("pearson", "spearman", "kendall")


def system_correlations(
    table: RatingTable,
    judge: str,
    systems: Labels,
    people: Collection[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return correlations over systems of the judge's means with people's means.

    Parameters
    ----------
    table : RatingTable
        A unit is one answer of one system.
    judge : str
    systems : sequence, shape (n_units,)
    people : collection of str, optional
        Left out, every other rater.
    bootstrap, seed, level
        As for `stats.agreement.agreement`. The systems are taken as given.

    Returns
    -------
    dict of str to Estimate
        `pearson`, `spearman`, `kendall` (tau-b), in -1 to 1, over units that both
        rated. Undefined with fewer than three systems, or where one side gives all
        the same mean.

    Raises
    ------
    StatsError
        A rater is not in the table, or there is not one system a unit.

    References
    ----------
    Kendall, M. G. (1945), for ties.

    Examples
    --------
    >>> table = RatingTable([[1, 1], [2, 3], [3, 3]], (1, 2, 3), None, ["a", "J"])
    >>> found = system_correlations(table, "J", ["A", "B", "C"], bootstrap=0)
    >>> round(found["pearson"].value, 3), round(found["kendall"].value, 3)
    (0.866, 0.816)
    """
    if len(systems) != table.n_units:
        raise StatsError(f"{len(systems)} systems for {table.n_units} units")
    codes, names = encode(systems)
    k = len(names)
    shared = sides(table, judge, people)
    system = codes[shared.units]
    rows = np.arange(shared.n_units)
    sums = row_sums(
        shared.cluster,
        [
            (rows, system, shared.points[shared.judge]),
            (rows, k + system, shared.means),
            (rows, 2 * k + system, np.ones(len(rows))),
        ],
        3 * k,
    )

    def statistic(totals: Floats) -> Floats:
        count = totals[:, 2 * k :]
        judged = ratio(totals[:, :k], count).round(12)
        rated = ratio(totals[:, k : 2 * k], count).round(12)
        return np.column_stack(
            [
                pearson_rows(judged, rated),
                pearson_rows(_ranks(judged), _ranks(rated)),
                _tau_rows(judged, rated),
            ]
        )

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    n_systems = len(np.unique(system))
    note = (
        f"fewer than {FEWEST_SYSTEMS} systems"
        if n_systems < FEWEST_SYSTEMS
        else "one side gives every system the same mean"
    )
    return {
        name: estimate(
            draws_of(points, resamples, column, sums.n_clusters),
            shared.basis(),
            level=level,
            undefined_note=note,
        )
        for column, name in enumerate(CORRELATIONS)
    }


def pearson_rows(left: Floats, right: Floats) -> Floats:
    """Return the correlation of each row of two arrays, shape (n,).

    NaN entries are left out on both sides; NaN with fewer than three entries, or
    where a side does not vary.
    """
    there = ~(np.isnan(left) | np.isnan(right))
    n = there.sum(axis=1)
    x, y = (
        np.where(there, side, 0)
        - ratio(np.where(there, side, 0).sum(axis=1), n * 1.0)[:, None]
        for side in (left, right)
    )
    x, y = np.where(there, x, 0), np.where(there, y, 0)
    squares = (x**2).sum(axis=1) * (y**2).sum(axis=1)
    usable = (n >= FEWEST_SYSTEMS) & (squares > 1e-20)
    return ratio((x * y).sum(axis=1), np.where(usable, np.sqrt(squares), 0))


def _ranks(values: Floats) -> Floats:
    return np.asarray(rankdata(values, axis=1, nan_policy="omit"), dtype=float)


def _tau_rows(left: Floats, right: Floats) -> Floats:
    above = np.triu_indices(left.shape[1], 1)
    x, y = (np.sign(side[:, above[0]] - side[:, above[1]]) for side in (left, right))
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = np.where(there, x, 0), np.where(there, y, 0)
    enough = there.sum(axis=1) >= FEWEST_SYSTEMS
    most = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return ratio((x * y).sum(axis=1), np.where(enough, most, 0))
