"""Intraclass correlations from sums, and the sums of a crossed design."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.cluster_kinds import cluster_kinds
from stats.count_sums import CountLayout
from stats.labels import Codes
from stats.patterns import distinct_keys, unit_keys
from stats.resampling import ClusterSums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]


def one_way(sums: Floats, layout: CountLayout) -> dict[str, Floats]:
    """Return ICC(1) and ICC(1, k) of each row of sums.

    Units may have different numbers of ratings; k is then their usual effective
    number, (N - sum(m**2) / N) / (n - 1).

    Returns
    -------
    dict of str to array of float, shape (n,)
        `icc_1` and `icc_1k`; NaN without two units, without a unit rated twice, or
        without any spread.

    References
    ----------
    Shrout, P. E. and Fleiss, J. L. (1979). Intraclass Correlations. Psychological
    Bulletin 86(2), 420-428. Donner, A. (1986). International Statistical Review 54(1),
    67-82, for unequal numbers.
    """
    _, n, total_m, squared_m, total, squares, unit_squares = layout.moments(sums).T
    within_df = total_m - n
    defined = (n > 1) & (within_df > 0) & _two_values(layout.value_shares(sums))
    safe_m = np.where(defined, total_m, 1)
    between = (unit_squares - total**2 / safe_m) / np.where(defined, n - 1, 1)
    within = (squares - unit_squares) / np.where(defined, within_df, 1)
    size = (total_m - squared_m / safe_m) / np.where(defined, n - 1, 1)
    return {
        "icc_1": _quotient(between - within, between + (size - 1) * within, defined),
        "icc_1k": _quotient(between - within, between, defined),
    }


def _two_values(shares: Floats) -> npt.NDArray[np.bool_]:
    return np.asarray((shares > 0).sum(axis=1) > 1)


def _quotient(
    numerator: Floats, denominator: Floats, defined: npt.NDArray[np.bool_]
) -> Floats:
    defined = defined & (np.abs(denominator) > 1e-12)
    return np.where(defined, numerator / np.where(defined, denominator, 1), np.nan)


@dataclass(frozen=True, eq=False)
class Crossed:
    """A table in which every rater rated every rated unit.

    Attributes
    ----------
    places : array of int, shape (n_units, n_raters)
        Where on the scale each rating stands.
    kind : array of int, shape (n_units,)
        Units alike in every rating share a kind.
    example : array of int, shape (n_kinds,)
        One unit of each kind.
    held : sparse array, shape (n_cluster_kinds, n_kinds)
    multiplicity : array of int, shape (n_cluster_kinds,)
    """

    places: Codes
    kind: Codes
    example: Codes
    held: sparse.csr_array
    multiplicity: Codes


def why_not_crossed(table: RatingTable) -> str:
    """Return why the table is not crossed, or nothing where it is."""
    per_unit = table.ratings_per_unit
    raters = len(table.active_raters)
    rated = int((per_unit > 0).sum())
    complete = int((per_unit == raters).sum())
    if complete == rated:
        return ""
    return (
        f"needs a crossed design: all {raters} raters rated {complete} of {rated} units"
    )


def crossed(table: RatingTable) -> Crossed:
    """Return the crossed design of a table for which `why_not_crossed` is empty."""
    raters, rater = np.unique(table.rater_index, return_inverse=True)
    rated = table.ratings_per_unit > 0
    row = (np.cumsum(rated) - 1)[table.unit_index]
    places = np.zeros((int(rated.sum()), len(raters)), dtype=np.intp)
    places[row, rater] = table.point_index
    kinds = rater * table.n_points + table.point_index
    keys = unit_keys(
        table.unit_index, kinds, table.ratings_per_unit, len(raters) * table.n_points
    )
    first, kind, _ = distinct_keys(keys)
    alike = cluster_kinds(table, kind, len(first))
    held = alike.held(kind, len(first))
    return Crossed(
        places, kind[rated], (np.cumsum(rated) - 1)[first], held, alike.multiplicity
    )


def two_way_sums(table: RatingTable, design: Crossed) -> ClusterSums:
    """Return the sums that ICC(A) and ICC(C) are made of.

    Columns: the units, the sum of squares, the sum of squared unit totals, and the
    total of each rater.
    """
    centred = np.asarray(table.points) - np.mean(table.points)
    values = centred[design.places[design.example]]
    features = np.column_stack(
        [np.ones(len(values)), (values**2).sum(axis=1), values.sum(axis=1) ** 2, values]
    )
    return ClusterSums(design.held @ features, design.multiplicity)


def two_way(sums: Floats) -> dict[str, Floats]:
    """Return ICC(A, 1), ICC(C, 1) and their k forms of each row of sums.

    ICC(A, 1) is ICC2 and ICC(C, 1) is ICC3 of Shrout and Fleiss.

    Returns
    -------
    dict of str to array of float, shape (n,)
        `icc_a1`, `icc_c1`, `icc_ak`, `icc_ck`; NaN without two units or any spread,
        and for `icc_ak` where its denominator is not above zero.

    References
    ----------
    McGraw, K. O. and Wong, S. P. (1996). Forming Inferences About Some Intraclass
    Correlation Coefficients. Psychological Methods 1(1), 30-46.
    """
    n, squares, unit_squares = sums[:, 0], sums[:, 1], sums[:, 2]
    rater_totals = sums[:, 3:]
    k = rater_totals.shape[1]
    defined = (n > 1) & (k > 1)
    n = np.where(defined, n, 2)
    correction = rater_totals.sum(axis=1) ** 2 / (n * k)
    all_squares = squares - correction
    between_units = unit_squares / k - correction
    between_raters = (rater_totals**2).sum(axis=1) / n - correction
    rows = between_units / (n - 1)
    columns = between_raters / max(k - 1, 1)
    rest = all_squares - between_units - between_raters
    error = rest / ((n - 1) * max(k - 1, 1))
    defined &= all_squares > 1e-9 * np.maximum(squares, 1e-12)
    over = rows - error
    # With a negative variance between units both terms of ICC(A, k) can be below
    # zero, and their quotient would look like agreement.
    averaged = rows + (columns - error) / n
    return {
        "icc_a1": _quotient(
            over, rows + (k - 1) * error + k * (columns - error) / n, defined
        ),
        "icc_c1": _quotient(over, rows + (k - 1) * error, defined),
        "icc_ak": _quotient(over, averaged, defined & (averaged > 0)),
        "icc_ck": _quotient(over, rows, defined),
    }
