"""Bootstrap over clusters: exact, seeded, and without a loop over resamples."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats

from stats.errors import StatsError
from stats.labels import Codes

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], dict[str, Floats]]

FEWEST_CLUSTERS = 10
FEW_CLUSTERS = 30
MOST_UNDEFINED = 0.05
CELLS_AT_ONCE = 4_000_000
DRAWS_AT_ONCE = 500_000
DRAWN_SINGLY_BELOW = 8


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Attributes
    ----------
    bootstrap : int
        Resamples of whole clusters; 0 for no intervals.
    seed : int
    level : float
    method : {"percentile", "bca"}
    """

    bootstrap: int = 1000
    seed: int = 0
    level: float = 0.95
    method: str = "percentile"


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What each kind of cluster adds to the sums that a statistic is made of.

    Attributes
    ----------
    sums : array or sparse array, shape (n_kinds, n_features)
    multiplicity : array of int, shape (n_kinds,)
        How many clusters are of each kind.
    """

    sums: Any
    multiplicity: Codes

    @property
    def n_clusters(self) -> int:
        """The clusters that a resample draws."""
        return int(self.multiplicity.sum())

    def total(self) -> Floats:
        """Return the sums over all clusters, shape (1, n_features)."""
        return np.asarray(self.multiplicity.astype(float) @ self.sums).reshape(1, -1)


@dataclass(frozen=True, eq=False)
class Draws:
    """What a statistic came to in each resample.

    Attributes
    ----------
    point : float
        NaN where undefined.
    resamples : array of float, shape (n_resamples,)
    left_out, left_out_weight : array of float, shape (n_kinds,), or None
        The statistic without one cluster of each kind, and how many such clusters
        there are; only where a BCa interval was asked for.
    n_clusters : int
    """

    point: float
    resamples: Floats
    left_out: Floats | None
    left_out_weight: Codes | None
    n_clusters: int


def draw_multiplicities(
    rng: np.random.Generator, multiplicity: Codes, n_resamples: int
) -> Floats:
    """Return how often each kind of cluster is drawn, shape (n_resamples, n_kinds).

    Drawing C clusters with replacement is one Multinomial(C, m / C) over their kinds.
    Kinds of many clusters get their binomials; kinds of few clusters share one, and
    what falls to them is drawn cluster by cluster, which is cheaper there.

    Parameters
    ----------
    rng : numpy.random.Generator
    multiplicity : array of int, shape (n_kinds,)

    Returns
    -------
    array of float, shape (n_resamples, n_kinds)
        Every row adds up to the number of clusters.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap, section 6.2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draw_multiplicities(rng, np.array([20, 1, 3]), 4).sum(axis=1)
    array([24., 24., 24., 24.])
    """
    n_clusters = int(multiplicity.sum())
    single = np.flatnonzero(multiplicity < DRAWN_SINGLY_BELOW)
    several = np.flatnonzero(multiplicity >= DRAWN_SINGLY_BELOW)
    n_single = int(multiplicity[single].sum())
    drawn = np.empty((n_resamples, len(multiplicity)))
    if len(several) == 0:
        n_drawn = np.full(n_resamples, n_clusters)
    else:
        shares = np.append(multiplicity[several], n_single) / n_clusters
        counts = rng.multinomial(n_clusters, shares, size=n_resamples)
        drawn[:, several] = counts[:, :-1]
        n_drawn = counts[:, -1]
    if len(single) == 0:
        return drawn
    kind_of = np.repeat(np.arange(len(single)), multiplicity[single])
    every_kind_once = len(kind_of) == len(single)
    rows = drawn if len(several) == 0 else np.empty((n_resamples, len(single)))
    at_once = max(1, DRAWS_AT_ONCE // n_clusters)
    for start in range(0, n_resamples, at_once):
        # One call draws for many rows, since a call costs more than a short row.
        ends = np.cumsum(n_drawn[start : start + at_once])
        picks = rng.integers(0, n_single, int(ends[-1]))
        picks = picks if every_kind_once else kind_of[picks]
        begin = 0
        for row, end in enumerate(ends.tolist(), start):
            rows[row] = np.bincount(picks[begin:end], minlength=len(single))
            begin = end
    if rows is not drawn:
        drawn[:, single] = rows
    return drawn


def bootstrap(
    clusters: ClusterSums,
    statistic: Statistic,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    jackknife: bool = False,
) -> dict[str, Draws]:
    """Return what `statistic` gives on the data and on resamples of whole clusters.

    Parameters
    ----------
    clusters : ClusterSums
    statistic : callable
        Takes sums of shape (n, n_features) and returns named arrays of shape (n,), NaN
        where undefined. Whatever depends on the margins is rebuilt from each row.
    n_resamples : int
        0 gives the point alone.
    jackknife : bool
        Also leave out each kind of cluster once, for BCa.

    Returns
    -------
    dict of str to Draws

    Raises
    ------
    StatsError
        `n_resamples` is negative.
    """
    if n_resamples < 0:
        raise StatsError(f"the resamples must be 0 or more, not {n_resamples}")
    total = clusters.total()
    points = {name: float(found[0]) for name, found in statistic(total).items()}
    if clusters.n_clusters == 0:
        n_resamples, jackknife = 0, False
    parts = [statistic(sums) for sums in _resampled_sums(clusters, n_resamples, rng)]
    left = (
        [statistic(total - rows) for rows in _kinds_in_blocks(clusters)]
        if jackknife
        else []
    )
    return {
        name: Draws(
            point,
            np.concatenate([part[name] for part in parts] or [np.zeros(0)]),
            np.concatenate([part[name] for part in left]) if left else None,
            clusters.multiplicity if left else None,
            clusters.n_clusters,
        )
        for name, point in points.items()
    }


def bootstrap_columns(
    clusters: ClusterSums,
    statistic: Callable[[Floats], Floats],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return what a statistic of several numbers gives on the data and on resamples.

    Parameters
    ----------
    clusters : ClusterSums
    statistic : callable
        Takes sums of shape (n, n_features), returns numbers of shape (n, n_numbers).
    n_resamples : int

    Returns
    -------
    points : array of float, shape (n_numbers,)
    resamples : array of float, shape (n_resamples, n_numbers)

    Raises
    ------
    StatsError
        `n_resamples` is negative.
    """
    if n_resamples < 0:
        raise StatsError(f"the resamples must be 0 or more, not {n_resamples}")
    points = statistic(clusters.total())[0]
    n_resamples = n_resamples if clusters.n_clusters else 0
    parts = [statistic(sums) for sums in _resampled_sums(clusters, n_resamples, rng)]
    return points, np.concatenate(parts or [np.zeros((0, len(points)))])


def draws_of(points: Floats, resamples: Floats, column: int, n_clusters: int) -> Draws:
    """Return the draws of one of several numbers."""
    return Draws(float(points[column]), resamples[:, column], None, None, n_clusters)


def _resampled_sums(
    clusters: ClusterSums, n_resamples: int, rng: np.random.Generator
) -> Iterator[Floats]:
    n_kinds, n_features = clusters.sums.shape
    block = max(1, CELLS_AT_ONCE // max(n_kinds, n_features, 1))
    is_sparse = sparse.issparse(clusters.sums)
    by_feature = clusters.sums.T.tocsr().astype(np.float32) if is_sparse else None
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        drawn = draw_multiplicities(rng, clusters.multiplicity, size)
        if by_feature is not None:
            columns = np.ascontiguousarray(drawn.T, dtype=np.float32)
            yield (by_feature @ columns).T
        else:
            yield drawn @ clusters.sums


def _kinds_in_blocks(clusters: ClusterSums) -> Iterator[Floats]:
    n_kinds, n_features = clusters.sums.shape
    block = max(1, CELLS_AT_ONCE // max(n_features, 1))
    for start in range(0, n_kinds, block):
        rows = clusters.sums[start : start + block]
        yield rows.toarray() if sparse.issparse(rows) else rows


def interval(
    draws: Draws, level: float, method: str = "percentile"
) -> tuple[float | None, float | None, int, str]:
    """Return the ends of the interval, the undefined resamples, and a note.

    Parameters
    ----------
    draws : Draws
    level : float
        Between 0 and 1, such as 0.95.
    method : {"percentile", "bca"}

    Returns
    -------
    low, high : float or None
        None under 10 clusters, and where the statistic was undefined in more than one
        resample in twenty.
    n_undefined : int
    note : str
        Why there is no interval, or a warning under 30 clusters.

    Raises
    ------
    StatsError
        `method` or `level` is none of those allowed.

    References
    ----------
    Efron, B. (1987). Better Bootstrap Confidence Intervals. JASA 82(397), 171-185.
    """
    if not 0 < level < 1:
        raise StatsError(f"the level must be between 0 and 1, not {level}")
    if method not in ("percentile", "bca"):
        raise StatsError(f"the method must be percentile or bca, not {method}")
    n_resamples = len(draws.resamples)
    if n_resamples == 0 or np.isnan(draws.point):
        return None, None, 0, ""
    defined = draws.resamples[~np.isnan(draws.resamples)]
    n_undefined = n_resamples - len(defined)
    if draws.n_clusters < FEWEST_CLUSTERS:
        why = f"no interval: {_clusters(draws.n_clusters)}, fewer than 10"
        return None, None, n_undefined, why
    if n_undefined > MOST_UNDEFINED * n_resamples:
        why = f"no interval: undefined in {n_undefined} of {n_resamples} resamples"
        return None, None, n_undefined, why
    note = ""
    if draws.n_clusters < FEW_CLUSTERS:
        note = f"only {_clusters(draws.n_clusters)}: the interval may be too narrow"
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails, problem = _bca_tails(draws, defined, tails)
        note = "; ".join(filter(None, (note, problem)))
    low, high = np.quantile(defined, tails)
    return float(low), float(high), n_undefined, note


def _clusters(count: int) -> str:
    return f"{count} cluster" + ("" if count == 1 else "s")


def _bca_tails(draws: Draws, defined: Floats, tails: Floats) -> tuple[Floats, str]:
    """Return the shares at which BCa cuts the resamples."""
    if draws.left_out is None or draws.left_out_weight is None:
        raise StatsError("a BCa interval needs the jackknife")
    below = np.mean(defined < draws.point) + np.mean(defined == draws.point) / 2
    kept = ~np.isnan(draws.left_out)
    values, weights = draws.left_out[kept], draws.left_out_weight[kept]
    if not 0 < below < 1 or len(values) == 0:
        return tails, "percentile interval: the resamples all lie on one side"
    away = np.average(values, weights=weights) - values
    spread = (weights * away**2).sum()
    if spread <= 0:
        return tails, ""
    acceleration = (weights * away**3).sum() / (6 * spread**1.5)
    bias = stats.norm.ppf(below)
    shifted = bias + stats.norm.ppf(tails)
    return stats.norm.cdf(bias + shifted / (1 - acceleration * shifted)), ""
