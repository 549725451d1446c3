"""Kappas of every two raters, and their mean weighted by the units they share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.cluster_kinds import cluster_kinds
from stats.labels import Codes
from stats.patterns import distinct_keys, unit_keys
from stats.rating_pairs import rating_pairs
from stats.resampling import ClusterSums
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
FEWEST_SHARED = 10
MOST_POINTS_AT_ONCE = 12
MEETINGS_AT_ONCE = 2_000_000
DISAGREEMENTS = ("nominal", "linear", "quadratic")


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """Units that two raters share, for every two raters who share enough.

    Attributes
    ----------
    first_rater, second_rater : array of int, shape (n_pairs,)
    n_shared : array of int, shape (n_pairs,)
    pair : array of int, shape (n_meetings,)
        The pair of raters that meets.
    unit : array of int, shape (n_meetings,)
    left, right : array of int, shape (n_meetings,)
        The point given by the first and by the second rater.
    n_few : int
        Pairs of raters that share units, but too few.
    points : array of float, shape (n_points,)
    """

    first_rater: Codes
    second_rater: Codes
    n_shared: Codes
    pair: Codes
    unit: Codes
    left: Codes
    right: Codes
    n_few: int
    points: Floats

    @property
    def n_pairs(self) -> int:
        """Pairs of raters that share enough units."""
        return len(self.n_shared)

    @cached_property
    def n_units(self) -> int:
        """Units that at least one of the pairs shares."""
        return len(np.unique(self.unit))


def shared_units(
    table: RatingTable,
    *,
    fewest: int = FEWEST_SHARED,
    between: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]] | None = None,
) -> SharedUnits:
    """Return what every two raters gave the units they share.

    Parameters
    ----------
    table : RatingTable
    fewest : int
        Pairs that share fewer units are dropped and counted.
    between : two arrays of bool, shape (n_raters,), optional
        Keep pairs with one rater in each; the first array's rater comes first.

    Returns
    -------
    SharedUnits
    """
    met = rating_pairs(table.unit_index, table.ratings_per_unit)
    one, other = table.rater_index[met.first], table.rater_index[met.second]
    swap = one > other
    unit, first, second = met.unit, met.first, met.second
    if between is not None:
        straight = between[0][one] & between[1][other]
        swap = between[1][one] & between[0][other] & ~straight
        kept = np.flatnonzero(straight | swap)
        unit, first, second, swap = unit[kept], first[kept], second[kept], swap[kept]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    codes = table.rater_index[first] * table.n_raters + table.rater_index[second]
    example, pair, n_shared = distinct_keys(codes)
    enough = n_shared >= fewest
    if not enough.all():
        kept = np.flatnonzero(enough[pair])
        unit, first, second, pair = unit[kept], first[kept], second[kept], pair[kept]
        pair = (np.cumsum(enough) - 1)[pair]
    distinct = codes[example[enough]]
    return SharedUnits(
        distinct // table.n_raters,
        distinct % table.n_raters,
        n_shared[enough],
        pair,
        unit,
        table.point_index[first],
        table.point_index[second],
        int((~enough).sum()),
        np.asarray(table.points),
    )


def kinds_with_raters(table: RatingTable) -> tuple[Codes, Codes, Codes]:
    """Return clusters alike in who gave what: their units' cluster, one, how many.

    Returns
    -------
    cluster : array of int, shape (n_units,)
    example, multiplicity : array of int, shape (n_kinds,)
    """
    ratings = table.rater_index * table.n_points + table.point_index
    keys = unit_keys(
        table.unit_index,
        ratings,
        table.ratings_per_unit,
        table.n_raters * table.n_points,
    )
    first, kind, _ = distinct_keys(keys)
    alike = cluster_kinds(table, kind, len(first))
    return alike.cluster, alike.example, alike.multiplicity


def kappa_sums(table: RatingTable, shared: SharedUnits) -> ClusterSums:
    """Return the sums behind the kappas of every pair.

    A pair has 2 n_points + 3 columns: how often its first rater gave each point, its
    second rater each point, and the sums of their disagreements.
    """
    cluster, example, multiplicity = kinds_with_raters(table)
    place = np.full(int(cluster.max(initial=-1)) + 2, -1)
    place[example] = np.arange(len(example))
    rows = place[cluster[shared.unit]]
    kept = np.flatnonzero(rows >= 0)
    at, columns, entries, n_columns = _entries(shared, kept)
    sums = sparse.csr_array(
        (entries, (rows[kept][at], columns)), shape=(len(example), n_columns)
    )
    return ClusterSums(sums, multiplicity)


def kappa_totals(table: RatingTable) -> tuple[Floats, SharedUnits]:
    """Return the sums of `kappa_sums` over all clusters, without keeping meetings.

    For tables in which so many raters share so many units that their meetings would
    not fit into memory.

    Returns
    -------
    array of float, shape (1, n_pairs * (2 n_points + 3))
    SharedUnits
        Without the meetings.
    """
    k, width = table.n_raters, 2 * table.n_points + len(DISAGREEMENTS)
    whole = np.zeros((k * k, width))
    meetings = np.cumsum(table.ratings_per_unit * (table.ratings_per_unit - 1) // 2)
    block = meetings // MEETINGS_AT_ONCE
    for number in np.unique(block).tolist():
        shared = shared_units(table.only(units=block == number), fewest=1)
        _, columns, entries, n_columns = _entries(shared, np.arange(len(shared.unit)))
        sums = np.bincount(columns, entries, n_columns).reshape(-1, width)
        whole[shared.first_rater * k + shared.second_rater] += sums
    n_shared = whole[:, : table.n_points].sum(axis=1).round().astype(np.intp)
    pairs = np.flatnonzero(n_shared >= FEWEST_SHARED)
    nothing = np.zeros(0, dtype=np.intp)
    few = int(((n_shared > 0) & (n_shared < FEWEST_SHARED)).sum())
    found = SharedUnits(
        pairs // k,
        pairs % k,
        n_shared[pairs],
        nothing,
        nothing,
        nothing,
        nothing,
        few,
        np.asarray(table.points),
    )
    return whole[pairs].reshape(1, -1), found


def _entries(shared: SharedUnits, kept: Codes) -> tuple[Codes, Codes, Floats, int]:
    """Return what meetings add: which of `kept`, the column, how much; and columns."""
    n_points = len(shared.points)
    width = 2 * n_points + len(DISAGREEMENTS)
    start = shared.pair[kept] * width
    left, right = shared.left[kept], shared.right[kept]
    rows = np.arange(len(kept))
    differ = np.flatnonzero(left != right)
    apart = np.abs(shared.points[left[differ]] - shared.points[right[differ]])
    apart /= max(np.ptp(shared.points), 1e-300)
    last = start[differ] + 2 * n_points
    ones = np.ones(len(rows))
    entries = [ones, ones, np.ones(len(differ)), apart, apart**2]
    columns = [start + left, start + n_points + right, last, last + 1, last + 2]
    at = [rows, rows, rows[differ], rows[differ], rows[differ]]
    return (
        np.concatenate(at),
        np.concatenate(columns),
        np.concatenate(entries),
        shared.n_pairs * width,
    )


def pair_kappas(sums: Floats, shared: SharedUnits) -> tuple[dict[str, Floats], Floats]:
    """Return the kappas of each pair in each row of sums, and the units shared.

    Returns
    -------
    dict of str to array of float, shape (n, n_pairs)
        By the disagreement: "nominal" (Cohen's kappa), "linear", "quadratic"; and
        "scott" (Scott's pi). NaN where both raters gave one and the same point
        throughout.
    array of float, shape (n, n_pairs)

    References
    ----------
    Cohen, J. (1960). A Coefficient of Agreement for Nominal Scales. Cohen, J. (1968).
    Weighted Kappa. Psychological Bulletin 70(4), 213-220. Scott, W. A. (1955).
    Reliability of Content Analysis. Public Opinion Quarterly 19(3), 321-325.
    """
    n_points = len(shared.points)
    cube = sums.reshape(len(sums), shared.n_pairs, 2 * n_points + 3)
    left, right = cube[..., :n_points], cube[..., n_points : 2 * n_points]
    n_shared = left.sum(axis=-1)
    scale = (shared.points - shared.points.mean()) / max(np.ptp(shared.points), 1e-300)
    expected = _expected_disagreements(left, right, n_shared, scale.astype(sums.dtype))
    # A single shared point leaves dust where the expected disagreement should be 0.
    varied = ((left + right) > 0).sum(axis=-1) > 1
    kappas = {}
    for name, by_chance in expected.items():
        defined = varied & (by_chance > 0)
        place = DISAGREEMENTS.index("nominal" if name == "scott" else name)
        observed = cube[..., 2 * n_points + place] * n_shared
        kappas[name] = np.where(
            defined, 1 - observed / np.where(defined, by_chance, 1), np.nan
        )
    return kappas, n_shared


def _expected_disagreements(
    left: Floats, right: Floats, n_shared: Floats, scale: Floats
) -> dict[str, Floats]:
    """Return expected disagreements times the squared number of shared units."""
    left_sum, right_sum = left @ scale, right @ scale
    return {
        "nominal": n_shared**2 - (left * right).sum(axis=-1),
        "linear": _linear(left, right, n_shared, scale),
        "quadratic": n_shared * (left @ scale**2 + right @ scale**2)
        - 2 * left_sum * right_sum,
        "scott": n_shared**2 - ((left + right) ** 2).sum(axis=-1) / 4,
    }


def _linear(left: Floats, right: Floats, n_shared: Floats, scale: Floats) -> Floats:
    """Return the sum over both margins of the distance between their points."""
    if len(scale) <= MOST_POINTS_AT_ONCE:
        apart = np.abs(np.subtract.outer(scale, scale))
        return np.asarray(((left @ apart) * right).sum(axis=-1))
    # On long scales the distance is added up over the gaps between points.
    below_left = np.cumsum(left, axis=-1)[..., :-1]
    below_right = np.cumsum(right, axis=-1)[..., :-1]
    whole = n_shared[..., None]
    crossing = below_left * (whole - below_right) + below_right * (whole - below_left)
    return np.asarray(crossing @ np.diff(scale))


def weighted_mean(per_pair: Floats, weights: Floats) -> Floats:
    """Return the mean over pairs weighted by shared units, leaving out undefined ones.

    Returns
    -------
    array of float, shape (n,)
        NaN where every pair is undefined.
    """
    weights = np.where(np.isnan(per_pair), 0, weights)
    total = weights.sum(axis=1)
    summed = (np.nan_to_num(per_pair) * weights).sum(axis=1)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)
