"""Mean kappas over pairs of raters, with intervals."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stats.estimates import Basis, estimate, paired_basis, undefined
from stats.rater_pairs import (
    FEWEST_SHARED,
    SharedUnits,
    kappa_sums,
    kappa_totals,
    pair_kappas,
    shared_units,
    weighted_mean,
)
from stats.resampling import Draws, Resampling
from stats.resampling import bootstrap as resample
from stats.results import Estimate, finite_or_none
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]

MOST_MEETINGS = 10_000_000
TOO_MANY = "no interval: raters share so many units that pairs are not resampled"
KAPPAS = {
    "kappa_cohen": "nominal",
    "kappa_linear": "linear",
    "kappa_quadratic": "quadratic",
    "scott": "scott",
}


def kappa_estimates(
    table: RatingTable,
    names: list[str],
    how: Resampling,
    *,
    between: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]] | None = None,
) -> dict[str, Estimate]:
    """Return mean kappas over pairs of raters, weighted by the units they share.

    Parameters
    ----------
    table : RatingTable
    names : list of {"kappa_cohen", "kappa_linear", "kappa_quadratic", "scott"}
    how : Resampling
    between : two arrays of bool, shape (n_raters,), optional
        Only pairs with one rater in each.

    Returns
    -------
    dict of str to Estimate
        At most 1. Pairs that share under 10 units are dropped and counted; undefined
        where none is left, or where both raters of every pair used one category. No
        interval above ten million meetings of two raters.

    Raises
    ------
    StatsError
        The resampling is not possible as described.

    References
    ----------
    Cohen (1960, 1968). Light, R. J. (1971), for the mean over pairs.
    """
    meetings = table.ratings_per_unit * (table.ratings_per_unit - 1) // 2
    if between is None and meetings.sum() > MOST_MEETINGS:
        return _without_intervals(table, names, how)
    shared = shared_units(table, between=between)
    if shared.n_pairs == 0:
        return _no_pairs(table, names, shared)
    clusters = kappa_sums(table, shared)
    per_pair, _ = pair_kappas(clusters.total(), shared)

    def statistic(sums: Floats) -> dict[str, Floats]:
        kappas, n_shared = pair_kappas(sums, shared)
        return {name: weighted_mean(kappas[KAPPAS[name]], n_shared) for name in names}

    draws = resample(
        clusters,
        statistic,
        n_resamples=how.bootstrap,
        rng=np.random.default_rng(how.seed),
        jackknife=how.method == "bca",
    )
    raters = np.union1d(shared.first_rater, shared.second_rater)
    in_a_pair = np.isin(table.rater_index, raters)
    met = np.zeros(table.n_units, dtype=bool)
    met[shared.unit] = True
    n_ratings = int((in_a_pair & met[table.unit_index]).sum())
    return {
        name: estimate(
            draws[name],
            Basis(
                shared.n_units,
                len(raters),
                n_ratings,
                _dropped(table, shared, per_pair[KAPPAS[name]]),
            ),
            level=how.level,
            method=how.method,
        )
        for name in names
    }


@dataclass(frozen=True)
class PairKappas:
    """The kappas of two raters.

    Attributes
    ----------
    first, second : str
    n_units : int
        Units that both rated.
    kappa, linear, quadratic, scott : float or None
        Cohen's without weights and with; Scott's pi. None where both raters gave one
        and the same point throughout.
    """

    first: str
    second: str
    n_units: int
    kappa: float | None
    linear: float | None
    quadratic: float | None
    scott: float | None


def kappas_by_pair(
    table: RatingTable, *, fewest: int = FEWEST_SHARED
) -> tuple[PairKappas, ...]:
    """Return the kappas of every two raters that share enough units.

    Parameters
    ----------
    table : RatingTable
    fewest : int
        Pairs that share fewer units are left out.

    Returns
    -------
    tuple of PairKappas

    Raises
    ------
    Nothing of its own.

    References
    ----------
    Cohen (1960, 1968). Scott (1955).

    Examples
    --------
    >>> table = RatingTable([[1, 1], [2, 2], [1, 2], [2, 2]], points=(1, 2))
    >>> kappas_by_pair(table, fewest=2)[0].kappa
    0.5
    """
    shared = shared_units(table, fewest=fewest)
    if shared.n_pairs == 0:
        return ()
    kappas, n_shared = pair_kappas(kappa_sums(table, shared).total(), shared)
    names = table.raters
    return tuple(
        PairKappas(
            names[shared.first_rater[at]],
            names[shared.second_rater[at]],
            int(n_shared[0, at]),
            *(
                finite_or_none(kappas[name][0, at])
                for name in ("nominal", "linear", "quadratic", "scott")
            ),
        )
        for at in range(shared.n_pairs)
    )


def _dropped(
    table: RatingTable, shared: SharedUnits, per_pair: Floats | None = None
) -> dict[str, int]:
    dropped = dict(paired_basis(table).dropped)
    if shared.n_few:
        reason = f"pairs of raters that share fewer than {FEWEST_SHARED} units"
        dropped[reason] = shared.n_few
    n_undefined = 0 if per_pair is None else int(np.isnan(per_pair).sum())
    if 0 < n_undefined < shared.n_pairs:
        dropped["pairs of raters with only one category"] = n_undefined
    return dropped


def _no_pairs(
    table: RatingTable, names: list[str], shared: SharedUnits
) -> dict[str, Estimate]:
    basis = replace(paired_basis(table), dropped=_dropped(table, shared))
    none = undefined(basis, f"no two raters share {FEWEST_SHARED} units")
    return dict.fromkeys(names, none)


def _without_intervals(
    table: RatingTable, names: list[str], how: Resampling
) -> dict[str, Estimate]:
    """Return the means alone, where raters meet too often to resample."""
    totals, shared = kappa_totals(table)
    if shared.n_pairs == 0:
        return _no_pairs(table, names, shared)
    kappas, n_shared = pair_kappas(totals, shared)
    found = {}
    for name in names:
        per_pair = kappas[KAPPAS[name]]
        value = float(weighted_mean(per_pair, n_shared)[0])
        one = estimate(
            Draws(value, np.zeros(0), None, None, 0),
            replace(paired_basis(table), dropped=_dropped(table, shared, per_pair)),
            level=how.level,
        )
        found[name] = replace(one, interval_note=TOO_MANY)
    return found
