"""Agreement on each point of a scale by itself."""

import numpy as np
import numpy.typing as npt

from stats.estimates import estimate, paired_basis, undefined, why_no_agreement
from stats.resampling import bootstrap as resample
from stats.results import Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]


def specific_agreement(
    table: RatingTable, *, bootstrap: int = 1000, seed: int = 0, level: float = 0.95
) -> dict[float, Estimate]:
    """Return the agreement on each point: when one rater chose it, how often others.

    Parameters
    ----------
    table : RatingTable
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of float to Estimate
        By point, each in 0 to 1. Undefined for a point nobody gave to a unit with two
        ratings, and wherever agreement as a whole is.

    Raises
    ------
    StatsError
        The resampling is not possible as described.

    References
    ----------
    Cicchetti, D. V. and Feinstein, A. R. (1990). High Agreement but Low Kappa: II.
    Uebersax, J. (2002), for several raters: sum n (n - 1) / sum n (m - 1).

    Examples
    --------
    Two raters with 40 (1, 1), 9 (1, 2), 6 (2, 1), 45 (2, 2) agree on 1 in
    2 * 40 / (2 * 40 + 15):

    >>> pairs = [[1, 1]] * 40 + [[1, 2]] * 9 + [[2, 1]] * 6 + [[2, 2]] * 45
    >>> found = specific_agreement(RatingTable(pairs, points=(1, 2)), bootstrap=0)
    >>> round(found[1.0].value, 4)
    0.8421
    """
    basis = paired_basis(table)
    why = why_no_agreement(table)
    if why:
        return dict.fromkeys(table.points, undefined(basis, why))
    n_points = table.n_points
    cells, counts = np.unique(
        table.unit_index * n_points + table.point_index, return_counts=True
    )
    unit, point = np.divmod(cells, n_points)
    others = table.ratings_per_unit[unit] - 1
    sums = row_sums(
        table.cluster_index,
        [
            (unit, point, counts * (counts - 1.0)),
            (unit, n_points + point, counts * others.astype(float)),
        ],
        2 * n_points,
    )
    draws = resample(
        sums,
        lambda rows: {
            f"{place}": ratio(rows[:, place], rows[:, n_points + place])
            for place in range(n_points)
        },
        n_resamples=bootstrap,
        rng=np.random.default_rng(seed),
    )
    return {
        value: estimate(
            draws[f"{place}"], basis, level=level, undefined_note="nobody gave it"
        )
        for place, value in enumerate(table.points)
    }
