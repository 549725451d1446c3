"""Which clusters are alike, so that a resample need not tell them apart."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from stats.labels import Codes
from stats.patterns import distinct_keys, random_keys, sum_keys
from stats.table import RatingTable


@dataclass(frozen=True, eq=False)
class ClusterKinds:
    """The kinds of cluster in a table.

    Attributes
    ----------
    cluster : array of int, shape (n_units,)
        The cluster of each unit, counted over clusters with a rating; -1 for a unit
        without one.
    n_clusters : int
    example : array of int, shape (n_kinds,)
        One cluster of each kind.
    multiplicity : array of int, shape (n_kinds,)
        How many clusters are of each kind.
    """

    cluster: Codes
    n_clusters: int
    example: Codes
    multiplicity: Codes

    def held(self, unit_kind: Codes, n_unit_kinds: int) -> sparse.csr_array:
        """Return how many units of each kind each kind of cluster holds."""
        place = np.full(self.n_clusters + 1, -1, dtype=np.intp)
        place[self.example] = np.arange(len(self.example))
        rows = place[self.cluster]
        kept = np.flatnonzero(rows >= 0)
        return sparse.csr_array(
            (np.ones(len(kept)), (rows[kept], unit_kind[kept])),
            shape=(len(self.example), n_unit_kinds),
        )


def rated_clusters(table: RatingTable) -> tuple[Codes, int]:
    """Return the cluster of each unit, over clusters with a rating, and their number.

    A unit without a rating has the cluster -1.
    """
    rated = table.ratings_per_unit > 0
    index, n_clusters = table.cluster_index, len(table.cluster_labels)
    if rated.all():
        return index, n_clusters
    present = np.zeros(n_clusters, dtype=bool)
    present[index[rated]] = True
    place = np.cumsum(present) - 1
    return np.where(rated, place[index], -1), int(present.sum())


def cluster_kinds(
    table: RatingTable, unit_kind: Codes, n_unit_kinds: int
) -> ClusterKinds:
    """Return which clusters hold the same kinds of unit equally often.

    Parameters
    ----------
    table : RatingTable
    unit_kind : array of int, shape (n_units,)
    n_unit_kinds : int

    Returns
    -------
    ClusterKinds
    """
    cluster, n_clusters = rated_clusters(table)
    counted = cluster >= 0
    rows, kinds = cluster, unit_kind
    if not counted.all():
        rows, kinds = cluster[counted], unit_kind[counted]
    keys = sum_keys(rows, n_clusters, random_keys(n_unit_kinds, 1)[kinds])
    example, _, multiplicity = distinct_keys(keys)
    return ClusterKinds(cluster, n_clusters, example, multiplicity)
