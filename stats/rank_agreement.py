"""Agreement on the order of units: Kendall's W, mean Spearman, mean tau-b."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy import stats as scipy_stats

from stats import icc
from stats.count_sums import MOST_DENSE_POINTS
from stats.estimates import (
    Basis,
    estimate,
    paired_basis,
    rated_basis,
    undefined,
    why_no_agreement,
)
from stats.rater_pairs import (
    FEWEST_SHARED,
    SharedUnits,
    kinds_with_raters,
    shared_units,
    weighted_mean,
)
from stats.resampling import ClusterSums, Draws, draw_multiplicities
from stats.resampling import bootstrap as resample
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
CELLS_AT_ONCE = 4_000_000


def rank_estimates(
    table: RatingTable,
    names: Sequence[str] = ("kendall_w", "spearman", "kendall_tau"),
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    method: str = "percentile",
) -> dict[str, Estimate]:
    """Return agreement on the order of units.

    Parameters
    ----------
    table : RatingTable
    names : sequence of {"kendall_w", "spearman", "kendall_tau"}
    bootstrap, seed, level, method
        As for `stats.agreement.agreement`. Ranks are taken anew in each resample.

    Returns
    -------
    dict of str to Estimate
        W lies in 0 to 1 and needs a crossed design; the others lie in -1 to 1 and are
        means over pairs of raters that share 10 units, weighted by shared units.
        Intervals of the latter are given on scales of up to 12 points, and by
        percentiles only.

    Raises
    ------
    StatsError
        The resampling is not possible as described.

    References
    ----------
    Kendall, M. G. and Smith, B. B. (1939). The Problem of m Rankings. Kendall, M. G.
    (1945). The Treatment of Ties in Ranking Problems. Biometrika 33(3), 239-251.

    Examples
    --------
    >>> values = [[1, 1], [2, 3], [3, 2], [4, 4]]
    >>> table = RatingTable(values, points=(1, 2, 3, 4))
    >>> round(rank_estimates(table, ["kendall_w"], bootstrap=0)["kendall_w"].value, 3)
    0.9
    """
    why = why_no_agreement(table)
    if why:
        return dict.fromkeys(names, undefined(paired_basis(table), why))
    found: dict[str, Estimate] = {}
    rng = np.random.default_rng(seed)
    if "kendall_w" in names:
        why = icc.why_not_crossed(table)
        basis = rated_basis(table)
        found["kendall_w"] = (
            undefined(basis, why)
            if why
            else estimate(
                concordance(icc.crossed(table), table.n_points, bootstrap, rng),
                basis,
                level=level,
                undefined_note="a rater gave every unit the same",
            )
        )
    of_pairs = [name for name in names if name != "kendall_w"]
    if of_pairs:
        found |= _pair_means(table, of_pairs, bootstrap, rng, level)
    return found


def concordance(
    design: icc.Crossed, n_points: int, n_resamples: int, rng: np.random.Generator
) -> Draws:
    """Return Kendall's W with ties, and its resamples with ranks taken anew.

    Returns
    -------
    Draws
        NaN where every rater gave all units the same, or there is one unit.
    """
    places = design.places[design.example]
    n_kinds, n_raters = places.shape
    block = max(1, CELLS_AT_ONCE // max(n_kinds * n_raters, 1))
    parts = []
    point = float(
        _concordance(design.multiplicity[None] @ design.held, places, n_points)[0]
    )
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        drawn = draw_multiplicities(rng, design.multiplicity, size)
        parts.append(_concordance(drawn @ design.held, places, n_points))
    resamples = np.concatenate(parts or [np.zeros(0)])
    return Draws(point, resamples, None, None, int(design.multiplicity.sum()))


def _concordance(
    weights: Floats, places: npt.NDArray[np.intp], n_points: int
) -> Floats:
    n = weights.sum(axis=1)
    n_raters = places.shape[1]
    totals = np.zeros(weights.shape)
    ties = np.zeros(len(weights))
    for rater in range(n_raters):
        given = sparse.csr_array(
            (np.ones(len(places)), (np.arange(len(places)), places[:, rater])),
            shape=(len(places), n_points),
        )
        margins = weights @ given
        ranks = np.cumsum(margins, axis=1) - (margins - 1) / 2
        totals += ranks[:, places[:, rater]]
        ties += (margins**3 - margins).sum(axis=1)
    mean = n_raters * (n + 1) / 2
    spread = (weights * (totals - mean[:, None]) ** 2).sum(axis=1)
    most = (n_raters**2 * (n**3 - n) - n_raters * ties) / 12
    defined = most > 1e-9
    return np.where(defined, spread / np.where(defined, most, 1), np.nan)


def _pair_means(
    table: RatingTable,
    names: Sequence[str],
    n_resamples: int,
    rng: np.random.Generator,
    level: float,
) -> dict[str, Estimate]:
    shared = shared_units(table)
    basis = paired_basis(table)
    if shared.n_pairs == 0:
        note = f"no two raters share {FEWEST_SHARED} units"
        return dict.fromkeys(names, undefined(basis, note))
    dropped = dict(basis.dropped)
    if shared.n_few:
        dropped[f"pairs of raters that share fewer than {FEWEST_SHARED} units"] = (
            shared.n_few
        )
    raters = np.union1d(shared.first_rater, shared.second_rater)
    basis = Basis(shared.n_units, len(raters), basis.n_ratings, dropped)
    draws = (
        _pair_draws(table, shared, n_resamples, rng)
        if table.n_points <= MOST_DENSE_POINTS
        else _pair_points(shared)
    )
    return {
        name: estimate(
            draws[name],
            basis,
            level=level,
            undefined_note="in every pair a rater gave all units the same",
        )
        for name in names
    }


def _pair_draws(
    table: RatingTable, shared: SharedUnits, n_resamples: int, rng: np.random.Generator
) -> dict[str, Draws]:
    n_points = table.n_points
    cluster, example, multiplicity = kinds_with_raters(table)
    cells = (shared.pair * n_points + shared.left) * n_points + shared.right
    sums = sparse.csr_array(
        (np.ones(len(cells)), (cluster[shared.unit], cells)),
        shape=(int(cluster.max()) + 1, shared.n_pairs * n_points**2),
    )[example]

    def statistic(rows: Floats) -> dict[str, Floats]:
        tables = rows.reshape(len(rows), shared.n_pairs, n_points, n_points)
        n_shared = tables.sum(axis=(2, 3))
        return {
            "spearman": weighted_mean(spearman_of(tables), n_shared),
            "kendall_tau": weighted_mean(tau_b_of(tables), n_shared),
        }

    return resample(
        ClusterSums(sums, multiplicity), statistic, n_resamples=n_resamples, rng=rng
    )


def spearman_of(tables: Floats) -> Floats:
    """Return Spearman's correlation of each table of counts, shape (..., v, v).

    Returns
    -------
    array of float, shape (...)
        NaN where one side is constant.
    """
    total = tables.sum(axis=(-1, -2))
    left, right = tables.sum(axis=-1), tables.sum(axis=-2)
    half = total[..., None] / 2
    left_ranks = np.cumsum(left, axis=-1) - left / 2 - half
    right_ranks = np.cumsum(right, axis=-1) - right / 2 - half
    product = ((tables @ right_ranks[..., None])[..., 0] * left_ranks).sum(axis=-1)
    squares = (left * left_ranks**2).sum(axis=-1) * (right * right_ranks**2).sum(
        axis=-1
    )
    varied = ((left > 0).sum(axis=-1) > 1) & ((right > 0).sum(axis=-1) > 1)
    return np.where(varied, product / np.sqrt(np.where(varied, squares, 1)), np.nan)


def tau_b_of(tables: Floats) -> Floats:
    """Return Kendall's tau-b of each table of counts, shape (..., v, v).

    Returns
    -------
    array of float, shape (...)
        NaN where one side is constant.
    """
    total = tables.sum(axis=(-1, -2))
    left, right = tables.sum(axis=-1), tables.sum(axis=-2)
    below = np.cumsum(np.cumsum(tables, axis=-1), axis=-2)
    concordant = (tables[..., 1:, 1:] * below[..., :-1, :-1]).sum(axis=(-1, -2))
    turned = tables[..., ::-1]
    below = np.cumsum(np.cumsum(turned, axis=-1), axis=-2)
    discordant = (turned[..., 1:, 1:] * below[..., :-1, :-1]).sum(axis=(-1, -2))
    untied_left = (total**2 - (left**2).sum(axis=-1)) / 2
    untied_right = (total**2 - (right**2).sum(axis=-1)) / 2
    varied = ((left > 0).sum(axis=-1) > 1) & ((right > 0).sum(axis=-1) > 1)
    most = np.sqrt(np.where(varied, untied_left * untied_right, 1))
    return np.where(varied, (concordant - discordant) / most, np.nan)


def _pair_points(shared: SharedUnits) -> dict[str, Draws]:
    """Return the means without resamples, for scales of many points."""
    per_pair: dict[str, list[float]] = {"spearman": [], "kendall_tau": []}
    order = np.argsort(shared.pair, kind="stable")
    for rows in np.split(order, np.cumsum(shared.n_shared)[:-1]):
        left, right = shared.left[rows], shared.right[rows]
        if np.ptp(left) == 0 or np.ptp(right) == 0:
            per_pair["spearman"].append(np.nan)
            per_pair["kendall_tau"].append(np.nan)
            continue
        per_pair["spearman"].append(scipy_stats.spearmanr(left, right).statistic)
        per_pair["kendall_tau"].append(scipy_stats.kendalltau(left, right).statistic)
    weights = shared.n_shared[None].astype(float)
    return {
        name: Draws(
            float(weighted_mean(np.array([values]), weights)[0]),
            np.zeros(0),
            None,
            None,
            0,
        )
        for name, values in per_pair.items()
    }
