"""Conger's kappa: Fleiss' idea with each rater's own habits, gaps allowed."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.chance_corrected import agreement_weights, corrected
from stats.estimates import estimate, paired_basis, undefined, why_no_agreement
from stats.rater_pairs import kinds_with_raters
from stats.resampling import ClusterSums
from stats.resampling import bootstrap as resample
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]


def conger_estimate(
    table: RatingTable,
    *,
    weights: str = "identity",
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    method: str = "percentile",
) -> Estimate:
    """Return Conger's kappa for several raters, in Gwet's form for missing ratings.

    For two raters and no gaps it is Cohen's kappa.

    Parameters
    ----------
    table : RatingTable
    weights : {"identity", "linear", "quadratic", "ordinal"}
    bootstrap, seed, level, method
        As for `stats.agreement.agreement`.

    Returns
    -------
    Estimate
        At most 1. Undefined as the other coefficients are. On Krippendorff's table of
        2011 it is .763 (Gwet's rater-wise margins over the units each rater saw).

    Raises
    ------
    StatsError
        `weights` is not known.

    References
    ----------
    Conger, A. J. (1980). Integration and Generalization of Kappas for Multiple Raters.
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., section 2.4.
    """
    basis = paired_basis(table)
    why = why_no_agreement(table)
    if why:
        return undefined(basis, why)
    points = np.asarray(table.points)
    agreed = agreement_weights(points, weights)
    n_raters, n_points = table.n_raters, table.n_points

    def statistic(sums: Floats) -> dict[str, Floats]:
        observed = sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], 1)
        given = sums[:, 2:].reshape(-1, n_raters, n_points)
        per_rater = given.sum(axis=2, keepdims=True)
        active = per_rater > 0
        shares = np.where(active, given / np.where(active, per_rater, 1), 0)
        n_active = active.sum(axis=(1, 2)).astype(float)[:, None]
        mean = shares.sum(axis=1) / np.where(n_active > 0, n_active, 1)
        # The mean over pairs of different raters, from all pairs less a rater's own.
        everyone = (mean @ agreed * mean).sum(axis=1) * n_active[:, 0] ** 2
        own = ((shares @ agreed) * shares).sum(axis=(1, 2))
        n_pairs = n_active[:, 0] * (n_active[:, 0] - 1)
        by_chance = (everyone - own) / np.where(n_pairs > 0, n_pairs, 1)
        used = (given.sum(axis=1) > 0).sum(axis=1)
        defined = (sums[:, 1] > 0) & (used > 1) & (n_pairs > 0)
        return {"conger": corrected(observed, by_chance, defined)}

    draws = resample(
        _sums(table, agreed),
        statistic,
        n_resamples=bootstrap,
        rng=np.random.default_rng(seed),
        jackknife=method == "bca",
    )["conger"]
    return estimate(draws, basis, level=level, method=method)


def _sums(table: RatingTable, agreed: Floats) -> ClusterSums:
    """Return agreed shares, paired units, and each rater's count of each point."""
    per_unit = table.ratings_per_unit
    n_points = table.n_points
    cells = table.unit_index * n_points + table.point_index
    counts = np.bincount(cells, minlength=table.n_units * n_points)
    counts = counts.reshape(table.n_units, n_points)
    paired = np.flatnonzero(per_unit > 1)
    m = per_unit[paired]
    near = counts[paired] @ agreed - 1
    share = (counts[paired] * near).sum(axis=1) / (m * (m - 1))
    cluster, example, multiplicity = kinds_with_raters(table)
    given = 2 + table.rater_index * n_points + table.point_index
    blocks = [
        (cluster[paired], np.zeros(len(m), dtype=np.intp), share),
        (cluster[paired], np.ones(len(paired), dtype=np.intp), np.ones(len(paired))),
        (cluster[table.unit_index], given, np.ones(table.n_ratings)),
    ]
    rows, columns, entries = (
        np.concatenate(parts) for parts in zip(*blocks, strict=True)
    )
    n_clusters = int(cluster.max(initial=-1)) + 1
    sums = sparse.csr_array(
        (entries, (rows, columns)),
        shape=(n_clusters, 2 + table.n_raters * table.n_points),
    )
    return ClusterSums(sums[example], multiplicity)
