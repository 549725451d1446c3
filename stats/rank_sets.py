"""Which systems can be told apart: simultaneous intervals, and letters for them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RankSets:
    """Systems from best to worst, with letters.

    Attributes
    ----------
    systems : tuple of str
        Best first.
    letters : tuple of str
        Two systems that share a letter are not told apart. That two are not told apart
        from a third does not make the two alike, so a system may have several letters.
    ranks : tuple of (int, int)
        The best and the worst rank that the simultaneous intervals leave possible.
    apart : tuple of (str, str)
        Every pair told apart, the better system first.
    """

    systems: tuple[str, ...]
    letters: tuple[str, ...]
    ranks: tuple[tuple[int, int], ...]
    apart: tuple[tuple[str, str], ...]


def simultaneous_intervals(
    points: Floats, resamples: Floats, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return intervals that all hold at once with chance `level`.

    Each is the point plus and minus one common multiple of its bootstrap standard
    error: the `level` quantile of the largest studentised distance in a resample.

    Parameters
    ----------
    points : array of float, shape (n,)
    resamples : array of float, shape (n_resamples, n)
        NaN where undefined; such a resample is left out for that number alone.
    level : float

    Returns
    -------
    low, high : array of float, shape (n,)
        NaN without resamples.

    Raises
    ------
    StatsError
        The shapes do not fit.

    References
    ----------
    Romano, J. P. and Wolf, M. (2005). Exact and Approximate Stepdown Methods for
    Multiple Hypothesis Testing. JASA 100(469), 94-108.
    """
    if resamples.ndim != 2 or resamples.shape[1] != len(points):
        raise StatsError("the resamples need one column a number")
    if len(resamples) < 2 or len(points) == 0:
        return np.full(len(points), np.nan), np.full(len(points), np.nan)
    usable = ~np.isnan(resamples)
    n = usable.sum(axis=0)
    filled = np.where(usable, resamples, 0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(usable, resamples - mean, 0) ** 2).sum(axis=0)
    error = np.sqrt(squares / np.maximum(n - 1, 1))
    away = np.abs(np.where(usable, resamples - points, 0))
    studentised = away / np.where(error > 0, error, np.inf)
    reach = np.quantile(studentised.max(axis=1), level) * error
    reach = np.where(n > 1, reach, np.nan)
    return points - reach, points + reach


def rank_sets(
    systems: Sequence[str],
    strengths: Floats,
    low: Floats,
    high: Floats,
) -> RankSets:
    """Return the order of systems with letters for what cannot be told apart.

    Parameters
    ----------
    systems : sequence of str, shape (k,)
    strengths : array of float, shape (k,)
        More is better.
    low, high : array of float, shape (k, k)
        Simultaneous interval of the strength of the row's system less the column's;
        NaN where there is none, which counts as not told apart.

    Returns
    -------
    RankSets

    Raises
    ------
    StatsError
        The shapes do not fit.

    References
    ----------
    Piepho, H.-P. (2004). An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons. Journal of Computational and Graphical Statistics 13(2), 456-466.

    Examples
    --------
    A and B cannot be told apart, nor B and C, but A and C can:

    >>> low = np.array([[0, -1, 1], [-2, 0, -1], [-3, -2, 0.0]])
    >>> found = rank_sets("ABC", np.array([3.0, 2, 1]), low, -low.T)
    >>> found.letters, found.ranks
    (('a', 'ab', 'b'), ((1, 2), (1, 3), (2, 3)))
    """
    k = len(systems)
    if strengths.shape != (k,) or low.shape != (k, k) or high.shape != (k, k):
        raise StatsError("the intervals need a row and a column for each system")
    order = np.argsort(-strengths, kind="stable")
    beats = (low > 0)[np.ix_(order, order)]
    different = beats | beats.T
    columns = _insert_and_absorb(different)
    letters = [
        "".join(_letter(place) for place, column in enumerate(columns) if i in column)
        for i in range(k)
    ]
    names = [str(systems[i]) for i in order]
    ranks = [(1 + int(beats[:, i].sum()), k - int(beats[i].sum())) for i in range(k)]
    apart = [(names[i], names[j]) for i in range(k) for j in range(k) if beats[i, j]]
    return RankSets(tuple(names), tuple(letters), tuple(ranks), tuple(apart))


def _insert_and_absorb(different: npt.NDArray[np.bool_]) -> list[frozenset[int]]:
    """Return sets of systems none of which differ, and that no other set holds."""
    k = len(different)
    columns = [frozenset(range(k))] if k else []
    for i, j in zip(*np.nonzero(np.triu(different)), strict=True):
        split: list[frozenset[int]] = []
        for column in columns:
            if i in column and j in column:
                split += [column - {i}, column - {j}]
            else:
                split.append(column)
        distinct = list(dict.fromkeys(split))
        columns = [a for a in distinct if not any(a < b for b in distinct)]
    return sorted(columns, key=lambda column: sorted(column))


def _letter(place: int) -> str:
    """Return a, b, ..., z, a1, b1, ... for more than 26."""
    turn, letter = divmod(place, 26)
    return chr(ord("a") + letter) + (str(turn) if turn else "")


def square(
    pairs: Sequence[tuple[int, int]], low: Floats, high: Floats, k: int
) -> tuple[Floats, Floats]:
    """Return intervals of pairs as matrices of row less column, shape (k, k).

    Returns
    -------
    low, high : array of float
        0 on the diagonal, NaN where a pair has no interval.
    """
    lows, highs = np.full((k, k), np.nan), np.full((k, k), np.nan)
    np.fill_diagonal(lows, 0)
    np.fill_diagonal(highs, 0)
    for (i, j), a, b in zip(pairs, low.tolist(), high.tolist(), strict=True):
        lows[i, j], highs[i, j] = a, b
        lows[j, i], highs[j, i] = -b, -a
    return lows, highs
