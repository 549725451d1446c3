"""How often each point was given, and what that does to a kappa."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Distribution:
    """Counts and shares of the points of a scale.

    Attributes
    ----------
    points : tuple of float
    counts : array of int, shape (n_points,)
    shares : array of float, shape (n_points,)
        NaN without ratings.
    raters : tuple of str
    rater_counts : array of int, shape (n_raters, n_points)
    rater_shares : array of float, shape (n_raters, n_points)
        NaN in the row of a rater without ratings.
    """

    points: tuple[float, ...]
    counts: npt.NDArray[np.intp]
    shares: Floats
    raters: tuple[str, ...]
    rater_counts: npt.NDArray[np.intp]
    rater_shares: Floats

    @property
    def largest_share(self) -> float:
        """The share of the most used point, NaN without ratings."""
        return float(self.shares.max())

    def as_dict(self) -> dict[str, Any]:
        """Return the distribution as JSON can hold it: None, never NaN."""
        return {
            "points": list(self.points),
            "counts": self.counts.tolist(),
            "shares": _plain(self.shares),
            "raters": {
                rater: {"counts": counts.tolist(), "shares": _plain(shares)}
                for rater, counts, shares in zip(
                    self.raters, self.rater_counts, self.rater_shares, strict=True
                )
            },
        }


def _plain(shares: Floats) -> list[float | None]:
    return [None if np.isnan(share) else float(share) for share in shares]


def distribution(table: RatingTable) -> Distribution:
    """Return how often each point was given, over all and by rater.

    Parameters
    ----------
    table : RatingTable

    Returns
    -------
    Distribution
        Unused points count 0.

    Raises
    ------
    Nothing of its own.

    References
    ----------
    None: these are counts.

    Examples
    --------
    >>> found = distribution(RatingTable([[1, 1], [1, 3]], points=(1, 2, 3)))
    >>> found.counts.tolist(), found.shares.tolist()
    ([3, 0, 1], [0.75, 0.0, 0.25])
    """
    cells = table.rater_index * table.n_points + table.point_index
    by_rater = np.bincount(cells, minlength=table.n_raters * table.n_points).reshape(
        table.n_raters, table.n_points
    )
    counts = by_rater.sum(axis=0)
    return Distribution(
        table.points,
        counts,
        _shares(counts[None])[0],
        table.raters,
        by_rater,
        _shares(by_rater),
    )


def _shares(counts: npt.NDArray[np.intp]) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), np.nan)


def kappa_paradox(
    exact: Estimate, kappa: Estimate, ac1: Estimate, found: Distribution
) -> str:
    """Return a sentence where a kappa is low only because one point is so common.

    Parameters
    ----------
    exact, kappa, ac1 : Estimate
        Exact agreement, a kappa (Cohen's or Fleiss') and AC1 of the same ratings.
    found : Distribution

    Returns
    -------
    str
        Empty unless agreement is at least .8, one point has at least .7 of the
        ratings, and kappa is at least .2 below AC1.

    Raises
    ------
    StatsError
        The distribution has no ratings.

    References
    ----------
    Feinstein, A. R. and Cicchetti, D. V. (1990). High Agreement but Low Kappa: I. The
    Problems of Two Paradoxes. Journal of Clinical Epidemiology 43(6), 543-549.
    """
    if found.counts.sum() == 0:
        raise StatsError("there are no ratings")
    if exact.value is None or kappa.value is None or ac1.value is None:
        return ""
    share = found.largest_share
    if exact.value < 0.8 or share < 0.7 or kappa.value > ac1.value - 0.2:
        return ""
    point = found.points[int(found.shares.argmax())]
    return (
        f"Raters agree on {exact.value:.0%} of pairs of ratings, yet kappa is"
        f" {kappa.value:.2f}: {share:.0%} of all ratings are {point:g}, so kappa"
        " expects almost that much agreement by chance. AC1, which does not, is"
        f" {ac1.value:.2f}; read both beside the distribution."
    )
