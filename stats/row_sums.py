"""Sums of rows by cluster, for statistics that are plain means and differences."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.labels import Codes
from stats.resampling import ClusterSums

Floats = npt.NDArray[np.float64]


def row_sums(
    clusters: Codes,
    blocks: list[tuple[Codes, Codes, Floats]],
    n_features: int,
    *,
    dense_below: int = 64,
) -> ClusterSums:
    """Return the sums of entries by cluster.

    Parameters
    ----------
    clusters : array of int
        The cluster of each row; any whole numbers.
    blocks : list of (rows, columns, entries)
        Entries to add into the feature `columns` of the cluster of `rows`.
    n_features : int
    dense_below : int
        Up to so many features the sums are a plain array.

    Returns
    -------
    ClusterSums
        Only clusters that some entry names, each a kind of its own.
    """
    rows = np.concatenate([block[0] for block in blocks]).astype(np.intp)
    columns = np.concatenate([block[1] for block in blocks]).astype(np.intp)
    entries = np.concatenate([block[2] for block in blocks]).astype(float)
    named, place = np.unique(clusters[rows], return_inverse=True)
    sums = sparse.csr_array((entries, (place, columns)), shape=(len(named), n_features))
    multiplicity = np.ones(len(named), dtype=np.intp)
    if n_features <= dense_below:
        return ClusterSums(sums.toarray(), multiplicity)
    return ClusterSums(sums, multiplicity)


def ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Return the quotient, NaN where the denominator is 0."""
    there = denominator != 0
    return np.where(there, numerator / np.where(there, denominator, 1), np.nan)
