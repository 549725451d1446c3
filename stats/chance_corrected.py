"""Coefficients from sums of pairs: Krippendorff's, Gwet's, Fleiss', Brennan-Prediger's.

Every function takes rows of sums, one row a resample, and returns one number a row.
"""

import numpy as np
import numpy.typing as npt

from stats.count_sums import CountLayout
from stats.errors import StatsError

Floats = npt.NDArray[np.float64]

LEVELS = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("identity", "linear", "quadratic", "ordinal", "within_one")


def agreement_weights(points: Floats, kind: str) -> Floats:
    """Return how much two points count as agreement, shape (n_points, n_points).

    All points of the scale count, used or not, so an unused one changes nothing.

    Parameters
    ----------
    points : array of float, shape (n_points,)
    kind : {"identity", "linear", "quadratic", "ordinal", "within_one"}
        Linear and quadratic go by the values of the points, ordinal and within_one by
        their order alone.

    Returns
    -------
    array of float
        1 on the diagonal, from 0 to 1 elsewhere.

    Raises
    ------
    StatsError
        `kind` is none of these.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., section 3.5.

    Examples
    --------
    >>> agreement_weights(np.array([1.0, 2.0, 3.0]), "quadratic")[0].tolist()
    [1.0, 0.75, 0.0]
    """
    n_points = len(points)
    steps = np.abs(np.subtract.outer(np.arange(n_points), np.arange(n_points)))
    if kind == "identity":
        return np.eye(n_points)
    if kind == "within_one":
        return (steps <= 1).astype(float)
    if n_points == 1:
        return np.ones((1, 1))
    if kind == "ordinal":
        return np.asarray(1 - steps * (steps + 1) / (n_points * (n_points - 1)))
    apart = np.abs(np.subtract.outer(points, points)) / (points[-1] - points[0])
    if kind == "linear":
        return np.asarray(1 - apart)
    if kind == "quadratic":
        return np.asarray(1 - apart**2)
    raise StatsError(f"weights must be one of {WEIGHTS}, not {kind!r}")


def alpha(sums: Floats, layout: CountLayout, level: str) -> Floats:
    """Return Krippendorff's alpha of each row of sums.

    Parameters
    ----------
    sums : array of float, shape (n, n_features)
    layout : CountLayout
    level : {"nominal", "ordinal", "interval", "ratio"}

    Returns
    -------
    array of float, shape (n,)
        NaN where no unit has two ratings or only one point was used.

    Raises
    ------
    StatsError
        `level` is none of the four.

    Notes
    -----
    With o the coincidences, n their margins and N the sum of those,

        alpha = 1 - (N - 1) sum(o d) / sum(outer(n, n) d)

    Ordinal d is the squared difference of mean ranks, rebuilt from each row's margins.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability.
    https://repository.upenn.edu/asc_papers/43
    """
    met = layout.coincidences(sums)
    low, high, points = layout.low, layout.high, layout.points
    margins = met @ _to_margins(layout)
    total = margins.sum(axis=1)
    if level == "ordinal":
        ranks = np.cumsum(margins, axis=1) - margins / 2 - total[:, None] / 2
        apart = (ranks[:, low] - ranks[:, high]) ** 2
        observed = 2 * (met * apart).sum(axis=1)
        expected = 2 * total * (margins * ranks**2).sum(axis=1)
    else:
        distances = _distances(points, level).astype(sums.dtype)
        observed = 2 * met @ distances[low, high]
        expected = ((margins @ distances) * margins).sum(axis=1)
    defined = ((margins > 0).sum(axis=1) > 1) & (expected > 0)
    return np.asarray(1 - (total - 1) * _divide(observed, expected, defined))


def gwet_family(
    sums: Floats, layout: CountLayout, weights: Floats
) -> dict[str, Floats]:
    """Return the coefficients that share one observed agreement, for each row of sums.

    Parameters
    ----------
    sums : array of float, shape (n, n_features)
    layout : CountLayout
    weights : array of float, shape (n_points, n_points)

    Returns
    -------
    dict of str to array of float, shape (n,)
        `observed` agreement; `by_chance` as Fleiss has it; and the coefficients
        `fleiss`, `gwet` (AC1 or AC2) and `brennan_prediger`, NaN where no unit has two
        ratings or only one point was used.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., chapters 2 to 5.
    """
    low, high = layout.low, layout.high
    n_points = len(layout.points)
    weights = weights.astype(sums.dtype)
    times = np.where(low == high, 1, 2).astype(sums.dtype)
    n_paired = layout.n_paired(sums)
    agreed = layout.pair_shares(sums) @ (times * weights[low, high])
    observed = _divide(agreed, n_paired, n_paired > 0)
    n_rated = layout.n_rated(sums)[:, None]
    value_shares = layout.value_shares(sums)
    shares = _divide(value_shares, n_rated, n_rated > 0)
    defined = (n_paired > 0) & ((value_shares > 0).sum(axis=1) > 1)
    by_chance = ((shares @ weights) * shares).sum(axis=1)
    all_weights = weights.sum()
    spread = (shares * (1 - shares)).sum(axis=1)
    gwet = all_weights / max(n_points * (n_points - 1), 1) * spread
    even = np.full(len(sums), all_weights / n_points**2)
    return {
        "observed": observed,
        "by_chance": by_chance,
        "fleiss": corrected(observed, by_chance, defined),
        "gwet": corrected(observed, gwet, defined),
        "brennan_prediger": corrected(observed, even, defined),
    }


def corrected(
    observed: Floats, expected: Floats, defined: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """Return (A - E) / (1 - E), NaN where E is 1 or the row is undefined."""
    usable = expected < 1 - 1e-12
    usable = usable if defined is None else usable & defined
    return _divide(observed - expected, 1 - expected, usable)


def _to_margins(layout: CountLayout) -> Floats:
    adds = np.zeros((layout.n_cells, len(layout.points)))
    cells = np.arange(layout.n_cells)
    adds[cells, layout.low] = 1
    adds[cells, layout.high] = 1
    return adds


def _distances(points: Floats, level: str) -> Floats:
    """Return squared distances between points, shape (n_points, n_points)."""
    if level == "nominal":
        return 1.0 - np.eye(len(points))
    apart = np.subtract.outer(points, points)
    if level == "interval":
        return apart**2
    if level == "ratio":
        together = np.add.outer(points, points)
        return np.nan_to_num(_divide(apart, together, together != 0)) ** 2
    raise StatsError(f"level must be one of {LEVELS}, not {level!r}")


def _divide(
    numerator: Floats, denominator: Floats, where: npt.NDArray[np.bool_]
) -> Floats:
    """Return the quotient, NaN where it is not to be taken."""
    safe = np.where(where, denominator, 1)
    return np.where(where, numerator / safe, np.nan)
