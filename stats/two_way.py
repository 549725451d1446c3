"""Intervals that also ask how other raters would have agreed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from stats.agreement import ALPHAS, WEIGHTED, agreement, count_statistics
from stats.cluster_kinds import rated_clusters
from stats.count_sums import N_MOMENTS, CountLayout
from stats.errors import StatsError
from stats.resampling import Draws, interval
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
FEWEST_RATERS = 5
MOST_POINTS = 20


def two_way_agreement(
    table: RatingTable,
    *,
    coefficients: Sequence[str] = ("exact", "alpha_ordinal", "ac1"),
    bootstrap: int = 500,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return coefficients with intervals over clusters and raters at once.

    Parameters
    ----------
    table : RatingTable
        From five raters; up to 20 points.
    coefficients : sequence of str
        Those that do not ask who gave which rating, ICC apart.
    bootstrap : int
        Each resample is a pass over all ratings.
    seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of str to Estimate
        The values of `agreement`, with wider intervals. No interval under five raters.

    Raises
    ------
    StatsError
        A coefficient is not one of these, or the scale is too long.

    Notes
    -----
    Clusters and raters are drawn independently with replacement, and a rating weighs
    as often as its rater was drawn. Two drawings of one rater are one person, so their
    ratings of a unit never make a pair: within a unit with weights w, points c and d
    meet sum over i, j of different raters of w_i w_j times.

    References
    ----------
    Owen, A. B. (2007). The Pigeonhole Bootstrap. Annals of Applied Statistics 1(2),
    386-411.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(1, 4, (40, 1))
    >>> noise = rng.integers(-1, 2, (40, 6)) * (rng.random((40, 6)) < 0.4)
    >>> table = RatingTable(np.clip(true + noise, 1, 3), points=(1, 2, 3))
    >>> both = two_way_agreement(table, bootstrap=200)["alpha_ordinal"]
    >>> units = agreement(table, coefficients=["alpha_ordinal"])["alpha_ordinal"]
    >>> both.value == units.value, both.high - both.low > units.high - units.low
    (True, True)
    """
    unknown = [name for name in coefficients if name not in {*ALPHAS, *WEIGHTED}]
    if unknown:
        raise StatsError(f"no two-way interval for {unknown[0]!r}")
    if table.n_points > MOST_POINTS:
        raise StatsError(f"a two-way interval needs a scale of up to {MOST_POINTS}")
    found = agreement(table, coefficients=coefficients, bootstrap=0)
    n_raters = len(table.active_raters)
    if n_raters < FEWEST_RATERS:
        note = f"no two-way interval: {n_raters} raters, fewer than {FEWEST_RATERS}"
        return {name: replace(one, interval_note=note) for name, one in found.items()}
    rng = np.random.default_rng(seed)
    low, high = np.triu_indices(table.n_points)
    layout = CountLayout(low, high, np.asarray(table.points))
    cluster, n_clusters = rated_clusters(table)
    parts: dict[str, list[float]] = {name: [] for name in coefficients}
    for _ in range(bootstrap):
        drawn = np.zeros(table.n_raters)
        picks = rng.integers(0, n_raters, n_raters)
        np.add.at(drawn, table.active_raters[picks], 1)
        by_cluster = np.bincount(
            rng.integers(0, n_clusters, n_clusters), minlength=n_clusters
        )
        weights = np.where(cluster >= 0, by_cluster[cluster], 0).astype(float)
        sums = (weights @ _features(table, drawn, layout))[None]
        for name, value in count_statistics(sums, layout, coefficients).items():
            if name in parts:
                parts[name].append(float(value[0]))
    return {
        name: _with_interval(one, np.array(parts[name]), n_clusters, level)
        for name, one in found.items()
    }


def _with_interval(
    one: Estimate, resamples: Floats, n_clusters: int, level: float
) -> Estimate:
    value = np.nan if one.value is None else one.value
    draws = Draws(value, resamples, None, None, n_clusters)
    low, high, n_undefined, note = interval(draws, level)
    return replace(
        one,
        low=low,
        high=high,
        n_clusters=n_clusters,
        n_undefined_resamples=n_undefined,
        interval_note=note,
    )


def _features(table: RatingTable, drawn: Floats, layout: CountLayout) -> Floats:
    """Return the features of each unit when raters weigh as they were drawn."""
    n_points = table.n_points
    cells = table.unit_index * n_points + table.point_index
    size = table.n_units * n_points
    weight = drawn[table.rater_index]
    counts = np.bincount(cells, weight, size).reshape(-1, n_points)
    own = np.bincount(cells, weight**2, size).reshape(-1, n_points)
    total = counts.sum(axis=1, keepdims=True)
    # Pairs of different raters; with every weight 1 this is m (m - 1).
    pairs = total**2 - own.sum(axis=1, keepdims=True)
    met = counts[:, layout.low] * counts[:, layout.high]
    met[:, layout.low == layout.high] -= own
    paired = pairs > 0
    share = np.where(paired, met / np.where(paired, pairs, 1), 0)
    rated = total > 0
    features = np.zeros((table.n_units, layout.n_features))
    features[:, : layout.n_cells] = share * total
    features[:, layout.n_cells : 2 * layout.n_cells] = share
    start = 2 * layout.n_cells
    features[:, start : start + n_points] = counts / np.where(rated, total, 1)
    features[:, -N_MOMENTS] = paired[:, 0]
    features[:, -N_MOMENTS + 1] = rated[:, 0]
    return features
