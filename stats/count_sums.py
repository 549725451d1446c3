"""The sums behind every coefficient that does not ask who gave which rating."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.cluster_kinds import cluster_kinds, rated_clusters
from stats.labels import Codes
from stats.patterns import counts_in, distinct_keys, radix, unit_keys
from stats.rating_pairs import rating_pairs_in_blocks
from stats.resampling import ClusterSums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
MOST_DENSE_POINTS = 12
N_MOMENTS = 7


@dataclass(frozen=True, eq=False)
class CountLayout:
    """Where each sum stands in a row of features.

    A pair of different points is kept once, as its lower and its higher point.

    Attributes
    ----------
    low, high : array of int, shape (n_cells,)
        The two points of each cell of the coincidence matrix.
    points : array of float, shape (n_points,)
    """

    low: Codes
    high: Codes
    points: Floats

    @property
    def n_cells(self) -> int:
        """The cells of a coincidence matrix that are kept."""
        return len(self.low)

    @property
    def n_features(self) -> int:
        """The length of a row of features."""
        return 2 * self.n_cells + len(self.points) + N_MOMENTS

    @property
    def centred_points(self) -> Floats:
        """The points less their mean, so that squares lose no digits."""
        return np.asarray(self.points - self.points.mean())

    def coincidences(self, sums: Floats) -> Floats:
        """Pairs of values met within a unit, weighing 1 / (m - 1); (n, n_cells)."""
        return sums[:, : self.n_cells]

    def pair_shares(self, sums: Floats) -> Floats:
        """Shares of a unit's pairs, weighing 1 / (m (m - 1)); (n, n_cells)."""
        return sums[:, self.n_cells : 2 * self.n_cells]

    def value_shares(self, sums: Floats) -> Floats:
        """Sum over units of the share of their ratings on each point; (n, n_points)."""
        start = 2 * self.n_cells
        return sums[:, start : start + len(self.points)]

    def moments(self, sums: Floats) -> Floats:
        """Return sums over rated units, by columns; (n, 7).

        Is it paired, is it rated, its ratings m, m squared, the sum of its centred
        values, the sum of their squares, and their sum squared over m.
        """
        return sums[:, -N_MOMENTS:]

    def n_paired(self, sums: Floats) -> Floats:
        """Units with two ratings or more; (n,)."""
        return self.moments(sums)[:, 0]

    def n_rated(self, sums: Floats) -> Floats:
        """Units with a rating; (n,)."""
        return self.moments(sums)[:, 1]


def count_sums(table: RatingTable) -> tuple[ClusterSums, CountLayout]:
    """Return the sums of each kind of cluster, and where to find them.

    Returns
    -------
    ClusterSums
        Clusters without a rating are left out.
    CountLayout
    """
    if table.n_points <= MOST_DENSE_POINTS:
        return _by_pattern(table)
    return _by_cluster(table)


def _by_pattern(table: RatingTable) -> tuple[ClusterSums, CountLayout]:
    n_points = table.n_points
    low, high = np.triu_indices(n_points)
    layout = CountLayout(low, high, np.asarray(table.points))
    keys = unit_keys(
        table.unit_index, table.point_index, table.ratings_per_unit, n_points
    )
    first, kind, n_alike = distinct_keys(keys)
    counts = (
        _counts_of(table, first)
        if keys.dtype == np.uint64
        else counts_in(keys[first], radix(table.ratings_per_unit), n_points).astype(
            float
        )
    )
    features = features_of_counts(counts, layout)
    if len(table.cluster_labels) == table.n_units:
        rated = counts.sum(axis=1) > 0
        return ClusterSums(features[rated], n_alike[rated]), layout
    kinds = cluster_kinds(table, kind, len(first))
    held = kinds.held(kind, len(first))
    return ClusterSums(held @ features, kinds.multiplicity), layout


def _counts_of(table: RatingTable, units: Codes) -> Floats:
    """Return how many ratings each of `units` has on each point."""
    place = np.full(table.n_units, -1)
    place[units] = np.arange(len(units))
    rows = place[table.unit_index]
    kept = np.flatnonzero(rows >= 0)
    cells = rows[kept] * table.n_points + table.point_index[kept]
    counts = np.bincount(cells, minlength=len(units) * table.n_points)
    return counts.reshape(len(units), table.n_points).astype(float)


def features_of_counts(counts: Floats, layout: CountLayout) -> Floats:
    """Return the features of units with these counts of each point.

    Parameters
    ----------
    counts : array of float, shape (n_units, n_points)
    layout : CountLayout
        With a cell for every two points.

    Returns
    -------
    array of float, shape (n_units, n_features)
    """
    per_unit = counts.sum(axis=1, keepdims=True)
    paired = per_unit >= 2
    met = counts[:, layout.low] * counts[:, layout.high]
    met[:, layout.low == layout.high] -= counts
    coincidences = np.where(paired, met / np.where(paired, per_unit - 1, 1), 0)
    whole = np.where(per_unit > 0, per_unit, 1)
    values = layout.centred_points
    total = (counts @ values)[:, None]
    return np.hstack(
        [
            coincidences,
            coincidences / whole,
            counts / whole,
            paired,
            per_unit > 0,
            per_unit,
            per_unit**2,
            total,
            (counts @ values**2)[:, None],
            total**2 / whole,
        ]
    )


def _by_cluster(table: RatingTable) -> tuple[ClusterSums, CountLayout]:
    """Return the sums of every cluster by itself, for scales of many points."""
    cluster, n_clusters = rated_clusters(table)
    low, high, coincidences, shares = _cells_by_cluster(table, cluster, n_clusters)
    layout = CountLayout(low, high, np.asarray(table.points))
    per_unit = table.ratings_per_unit
    given = sparse.csr_array(
        (
            1 / per_unit[table.unit_index],
            (cluster[table.unit_index], table.point_index),
        ),
        shape=(n_clusters, table.n_points),
    )
    rated = np.flatnonzero(per_unit > 0)
    values = layout.centred_points[table.point_index]
    total = np.bincount(table.unit_index, values, table.n_units)[rated]
    squares = np.bincount(table.unit_index, values**2, table.n_units)[rated]
    m = per_unit[rated].astype(float)
    moments = (m > 1, m > 0, m, m**2, total, squares, total**2 / m)
    by_cluster = np.stack(
        [np.bincount(cluster[rated], moment, n_clusters) for moment in moments], axis=1
    )
    sums = sparse.hstack(
        [coincidences, shares, given, sparse.csr_array(by_cluster)], format="csr"
    )
    return ClusterSums(sums, np.ones(n_clusters, dtype=np.intp)), layout


def _cells_by_cluster(
    table: RatingTable, cluster: Codes, n_clusters: int
) -> tuple[Codes, Codes, sparse.csr_array, sparse.csr_array]:
    """Return the cells in use, and the coincidences and pair shares of each cluster."""
    n_points, per_unit = table.n_points, table.ratings_per_unit
    shape = (n_clusters, n_points**2)
    coincidences, shares = sparse.csr_array(shape), sparse.csr_array(shape)
    for pairs in rating_pairs_in_blocks(table.unit_index, per_unit):
        one, other = table.point_index[pairs.first], table.point_index[pairs.second]
        cells = np.minimum(one, other) * n_points + np.maximum(one, other)
        m = per_unit[pairs.unit]
        weight = np.where(one == other, 2.0, 1.0) / (m - 1)
        at = (cluster[pairs.unit], cells)
        coincidences = coincidences + sparse.csr_array((weight, at), shape=shape)
        shares = shares + sparse.csr_array((weight / m, at), shape=shape)
    used = np.flatnonzero(np.bincount(shares.indices, minlength=n_points**2))
    low, high = np.divmod(used, n_points)
    return low, high, coincidences[:, used], shares[:, used]
