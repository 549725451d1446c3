"""Every two ratings of the same unit."""

from collections.abc import Iterator
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
    blocks = list(rating_pairs_in_blocks(units, per_unit))
    nothing = [np.zeros(0, dtype=np.intp)]
    return RatingPairs(
        np.concatenate([block.unit for block in blocks] or nothing),
        np.concatenate([block.first for block in blocks] or nothing),
        np.concatenate([block.second for block in blocks] or nothing),
    )


def rating_pairs_in_blocks(
    units: Codes, per_unit: Codes, at_once: int = 2_000_000
) -> Iterator[RatingPairs]:
    """Yield the pairs of `rating_pairs`, about `at_once` at a time.

    Yields
    ------
    RatingPairs
        Whole units, by ascending number of ratings.
    """
    order = np.argsort(units, kind="stable")
    starts = np.concatenate([[0], np.cumsum(per_unit)[:-1]]).astype(np.intp)
    for size in np.unique(per_unit[per_unit > 1]).tolist():
        everyone = np.flatnonzero(per_unit == size)
        left, right = np.triu_indices(size, 1)
        step = max(1, at_once // len(left))
        for start in range(0, len(everyone), step):
            members = everyone[start : start + step]
            rows = order[starts[members][:, None] + np.arange(size)]
            yield RatingPairs(
                np.repeat(members, len(left)),
                rows[:, left].ravel(),
                rows[:, right].ravel(),
            )
