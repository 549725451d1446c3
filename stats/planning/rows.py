"""One line of a plan."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PlanRow:
    """What one design would give.

    Attributes
    ----------
    n_units, per_unit, n_ratings : int
    hours : float
        Time of all raters together.
    expected : float or None
        The figure itself, as the simulation has it.
    half_width : float
        Half of its 95 % interval, or whatever level was asked for.
    enough : bool
        Whether the half-width is at most the wished one.
    """

    n_units: int
    per_unit: int
    n_ratings: int
    hours: float
    expected: float | None
    half_width: float
    enough: bool
