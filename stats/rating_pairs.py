"""Every two ratings of the same unit."""

from dataclasses import dataclass

import numpy as np

from stats.labels import Codes


@dataclass(frozen=True, eq=False)
class RatingPairs:
    """Pairs of ratings of one unit, each pair once.

    Attributes
    ----------
    unit : array of int, shape (n_pairs,)
    first, second : array of int, shape (n_pairs,)
        Rows of the two ratings; `first` stands earlier in the table.
    """

    unit: Codes
    first: Codes
    second: Codes


def rating_pairs(units: Codes, per_unit: Codes) -> RatingPairs:
    """Return every pair of rows that share a unit.

    Parameters
    ----------
    units : array of int, shape (n_ratings,)
    per_unit : array of int, shape (n_units,)
        Ratings of each unit.

    Returns
    -------
    RatingPairs
        A unit with m ratings gives m (m - 1) / 2 pairs.

    Examples
    --------
    >>> pairs = rating_pairs(np.array([0, 1, 0, 0]), np.array([3, 1]))
    >>> list(zip(pairs.first.tolist(), pairs.second.tolist()))
    [(0, 2), (0, 3), (2, 3)]
    """
    order = np.argsort(units, kind="stable")
    starts = np.concatenate([[0], np.cumsum(per_unit)[:-1]]).astype(np.intp)
    unit, first, second = [], [], []
    for size in np.unique(per_unit[per_unit > 1]).tolist():
        members = np.flatnonzero(per_unit == size)
        rows = order[starts[members][:, None] + np.arange(size)]
        left, right = np.triu_indices(size, 1)
        unit.append(np.repeat(members, len(left)))
        first.append(rows[:, left].ravel())
        second.append(rows[:, right].ravel())
    nothing = [np.zeros(0, dtype=np.intp)]
    return RatingPairs(
        np.concatenate(unit or nothing),
        np.concatenate(first or nothing),
        np.concatenate(second or nothing),
    )
