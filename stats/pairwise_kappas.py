"""Mean kappas over pairs of raters, with intervals."""

import numpy as np
import numpy.typing as npt

from stats.estimates import Basis, estimate, paired_basis, undefined
from stats.rater_pairs import (
    FEWEST_SHARED,
    kappa_sums,
    pair_kappas,
    shared_units,
    weighted_mean,
)
from stats.resampling import Resampling
from stats.resampling import bootstrap as resample
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]

KAPPAS = {
    "kappa_cohen": "nominal",
    "kappa_linear": "linear",
    "kappa_quadratic": "quadratic",
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
    names : list of {"kappa_cohen", "kappa_linear", "kappa_quadratic"}
    how : Resampling
    between : two arrays of bool, shape (n_raters,), optional
        Only pairs with one rater in each.

    Returns
    -------
    dict of str to Estimate
        At most 1. Pairs that share under 10 units are dropped and counted; undefined
        where none is left, or where both raters of every pair used one category.

    Raises
    ------
    StatsError
        The resampling is not possible as described.

    References
    ----------
    Cohen (1960, 1968). Light, R. J. (1971), for the mean over pairs.
    """
    shared = shared_units(table, between=between)
    basis = paired_basis(table)
    dropped = dict(basis.dropped)
    if shared.n_few:
        dropped[f"pairs of raters that share fewer than {FEWEST_SHARED} units"] = (
            shared.n_few
        )
    if shared.n_pairs == 0:
        basis = Basis(basis.n_units, basis.n_raters, basis.n_ratings, dropped)
        none = undefined(basis, f"no two raters share {FEWEST_SHARED} units")
        return dict.fromkeys(names, none)
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
    found = {}
    for name in names:
        n_undefined = int(np.isnan(per_pair[KAPPAS[name]]).sum())
        reasons = dict(dropped)
        if 0 < n_undefined < shared.n_pairs:
            reasons["pairs of raters with only one category"] = n_undefined
        found[name] = estimate(
            draws[name],
            Basis(shared.n_units, len(raters), n_ratings, reasons),
            level=how.level,
            method=how.method,
        )
    return found
