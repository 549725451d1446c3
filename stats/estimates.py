"""From draws to an `Estimate`: what it rests on, its interval, and its notes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from stats.resampling import Draws, interval
from stats.results import (
    NO_PAIRS,
    NO_RATINGS,
    ONE_CATEGORY,
    ONE_RATER,
    Estimate,
    finite_or_none,
)
from stats.table import RatingTable


@dataclass(frozen=True)
class Basis:
    """What a number rests on.

    Attributes
    ----------
    n_units, n_raters, n_ratings : int
    dropped : mapping of str to int
        What was left out, by reason.
    """

    n_units: int
    n_raters: int
    n_ratings: int
    dropped: Mapping[str, int] = field(default_factory=dict)


def paired_basis(table: RatingTable) -> Basis:
    """Return the units with two ratings or more, and the ratings on them."""
    per_unit = table.ratings_per_unit
    paired = per_unit >= 2
    if paired.all():
        return Basis(table.n_units, len(table.active_raters), table.n_ratings)
    seen = np.zeros(table.n_raters, dtype=bool)
    seen[table.rater_index[paired[table.unit_index]]] = True
    reasons = {
        "units with one rating": int((per_unit == 1).sum()),
        "units without a rating": int((per_unit == 0).sum()),
    }
    dropped = {reason: count for reason, count in reasons.items() if count}
    return Basis(
        int(paired.sum()), int(seen.sum()), int(per_unit[paired].sum()), dropped
    )


def rated_basis(table: RatingTable) -> Basis:
    """Return all rated units and their ratings."""
    per_unit = table.ratings_per_unit
    unrated = int((per_unit == 0).sum())
    return Basis(
        table.n_units - unrated,
        len(table.active_raters),
        table.n_ratings,
        {"units without a rating": unrated} if unrated else {},
    )


def why_no_agreement(table: RatingTable) -> str:
    """Return why nothing can be said about agreement, or nothing where it can.

    Examples
    --------
    >>> why_no_agreement(RatingTable([[1.0], [2.0]], points=(1, 2)))
    'one rater'
    """
    if table.n_ratings == 0:
        return NO_RATINGS
    if len(table.active_raters) == 1:
        return ONE_RATER
    if table.ratings_per_unit.max() < 2:
        return NO_PAIRS
    return ""


def undefined(basis: Basis, note: str) -> Estimate:
    """Return an estimate without a value."""
    return Estimate(
        None,
        None,
        None,
        basis.n_units,
        basis.n_raters,
        basis.n_ratings,
        note=note,
        dropped=basis.dropped,
    )


def estimate(
    draws: Draws,
    basis: Basis,
    *,
    level: float,
    method: str = "percentile",
    note: str = "",
    undefined_note: str = ONE_CATEGORY,
    expected: float | None = None,
) -> Estimate:
    """Return the estimate of a statistic from its draws.

    Parameters
    ----------
    draws : Draws
    basis : Basis
    level : float
        Of the interval, such as 0.95.
    method : {"percentile", "bca"}
    note : str
        Said beside a value.
    undefined_note : str
        Said where the statistic is undefined.
    expected : float, optional

    Returns
    -------
    Estimate

    Raises
    ------
    StatsError
        `level` or `method` is not allowed.
    """
    low, high, n_undefined, interval_note = interval(draws, level, method)
    value = finite_or_none(draws.point)
    return Estimate(
        value,
        low,
        high,
        basis.n_units,
        basis.n_raters,
        basis.n_ratings,
        note=undefined_note if value is None else note,
        n_clusters=draws.n_clusters,
        n_undefined_resamples=n_undefined,
        interval_note=interval_note,
        expected=finite_or_none(expected),
        dropped=basis.dropped,
    )
