"""A judge on one side, people on the other, and the units both rated."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.estimates import Basis
from stats.labels import Codes
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
NOTHING_SHARED = "the judge and people rated no unit in common"


@dataclass(frozen=True, eq=False)
class Sides:
    """The units that the judge and at least one person rated.

    Attributes
    ----------
    points : array of float, shape (n_points,)
    units : array of int, shape (n_shared,)
        Places of the units in the table.
    cluster : array of int, shape (n_shared,)
    judge : array of int, shape (n_shared,)
        The judge's point.
    row, person, point : array of int, shape (n_ratings,)
        People's ratings on those units: the row in `units`, who, and which point.
    people : tuple of str
    """

    points: Floats
    units: Codes
    cluster: Codes
    judge: Codes
    row: Codes
    person: Codes
    point: Codes
    people: tuple[str, ...]

    @property
    def n_units(self) -> int:
        """Units shared."""
        return len(self.units)

    @property
    def per_unit(self) -> Codes:
        """People's ratings of each unit, shape (n_shared,)."""
        return np.bincount(self.row, minlength=self.n_units)

    @property
    def means(self) -> Floats:
        """The mean of people's ratings of each unit, shape (n_shared,)."""
        totals = np.bincount(self.row, self.points[self.point], self.n_units)
        return totals / np.maximum(self.per_unit, 1)

    def basis(self) -> Basis:
        """Return what a comparison over all shared units rests on."""
        n_people = len(np.unique(self.person))
        return Basis(self.n_units, n_people + 1, len(self.row) + self.n_units)


def sides(
    table: RatingTable, judge: str, people: Collection[str] | None = None
) -> Sides:
    """Return the judge's and people's ratings of the units that both rated.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.

    Returns
    -------
    Sides

    Raises
    ------
    StatsError
        A rater is not in the table, or the judge is among the people.
    """
    labels = table.raters
    names = [label for label in labels if label != judge] if people is None else people
    unknown = sorted(({judge} | set(names)) - set(labels))
    if unknown:
        raise StatsError(f"no rater {unknown[0]} in the table")
    if judge in names:
        raise StatsError(f"{judge} cannot be both the judge and a person")
    chosen = [label for label in labels if label in set(names)]
    person_of = np.full(len(labels), -1)
    person_of[[labels.index(label) for label in chosen]] = np.arange(len(chosen))
    given = np.full(table.n_units, -1)
    by_judge = table.rater_index == labels.index(judge)
    given[table.unit_index[by_judge]] = table.point_index[by_judge]
    person = person_of[table.rater_index]
    kept = np.flatnonzero((person >= 0) & (given[table.unit_index] >= 0))
    units, row = np.unique(table.unit_index[kept], return_inverse=True)
    return Sides(
        np.asarray(table.points),
        units,
        table.cluster_index[units],
        given[units],
        row.astype(np.intp),
        person[kept],
        table.point_index[kept],
        tuple(chosen),
    )
