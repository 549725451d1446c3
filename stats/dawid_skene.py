"""Which category each unit most likely is, given raters of different reliability."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The fitted model.

    Attributes
    ----------
    posterior : array of float, shape (n_units, n_points)
        How likely each unit is each category; NaN for a unit without ratings.
    confusion : array of float, shape (n_raters, n_points, n_points)
        How often a rater gives the column's point to a unit that is the row's.
    prevalence : array of float, shape (n_points,)
    log_likelihood : float
        Of the ratings, with the smoothing.
    n_steps : int
    converged : bool
    """

    posterior: Floats
    confusion: Floats
    prevalence: Floats
    log_likelihood: float
    n_steps: int
    converged: bool


def dawid_skene(
    table: RatingTable, *, smoothing: float = 0.01, tolerance: float = 1e-8
) -> DawidSkene:
    """Return the posterior of each unit's category by expectation maximisation.

    Starts from the shares of each unit's ratings, so the outcome has no seed.

    Parameters
    ----------
    table : RatingTable
    smoothing : float
        Added to each count of a confusion matrix, so that a rater who never used a
        point does not rule it out.
    tolerance : float
        Stop when no posterior moves further than this.

    Returns
    -------
    DawidSkene

    Raises
    ------
    StatsError
        There are no ratings, or `smoothing` is negative.

    References
    ----------
    Dawid, A. P. and Skene, A. M. (1979). Maximum Likelihood Estimation of Observer
    Error-Rates Using the EM Algorithm. Applied Statistics 28(1), 20-28.

    Examples
    --------
    >>> table = RatingTable([[1, 1, 2], [2, 2, 2], [1, 1, 1]], points=(1, 2))
    >>> dawid_skene(table).posterior.argmax(axis=1).tolist()
    [0, 1, 0]
    """
    if table.n_ratings == 0:
        raise StatsError("there are no ratings")
    if smoothing < 0:
        raise StatsError(f"the smoothing must be 0 or more, not {smoothing}")
    k, n_units = table.n_points, table.n_units
    unit, rater, point = table.unit_index, table.rater_index, table.point_index
    rated = table.ratings_per_unit > 0
    shares = np.zeros((n_units, k))
    np.add.at(shares, (unit, point), 1.0)
    posterior = shares / np.maximum(table.ratings_per_unit, 1)[:, None]
    converged, step, log_likelihood = False, 0, float("nan")
    while step < MOST_STEPS and not converged:
        step += 1
        confusion = np.full((table.n_raters, k, k), smoothing)
        # Indexed as (rater, given point, true point) first, then turned.
        np.add.at(confusion, (rater, point), posterior[unit])
        confusion = confusion.transpose(0, 2, 1)
        rows = confusion.sum(axis=2, keepdims=True)
        confusion = np.where(rows > 0, confusion / np.where(rows > 0, rows, 1), 1 / k)
        prevalence = posterior[rated].mean(axis=0)
        with np.errstate(divide="ignore"):
            logs = np.log(confusion)
            score = np.repeat(np.log(prevalence)[None], n_units, axis=0)
        np.add.at(score, unit, logs[rater, :, point])
        top = score.max(axis=1, keepdims=True)
        weights = np.exp(score - top)
        total = weights.sum(axis=1, keepdims=True)
        updated = weights / total
        log_likelihood = float((top + np.log(total))[rated].sum())
        converged = bool(np.abs(updated - posterior)[rated].max() < tolerance)
        posterior = updated
    posterior = np.where(rated[:, None], posterior, np.nan)
    return DawidSkene(posterior, confusion, prevalence, log_likelihood, step, converged)
