"""A number, what it rests on, and why it may be missing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

ONE_RATER = "one rater"
NO_RATINGS = "no ratings"
NO_PAIRS = "no unit has two ratings"
ONE_CATEGORY = "only one category was used"
CONDITIONAL_ON_RATERS = (
    "Intervals resample the groups of units and take the raters as given:"
    " they say nothing about other raters."
)


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes
    ----------
    value : float or None
        None where the number is undefined; `note` then says why.
    low, high : float or None
        The interval, None where there is none; `interval_note` then says why. It also
        warns where an interval stands on few clusters.
    n_units, n_raters, n_ratings : int
        What the number rests on.
    n_clusters : int
        The groups that the resampling drew from.
    n_undefined_resamples : int
        Resamples in which the number was undefined; they are left out.
    expected : float or None
        What independent raters with the same habits would reach, where that is known.
    dropped : mapping of str to int
        What was left out and how often, by reason.
    """

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_raters: int
    n_ratings: int
    note: str = ""
    n_clusters: int = 0
    n_undefined_resamples: int = 0
    interval_note: str = ""
    expected: float | None = None
    dropped: Mapping[str, int] = field(default_factory=dict, hash=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the estimate as JSON can hold it: None, never NaN or infinity."""
        return {
            "value": finite_or_none(self.value),
            "low": finite_or_none(self.low),
            "high": finite_or_none(self.high),
            "n_units": int(self.n_units),
            "n_raters": int(self.n_raters),
            "n_ratings": int(self.n_ratings),
            "note": self.note,
            "n_clusters": int(self.n_clusters),
            "n_undefined_resamples": int(self.n_undefined_resamples),
            "interval_note": self.interval_note,
            "expected": finite_or_none(self.expected),
            "dropped": {reason: int(count) for reason, count in self.dropped.items()},
        }


def finite_or_none(number: float | None) -> float | None:
    """Return `number` as a plain float, or None where it is missing or not finite.

    Examples
    --------
    >>> finite_or_none(float("nan")) is None
    True
    """
    if number is None or not math.isfinite(number):
        return None
    return float(number)


def as_plain(found: Any) -> Any:
    """Return any result of `stats` as JSON can hold it.

    Parameters
    ----------
    found : Any
        An estimate, another result, or mappings and sequences of such.

    Returns
    -------
    Any
        Dicts, lists, text, whole numbers, finite floats, booleans and None. Fields keep
        their names; NaN and infinity become None.

    Examples
    --------
    >>> as_plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if isinstance(found, Estimate):
        return found.as_dict()
    if is_dataclass(found) and not isinstance(found, type):
        return {one.name: as_plain(getattr(found, one.name)) for one in fields(found)}
    if isinstance(found, Mapping):
        return {str(key): as_plain(value) for key, value in found.items()}
    if isinstance(found, np.ndarray):
        return as_plain(found.tolist())
    if isinstance(found, list | tuple | set | frozenset):
        return [as_plain(one) for one in found]
    if isinstance(found, np.generic):
        return as_plain(found.item())
    if isinstance(found, float):
        return finite_or_none(found)
    return found
