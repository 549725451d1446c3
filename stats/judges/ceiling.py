"""The judge's agreement with people beside the agreement among those people."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.agreement import agreement
from stats.estimates import estimate, undefined
from stats.judges.sides import NOTHING_SHARED, sides
from stats.pairwise_kappas import kappa_estimates
from stats.resampling import Resampling, bootstrap_columns, draws_of
from stats.results import Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
SHARES = ("exact", "within_one")
KAPPAS = ("kappa_cohen", "kappa_linear", "kappa_quadratic")


@dataclass(frozen=True)
class Ceiling:
    """Two columns to print side by side.

    Attributes
    ----------
    judge : dict of str to Estimate
        The judge with each person: `exact`, `within_one`, and the mean kappas.
    people : dict of str to Estimate
        The same among people, on the units that the judge rated; and the alphas.
    """

    judge: dict[str, Estimate]
    people: dict[str, Estimate]


def ceiling(
    table: RatingTable,
    judge: str,
    people: Collection[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Ceiling:
    """Return the judge's agreement with people, and people's with each other.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    Ceiling
        Both rest on the units that the judge rated. Undefined as the coefficients are.

    Raises
    ------
    StatsError
        A rater is not in the table.

    References
    ----------
    Cohen (1960, 1968), Krippendorff (2011), as in `stats.agreement`.

    Examples
    --------
    >>> values = [[1, 1, 2], [2, 2, 2], [3, 3, 3], [1, 2, 1]]
    >>> table = RatingTable(values, (1, 2, 3), None, ["a", "b", "J"])
    >>> found = ceiling(table, "J", bootstrap=0)
    >>> found.judge["exact"].value, found.people["exact"].value
    (0.625, 0.75)
    """
    how = Resampling(bootstrap, seed, level)
    shared = sides(table, judge, people)
    chosen = table.only(raters={judge, *shared.people}, units=table.rated_by(judge))
    is_judge = np.array([label == judge for label in chosen.raters], dtype=bool)
    if shared.n_units == 0:
        none = undefined(shared.basis(), NOTHING_SHARED)
        of_judge = dict.fromkeys((*SHARES, *KAPPAS), none)
    else:
        of_judge = _shares(table, judge, people, how) | kappa_estimates(
            chosen, list(KAPPAS), how, between=(is_judge, ~is_judge)
        )
    among = agreement(
        chosen.only(raters=set(shared.people)),
        coefficients=(*SHARES, *KAPPAS, "alpha_nominal", "alpha_ordinal", "ac1"),
        bootstrap=bootstrap,
        seed=seed,
        level=level,
    )
    return Ceiling(of_judge, among)


def _shares(
    table: RatingTable, judge: str, people: Collection[str] | None, how: Resampling
) -> dict[str, Estimate]:
    """Return the mean over units of the share of people near the judge's point."""
    shared = sides(table, judge, people)
    apart = np.abs(shared.point - shared.judge[shared.row])
    weight = 1 / shared.per_unit[shared.row]
    rows, columns = np.arange(len(apart)), np.zeros(len(apart), dtype=np.intp)
    sums = row_sums(
        shared.cluster[shared.row],
        [
            (rows, columns, (apart == 0) * weight),
            (rows, columns + 1, (apart <= 1) * weight),
            (rows, columns + 2, weight),
        ],
        3,
    )
    points, resamples = bootstrap_columns(
        sums,
        lambda totals: ratio(totals[:, :2], totals[:, 2:]),
        n_resamples=how.bootstrap,
        rng=np.random.default_rng(how.seed),
    )
    return {
        name: estimate(
            draws_of(points, resamples, column, sums.n_clusters),
            shared.basis(),
            level=how.level,
        )
        for column, name in enumerate(SHARES)
    }


def confusion(
    table: RatingTable, judge: str, people: Collection[str] | None = None
) -> npt.NDArray[np.intp]:
    """Return how often people gave the row's point where the judge gave the column's.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.

    Returns
    -------
    array of int, shape (n_points, n_points)
        One count for every rating by a person of a unit that the judge rated.

    Raises
    ------
    StatsError
        A rater is not in the table.

    References
    ----------
    None: these are counts.

    Examples
    --------
    >>> table = RatingTable([[1, 2], [2, 2]], (1, 2), None, ["a", "J"])
    >>> confusion(table, "J").tolist()
    [[0, 1], [0, 1]]
    """
    shared = sides(table, judge, people)
    n_points = len(shared.points)
    cells = shared.point * n_points + shared.judge[shared.row]
    return np.bincount(cells, minlength=n_points**2).reshape(n_points, n_points)
