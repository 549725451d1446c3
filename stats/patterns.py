"""Group what counts the same: units by their counts, clusters by the units they hold.

A coefficient that adds up something over units cannot tell two units with the same
contribution apart, and a resample of clusters cannot tell two such clusters apart.
So a thousand resamples of a hundred thousand clusters become a thousand rows of
multiplicities over the few hundred kinds of cluster that occur.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from stats.labels import Codes

Keys = npt.NDArray[np.uint64]
EXACT_BITS = 53
DIRECT_TABLE = 4_000_000


def random_keys(n_kinds: int, stream: int = 0) -> Keys:
    """Return one fixed random 64-bit key a kind, shape (n_kinds,).

    The sum of the keys (modulo 2**64) of what a group holds tells groups apart: two
    different ones share a sum with a chance of about 2**-64 a pair.

    Returns
    -------
    array of uint64
        The same on every call, and independent of the bootstrap's seed.
    """
    rng = np.random.default_rng([7919, stream])
    return rng.integers(1, 2**63, n_kinds, dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )


def sum_keys(groups: Codes, n_groups: int, keys: Keys) -> Keys:
    """Return the sum of `keys` in each group modulo 2**64, shape (n_groups,)."""
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, groups, keys)
    return sums


def distinct_keys(keys: npt.NDArray[Any]) -> tuple[Codes, Codes, Codes]:
    """Return the first place, the kind of every key, and how often each kind occurs.

    Returns
    -------
    first : array of int, shape (n_kinds,)
        Where a member of each kind stands. Kinds are in ascending order of their keys.
    kind : array of int, shape (n,)
    count : array of int, shape (n_kinds,)
    """
    if keys.dtype != np.uint64 and len(keys) and 0 <= keys.max() < DIRECT_TABLE:
        counts = np.bincount(keys)
        present = np.flatnonzero(counts)
        place = np.zeros(len(counts), dtype=np.intp)
        place[present] = np.arange(len(present))
        anywhere = np.zeros(len(counts), dtype=np.intp)
        anywhere[keys] = np.arange(len(keys))
        return anywhere[present], place[keys], counts[present]
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))[: len(keys)]
    count = np.diff(np.append(starts, len(keys)))
    kind = np.empty(len(keys), dtype=np.intp)
    kind[order] = np.repeat(np.arange(len(starts)), count)
    return order[starts], kind, count


def unit_keys(
    units: Codes, kinds: Codes, per_unit: Codes, n_kinds: int
) -> npt.NDArray[Any]:
    """Return a key for each unit that tells apart what ratings it holds.

    Parameters
    ----------
    units, kinds : array of int, shape (n_ratings,)
        The unit of each rating, and what the rating is: its point, or its rater and
        point together.
    per_unit : array of int, shape (n_units,)
        Ratings of each unit.

    Returns
    -------
    array, shape (n_units,)
        Exact counts in mixed radix where they fit, else sums of random keys.
    """
    n_units = len(per_unit)
    base = radix(per_unit)
    if n_kinds * math.log2(base) < EXACT_BITS:
        weights = float(base) ** np.arange(n_kinds)
        exact = np.bincount(units, weights=weights[kinds], minlength=n_units)
        return exact.astype(np.int64)
    return sum_keys(units, n_units, random_keys(n_kinds)[kinds])


def radix(per_unit: Codes) -> int:
    """Return the base of mixed-radix keys: one more than a unit's most ratings."""
    return int(per_unit.max(initial=0)) + 1


def counts_in(keys: npt.NDArray[np.int64], base: int, n_kinds: int) -> Codes:
    """Return the counts that mixed-radix keys stand for, shape (n_keys, n_kinds)."""
    return keys[:, None] // base ** np.arange(n_kinds) % base
