"""Judge against the rest without one person, that person against the same rest."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.estimates import Basis, estimate
from stats.judges.sides import Sides, sides
from stats.resampling import bootstrap_columns, draws_of
from stats.results import Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
MEASURES = ("exact", "within_one", "distance")
NOT_ENOUGH = "no unit has the judge and two people"


@dataclass(frozen=True)
class LeaveOneOut:
    """How close the judge and a person come to the same other people.

    Attributes
    ----------
    judge, person, difference : Estimate
        Means over every person left out, weighted by their units; the difference is
        the judge less the person.
    by_person : dict of str to (float or None, float or None, int)
        The judge's and the person's figure with that person left out, and the units.
    """

    judge: Estimate
    person: Estimate
    difference: Estimate
    by_person: dict[str, tuple[float | None, float | None, int]]


@dataclass(frozen=True, eq=False)
class Contests:
    """Every unit at which one person may be left out.

    Attributes
    ----------
    row : array of int, shape (n,)
        The unit, as a row of `Sides.units`.
    person : array of int, shape (n,)
        Who is left out.
    judge_score, person_score : array of float, shape (n,)
        How close each comes to the rest.
    """

    row: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    judge_score: Floats
    person_score: Floats


def contests(shared: Sides, measure: str) -> Contests:
    """Return how close judge and person come to the rest, for each person left out.

    Parameters
    ----------
    shared : Sides
    measure : {"exact", "within_one", "distance"}
        Share of the rest with the same point; share at most one point of the scale
        away; root mean squared distance from the rest (less is better).

    Returns
    -------
    Contests
        Units with one person are left out.

    Raises
    ------
    StatsError
        `measure` is none of these.
    """
    if measure not in MEASURES:
        raise StatsError(f"the measure must be one of {MEASURES}, not {measure!r}")
    kept = np.flatnonzero(shared.per_unit[shared.row] > 1)
    row, own = shared.row[kept], shared.point[kept]
    others = shared.per_unit[row] - 1
    judge = shared.judge[row]
    if measure == "distance":
        values = shared.points - shared.points.mean()
        total = np.bincount(shared.row, values[shared.point], shared.n_units)[row]
        squares = np.bincount(shared.row, values[shared.point] ** 2, shared.n_units)[
            row
        ]
        total, squares = total - values[own], squares - values[own] ** 2

        def score(point: npt.NDArray[np.intp]) -> Floats:
            value = values[point]
            mean = (squares - 2 * value * total) / others + value**2
            return np.asarray(np.sqrt(np.maximum(mean.round(12), 0)))

    else:
        reach = 0 if measure == "exact" else 1
        n_points = len(shared.points)
        cells = np.bincount(
            shared.row * n_points + shared.point,
            minlength=shared.n_units * n_points,
        ).reshape(shared.n_units, n_points)
        within = np.zeros((shared.n_units, n_points + 1))
        within[:, 1:] = np.cumsum(cells, axis=1)
        own_itself = own

        def score(point: npt.NDArray[np.intp]) -> Floats:
            low = np.maximum(point - reach, 0)
            high = np.minimum(point + reach, n_points - 1) + 1
            met = within[row, high] - within[row, low]
            met -= np.abs(own_itself - point) <= reach
            return np.asarray(met / others)

    return Contests(row, shared.person[kept], score(judge), score(own))


def leave_one_out(
    table: RatingTable,
    judge: str,
    people: Collection[str] | None = None,
    *,
    measure: str = "exact",
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> LeaveOneOut:
    """Return how the judge fares in a person's place.

    The mean of several people is easier to agree with than one person, so both sides
    meet the same rest: everybody but the person left out.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.
    measure : {"exact", "within_one", "distance"}
        Shares in 0 to 1, more is better; or the root mean squared distance in points
        of the scale, less is better.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    LeaveOneOut
        Undefined where no unit has the judge and two people.

    Raises
    ------
    StatsError
        A rater is not in the table, or `measure` is not known.

    References
    ----------
    The design is that of Calderon, N., Reichart, R. and Dror, R. (2025). The
    Alternative Annotator Test. ACL 2025. https://arxiv.org/abs/2501.10970

    Examples
    --------
    >>> table = RatingTable([[1, 1, 1], [2, 3, 2]], (1, 2, 3), None, ["a", "b", "J"])
    >>> found = leave_one_out(table, "J", bootstrap=0)
    >>> found.judge.value, found.person.value
    (0.75, 0.5)
    """
    shared = sides(table, judge, people)
    met = contests(shared, measure)
    k, n = len(shared.people), len(met.row)
    rows = np.arange(n)
    sums = row_sums(
        shared.cluster[met.row],
        [
            (rows, met.person, met.judge_score),
            (rows, k + met.person, met.person_score),
            (rows, 2 * k + met.person, np.ones(n)),
        ],
        3 * k,
    )

    def statistic(totals: Floats) -> Floats:
        count = totals[:, 2 * k :].sum(axis=1)
        judged = ratio(totals[:, :k].sum(axis=1), count)
        person = ratio(totals[:, k : 2 * k].sum(axis=1), count)
        return np.column_stack([judged, person, judged - person])

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    n_units = len(np.unique(met.row))
    basis = Basis(n_units, 1 + len(np.unique(met.person)), n + n_units)
    found = [
        estimate(
            draws_of(points, resamples, column, sums.n_clusters),
            basis,
            level=level,
            undefined_note=NOT_ENOUGH,
        )
        for column in range(3)
    ]
    counts = np.bincount(met.person, minlength=k)
    judged = np.bincount(met.person, met.judge_score, k)
    person = np.bincount(met.person, met.person_score, k)
    by_person = {
        name: (
            (judged[at] / counts[at], person[at] / counts[at], int(counts[at]))
            if counts[at]
            else (None, None, 0)
        )
        for at, name in enumerate(shared.people)
    }
    return LeaveOneOut(found[0], found[1], found[2], by_person)
