"""Ratings of units by raters: the input of every coefficient."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.labels import Codes, Labels, encode

Floats = npt.NDArray[np.float64]
MOST_POINTS = 2001


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RatingTable:
    """Who gave which unit which point of a scale.

    Kept as three parallel columns, one row a rating, because fifty raters who each
    see a few units would leave a full table almost empty. `values` is the full table.

    Attributes
    ----------
    points : tuple of float
        Every point of the scale in ascending order, used or not.
    unit_index, rater_index, point_index : array of int, shape (n_ratings,)
    cluster_index : array of int, shape (n_units,)
        The group of each unit: its top-most shared source.
    """

    points: tuple[float, ...]
    unit_index: Codes
    rater_index: Codes
    point_index: Codes
    cluster_index: Codes
    unit_labels: npt.NDArray[Any]
    rater_labels: npt.NDArray[Any]
    cluster_labels: npt.NDArray[Any]

    def __init__(
        self,
        values: npt.ArrayLike,
        points: Sequence[float],
        units: Labels | None = None,
        raters: Labels | None = None,
        clusters: Labels | None = None,
    ) -> None:
        """Make a table of `values`, shape (n_units, n_raters), NaN where missing.

        The scale has at most 2001 points, since weights are kept for every two.
        """
        table = np.asarray(values, dtype=float)
        if table.ndim != 2:
            raise StatsError(f"values must be (n_units, n_raters), not {table.shape}")
        n_units, n_raters = table.shape
        units = np.arange(n_units) if units is None else units
        raters = np.arange(n_raters) if raters is None else raters
        clusters = units if clusters is None else clusters
        for name, labels, wanted in (
            ("units", units, n_units),
            ("raters", raters, n_raters),
            ("clusters", clusters, n_units),
        ):
            if len(labels) != wanted:
                raise StatsError(f"{name} must be {wanted} labels, not {len(labels)}")
        if len(set(map(str, units))) != n_units:
            raise StatsError("the same unit label stands twice")
        if len(set(map(str, raters))) != n_raters:
            raise StatsError("the same rater label stands twice")
        at_unit, at_rater = np.nonzero(np.isfinite(table))
        cluster_codes, cluster_labels = encode(clusters)
        scale = _scale(points)
        self._fill(
            scale,
            at_unit,
            at_rater,
            _place_on(scale, table[at_unit, at_rater]),
            cluster_codes,
            np.asarray(units, dtype=object),
            np.asarray(raters, dtype=object),
            cluster_labels,
        )

    def _fill(self, *columns: Any) -> None:
        for name, column in zip(self.__dataclass_fields__, columns, strict=True):
            object.__setattr__(self, name, column)

    @classmethod
    def from_long(
        cls,
        units: Labels,
        raters: Labels,
        values: npt.ArrayLike,
        *,
        points: Sequence[float],
        clusters: Labels | None = None,
    ) -> Self:
        """Return the table of ratings given one row each.

        Parameters
        ----------
        units, raters : sequence, shape (n_rows,)
        values : array_like of float, shape (n_rows,)
            NaN where the rater gave none; the unit and the rater are still known.
        points : sequence of float
            Every point of the scale, used or not.
        clusters : sequence, shape (n_rows,), optional
            The group of the row's unit. Left out, every unit is a group of its own.

        Returns
        -------
        RatingTable
            Units and raters in ascending order of their labels, whatever the row order.

        Raises
        ------
        StatsError
            A value is off the scale, a rater rated a unit twice, a unit is in two
            clusters, or the columns differ in length.

        Examples
        --------
        >>> table = RatingTable.from_long(
        ...     ["u1", "u1", "u2"], ["a", "b", "a"], [1, 2, 2], points=(1, 2, 3)
        ... )
        >>> table.values.tolist()
        [[1.0, 2.0], [2.0, nan]]
        """
        scale = _scale(points)
        given = np.asarray(values)
        lengths = [len(units), len(raters), len(given)]
        lengths += [] if clusters is None else [len(clusters)]
        if len(set(lengths)) > 1:
            raise StatsError(f"the columns differ in length: {lengths}")
        unit_codes, unit_labels = encode(units)
        rater_codes, rater_labels = encode(raters)
        if clusters is None:
            cluster_index, cluster_labels = np.arange(len(unit_labels)), unit_labels
        else:
            row_clusters, cluster_labels = encode(clusters)
            cluster_index = np.zeros(len(unit_labels), dtype=np.intp)
            cluster_index[unit_codes] = row_clusters
            stray = np.flatnonzero(cluster_index[unit_codes] != row_clusters)
            if len(stray):
                unit = unit_labels[unit_codes[stray[0]]]
                raise StatsError(f"unit {unit} is in two clusters")
        if given.dtype.kind not in "iub":
            given = given.astype(float)
            known = ~np.isnan(given)
            if not known.all():
                given = given[known]
                unit_codes, rater_codes = unit_codes[known], rater_codes[known]
        twice = _first_repeat(
            unit_codes, rater_codes, len(unit_labels), len(rater_labels)
        )
        if twice is not None:
            unit, rater = unit_labels[twice[0]], rater_labels[twice[1]]
            raise StatsError(f"rater {rater} rated unit {unit} twice")
        table = cls.__new__(cls)
        table._fill(
            scale,
            unit_codes,
            rater_codes,
            _place_on(scale, given),
            cluster_index,
            unit_labels,
            rater_labels,
            cluster_labels,
        )
        return table

    @property
    def n_units(self) -> int:
        """The units of the table, rated or not."""
        return len(self.unit_labels)

    @property
    def n_raters(self) -> int:
        """The raters of the table, whether or not they rated."""
        return len(self.rater_labels)

    @property
    def n_points(self) -> int:
        """The points of the scale."""
        return len(self.points)

    @property
    def n_ratings(self) -> int:
        """The ratings in the table."""
        return len(self.point_index)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The label of each unit."""
        return tuple(map(str, self.unit_labels))

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """The label of each rater."""
        return tuple(map(str, self.rater_labels))

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """The label of each unit's cluster."""
        return tuple(str(self.cluster_labels[code]) for code in self.cluster_index)

    @cached_property
    def values(self) -> Floats:
        """The full table, shape (n_units, n_raters), NaN where missing; read only."""
        full = np.full((self.n_units, self.n_raters), np.nan)
        full[self.unit_index, self.rater_index] = self.rating_values
        full.flags.writeable = False
        return full

    @property
    def rating_values(self) -> Floats:
        """The value of each rating, shape (n_ratings,)."""
        return np.asarray(self.points)[self.point_index]

    @cached_property
    def ratings_per_unit(self) -> npt.NDArray[np.intp]:
        """How many ratings each unit has, shape (n_units,)."""
        return np.bincount(self.unit_index, minlength=self.n_units)

    @cached_property
    def active_raters(self) -> Codes:
        """The raters who gave a rating, as places in `raters`."""
        seen = np.zeros(self.n_raters, dtype=bool)
        seen[self.rater_index] = True
        return np.flatnonzero(seen)

    def only(
        self,
        *,
        raters: Collection[str] | None = None,
        units: npt.NDArray[np.bool_] | None = None,
    ) -> "RatingTable":
        """Return the table of some raters, of some units, or of both.

        Parameters
        ----------
        raters : collection of str, optional
            Labels to keep, in the order of this table.
        units : array of bool, shape (n_units,), optional

        Returns
        -------
        RatingTable
            Clusters keep their labels; those left without a unit are gone.

        Raises
        ------
        StatsError
            A rater is not in the table.
        """
        keep_rater = np.ones(self.n_raters, dtype=bool)
        if raters is not None:
            unknown = sorted(set(raters) - set(self.raters))
            if unknown:
                raise StatsError(f"no rater {unknown[0]} in the table")
            keep_rater = np.array([label in raters for label in self.raters], bool)
        keep_unit = np.ones(self.n_units, bool) if units is None else np.asarray(units)
        rows = keep_rater[self.rater_index] & keep_unit[self.unit_index]
        clusters, cluster_codes = np.unique(
            self.cluster_index[keep_unit], return_inverse=True
        )
        table = type(self).__new__(type(self))
        table._fill(
            self.points,
            (np.cumsum(keep_unit) - 1)[self.unit_index[rows]],
            (np.cumsum(keep_rater) - 1)[self.rater_index[rows]],
            self.point_index[rows],
            cluster_codes.astype(np.intp),
            self.unit_labels[keep_unit],
            self.rater_labels[keep_rater],
            self.cluster_labels[clusters],
        )
        return table

    def rated_by(self, rater: str) -> npt.NDArray[np.bool_]:
        """Return which units `rater` has rated, shape (n_units,).

        Raises
        ------
        StatsError
            The rater is not in the table.
        """
        if rater not in self.raters:
            raise StatsError(f"no rater {rater} in the table")
        rated = np.zeros(self.n_units, dtype=bool)
        rated[self.unit_index[self.rater_index == self.raters.index(rater)]] = True
        return rated


def _scale(points: Sequence[float]) -> tuple[float, ...]:
    scale = tuple(sorted(float(point) for point in points))
    if not scale:
        raise StatsError("a scale needs at least one point")
    if len(scale) > MOST_POINTS:
        raise StatsError(
            f"a scale of {len(scale)} points; at most {MOST_POINTS}: round the values"
        )
    if not np.isfinite(scale).all():
        raise StatsError("a point of the scale is not a number")
    if len(set(scale)) != len(scale):
        raise StatsError("the same point stands on the scale twice")
    return scale


def _place_on(scale: tuple[float, ...], values: npt.NDArray[Any]) -> Codes:
    """Return where on the scale each value is; raise on the first that is not on it."""
    if len(values) == 0:
        return np.zeros(0, dtype=np.intp)
    points = np.asarray(scale)
    if values.dtype.kind in "iu" and points[-1] - points[0] == len(points) - 1:
        places = values.astype(np.intp, copy=False)
        if points[0]:
            places = places - int(points[0])
        if places.min() >= 0 and places.max() < len(points):
            return places
    places = np.minimum(np.searchsorted(points, values), len(points) - 1)
    off = np.flatnonzero(points[places] != values)
    if len(off):
        shown = ", ".join(f"{point:g}" for point in scale[:12])
        shown += ", ..." if len(scale) > 12 else ""
        raise StatsError(f"value {values[off[0]]:g} is not on the scale ({shown})")
    return places


def _first_repeat(
    units: Codes, raters: Codes, n_units: int, n_raters: int
) -> tuple[int, int] | None:
    """Return a unit and a rater that meet twice, or None."""
    keys = units * n_raters + raters
    n_cells = n_units * n_raters
    if n_cells <= 64 * len(keys) + 1_000_000:
        seen = np.zeros(n_cells, dtype=bool)
        seen[keys] = True
        if np.count_nonzero(seen) == len(keys):
            return None
    ordered = np.sort(keys)
    repeats = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeats) == 0:
        return None
    unit, rater = divmod(int(repeats[0]), n_raters)
    return unit, rater
