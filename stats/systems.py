"""Systems by absolute ratings: means, paired differences, wins, and rank sets."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from stats.errors import StatsError
from stats.estimates import Basis, estimate
from stats.labels import Codes, Labels, encode
from stats.multiple import holm
from stats.rank_sets import RankSets, rank_sets, simultaneous_intervals, square
from stats.resampling import FEWEST_CLUSTERS, bootstrap_columns, draws_of
from stats.results import NO_RATINGS, Estimate, finite_or_none
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """Two systems compared within the instances that both answered.

    Attributes
    ----------
    first, second : str
    difference : Estimate
        Mean of first less second; `n_units` are the instances.
    low, high : float or None
        Interval that holds for all pairs at once.
    p_value, p_holm : float or None
        Two-sided, from a t-test over clusters; and corrected over all pairs.
    wins, ties, losses : int
        Instances on which the first is better, equal, worse.
    win_share : Estimate
        Wins and half the ties, as a share.
    """

    first: str
    second: str
    difference: Estimate
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    wins: int
    ties: int
    losses: int
    win_share: Estimate


@dataclass(frozen=True)
class Comparison:
    """Every two systems compared, and what may be said of their order.

    Attributes
    ----------
    differences : tuple of Difference
    ranking : RankSets
        By the mean difference from the other systems.
    """

    differences: tuple[Difference, ...]
    ranking: RankSets


def unit_means(table: RatingTable) -> Floats:
    """Return the mean rating of each unit, shape (n_units,), NaN without ratings."""
    totals = np.bincount(table.unit_index, table.rating_values, table.n_units)
    return ratio(totals, table.ratings_per_unit.astype(float))


def system_means(
    table: RatingTable,
    systems: Labels,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return the mean of each system, every rated unit counting once.

    Parameters
    ----------
    table : RatingTable
        A unit is one answer of one system.
    systems : sequence, shape (n_units,)
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of str to Estimate
        By system in ascending order. Within the scale; undefined without ratings:
        a system that could not be rated is absent, never low.

    Raises
    ------
    StatsError
        There is not one system a unit.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap.

    Examples
    --------
    >>> table = RatingTable([[1, 2], [3, 3], [2, 3]], points=(1, 2, 3))
    >>> system_means(table, ["A", "A", "B"], bootstrap=0)["A"].value
    2.25
    """
    codes, names = _systems(table, systems)
    k = len(names)
    means = unit_means(table)
    rated = np.flatnonzero(~np.isnan(means))
    sums = row_sums(
        table.cluster_index,
        [
            (rated, codes[rated], means[rated]),
            (rated, k + codes[rated], np.ones(len(rated))),
        ],
        2 * k,
    )
    points, resamples = bootstrap_columns(
        sums,
        lambda totals: ratio(totals[:, :k], totals[:, k:]),
        n_resamples=bootstrap,
        rng=np.random.default_rng(seed),
    )
    per_unit = table.ratings_per_unit
    rating_system = codes[table.unit_index]
    found: dict[str, Estimate] = {}
    for place, name in enumerate(names):
        mine = rated[codes[rated] == place]
        raters = np.unique(table.rater_index[rating_system == place])
        n_clusters = len(np.unique(table.cluster_index[mine]))
        found[name] = estimate(
            draws_of(points, resamples, place, n_clusters),
            Basis(len(mine), len(raters), int(per_unit[mine].sum())),
            level=level,
            undefined_note=NO_RATINGS,
        )
    return found


def compare_systems(
    table: RatingTable,
    systems: Labels,
    instances: Labels,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    margin: float = 0.0,
) -> Comparison:
    """Return paired differences of every two systems within the instance.

    Parameters
    ----------
    table : RatingTable
        A unit is one answer of one system.
    systems, instances : sequence, shape (n_units,)
        Whose answer each unit is, and to what.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.
    margin : float
        Means at most so far apart count as a tie.

    Returns
    -------
    Comparison

    Raises
    ------
    StatsError
        There is not one system and one instance a unit, or a system answered an
        instance twice.

    References
    ----------
    Holm (1979). Romano and Wolf (2005). Cluster-robust t: Cameron, A. C. and Miller,
    D. L. (2015). A Practitioner's Guide to Cluster-Robust Inference, section II.

    Examples
    --------
    >>> values = [[3], [1], [3], [2], [2], [2]]
    >>> table = RatingTable(values, points=(1, 2, 3))
    >>> found = compare_systems(table, "ABABAB", [1, 1, 2, 2, 3, 3], bootstrap=0)
    >>> only = found.differences[0]
    >>> only.difference.value, (only.wins, only.ties, only.losses)
    (1.0, (2, 1, 0))
    """
    codes, names = _systems(table, systems)
    if len(instances) != table.n_units:
        raise StatsError(f"{len(instances)} instances for {table.n_units} units")
    grid, cluster = _by_instance(table, codes, len(names), instances)
    k = len(names)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    gaps = grid[:, [i for i, _ in pairs]] - grid[:, [j for _, j in pairs]]
    rows, columns = np.nonzero(~np.isnan(gaps))
    gap = gaps[rows, columns]
    won = np.where(np.abs(gap) <= margin, 0.5, np.where(gap > 0, 1.0, 0.0))
    n = len(pairs)
    ones = np.ones(len(gap))
    sums = row_sums(
        cluster,
        [(rows, columns, gap), (rows, n + columns, won), (rows, 2 * n + columns, ones)],
        3 * n,
        dense_below=600,
    )

    def means(totals: Floats) -> Floats:
        count = totals[:, 2 * n :]
        return ratio(totals[:, : 2 * n], np.hstack([count, count]))

    points, resamples = bootstrap_columns(
        sums, means, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    enough = (
        resamples[:, :n] if sums.n_clusters >= FEWEST_CLUSTERS else resamples[:0, :n]
    )
    low, high = simultaneous_intervals(points[:n], enough, level)
    p_values = np.array(
        [
            clustered_t_test(cluster[rows[columns == pair]], gap[columns == pair])
            for pair in range(n)
        ]
    )
    corrected = holm(p_values)
    found = []
    for pair, (i, j) in enumerate(pairs):
        mine = columns == pair
        n_clusters = len(np.unique(cluster[rows[mine]]))
        difference, win_share = (
            estimate(
                draws_of(points, resamples, column, n_clusters),
                Basis(int(mine.sum()), 0, 0),
                level=level,
                undefined_note="no instance has both systems",
            )
            for column in (pair, n + pair)
        )
        found.append(
            Difference(
                names[i],
                names[j],
                difference,
                low=finite_or_none(low[pair]),
                high=finite_or_none(high[pair]),
                p_value=finite_or_none(p_values[pair]),
                p_holm=finite_or_none(corrected[pair]),
                wins=int((won[mine] == 1).sum()),
                ties=int((won[mine] == 0.5).sum()),
                losses=int((won[mine] == 0).sum()),
                win_share=win_share,
            )
        )
    strengths = _mean_advantage(points[:n], pairs, k)
    ranking = rank_sets(names, strengths, *square(pairs, low, high, k))
    return Comparison(tuple(found), ranking)


def clustered_t_test(clusters: Codes, gaps: Floats) -> float:
    """Return the two-sided p-value that the mean of `gaps` is 0.

    Parameters
    ----------
    clusters : array of int, shape (n,)
    gaps : array of float, shape (n,)

    Returns
    -------
    float
        From t with C - 1 degrees of freedom and the cluster-robust standard error;
        NaN under two clusters or without any spread.

    References
    ----------
    Cameron, A. C. and Miller, D. L. (2015). A Practitioner's Guide to Cluster-Robust
    Inference. Journal of Human Resources 50(2), 317-372, section II.
    """
    if len(gaps) == 0:
        return float("nan")
    _, place = np.unique(clusters, return_inverse=True)
    n_clusters = int(place.max()) + 1
    mean = gaps.mean()
    away = np.bincount(place, gaps - mean)
    if n_clusters < 2 or not (away**2).sum() > 1e-24:
        return float("nan")
    error = np.sqrt(n_clusters / (n_clusters - 1) * (away**2).sum()) / len(gaps)
    return float(2 * scipy_stats.t.sf(abs(mean) / error, n_clusters - 1))


def _systems(table: RatingTable, systems: Labels) -> tuple[Codes, list[str]]:
    if len(systems) != table.n_units:
        raise StatsError(f"{len(systems)} systems for {table.n_units} units")
    codes, names = encode(systems)
    return codes, [str(name) for name in names]


def _by_instance(
    table: RatingTable, codes: Codes, k: int, instances: Labels
) -> tuple[Floats, Codes]:
    """Return the mean of each system on each instance, and the instances' clusters."""
    instance, labels = encode(instances)
    means = unit_means(table)
    rated = np.flatnonzero(~np.isnan(means))
    cells = instance[rated] * k + codes[rated]
    if len(np.unique(cells)) < len(cells):
        raise StatsError("a system answered the same instance twice")
    grid = np.full((len(labels), k), np.nan)
    grid[instance[rated], codes[rated]] = means[rated]
    cluster = np.zeros(len(labels), dtype=np.intp)
    cluster[instance] = table.cluster_index
    return grid, cluster


def _mean_advantage(points: Floats, pairs: list[tuple[int, int]], k: int) -> Floats:
    """Return each system's mean difference from the others it meets."""
    advantage = np.full((k, k), np.nan)
    for (i, j), point in zip(pairs, points.tolist(), strict=True):
        advantage[i, j], advantage[j, i] = point, -point
    met = ~np.isnan(advantage)
    return np.asarray(
        np.nan_to_num(advantage).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    )
