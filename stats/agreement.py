"""Agreement of any number of raters: every coefficient, with its interval."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from stats import icc, rank_agreement
from stats.chance_corrected import agreement_weights, alpha, gwet_family
from stats.conger import conger_estimate
from stats.count_sums import CountLayout, count_sums
from stats.errors import StatsError
from stats.estimates import (
    estimate,
    paired_basis,
    rated_basis,
    undefined,
    why_no_agreement,
)
from stats.pairwise_kappas import KAPPAS, kappa_estimates
from stats.resampling import Resampling
from stats.resampling import bootstrap as resample
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]

COEFFICIENTS = (
    "exact",
    "within_one",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
    "kappa_fleiss",
    "kappa_cohen",
    "kappa_linear",
    "kappa_quadratic",
    "ac1",
    "ac2_quadratic",
    "brennan_prediger",
    "icc_1",
    "icc_a1",
    "icc_c1",
)
FURTHER_COEFFICIENTS = (
    "ac2_linear",
    "ac2_ordinal",
    "brennan_prediger_quadratic",
    "fleiss_quadratic",
    "conger",
    "scott",
    "icc_1k",
    "icc_ak",
    "icc_ck",
    "kendall_w",
    "spearman",
    "kendall_tau",
)
WEIGHTED = {
    "exact": ("identity", "observed"),
    "within_one": ("within_one", "observed"),
    "kappa_fleiss": ("identity", "fleiss"),
    "ac1": ("identity", "gwet"),
    "brennan_prediger": ("identity", "brennan_prediger"),
    "ac2_quadratic": ("quadratic", "gwet"),
    "ac2_linear": ("linear", "gwet"),
    "ac2_ordinal": ("ordinal", "gwet"),
    "fleiss_quadratic": ("quadratic", "fleiss"),
    "brennan_prediger_quadratic": ("quadratic", "brennan_prediger"),
}
ALPHAS = {f"alpha_{level}": level for level in ("nominal", "ordinal", "interval")}
ALPHAS["alpha_ratio"] = "ratio"
ONE_WAY = ("icc_1", "icc_1k")
TWO_WAY = ("icc_a1", "icc_c1", "icc_ak", "icc_ck")


def agreement(
    table: RatingTable,
    *,
    coefficients: Sequence[str] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    method: str = "percentile",
) -> dict[str, Estimate]:
    """Return agreement coefficients of `table` with intervals by cluster bootstrap.

    Parameters
    ----------
    table : RatingTable
        Any number of raters; ratings may be missing.
    coefficients : sequence of str, optional
        Any of `COEFFICIENTS` and `FURTHER_COEFFICIENTS`; left out, all of the former.
    bootstrap : int
        Resamples of whole clusters; 0 for no intervals.
    seed : int
        The same seed gives the same interval, whatever the order of the rows.
    level : float
    method : {"percentile", "bca"}

    Returns
    -------
    dict of str to Estimate
        In the order asked for. Shares of agreement lie in 0 to 1, coefficients are at
        most 1 and 0 where raters agree as chance would have it. Undefined, with a
        note: without ratings, with one rater, with no unit rated twice, and, shares
        apart, with only one category in use.

    Raises
    ------
    StatsError
        A name is not known, or the resampling is not possible as described.

    References
    ----------
    Krippendorff (2011); Gwet (2014); Cohen (1960, 1968); Fleiss (1971); Shrout and
    Fleiss (1979): see docs/statistics.md for each.

    Examples
    --------
    Krippendorff's example of four observers and twelve units:

    >>> _ = np.nan
    >>> values = np.array(
    ...     [
    ...         [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    ...         [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    ...         [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    ...         [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ...     ]
    ... ).T
    >>> found = agreement(RatingTable(values, points=(1, 2, 3, 4, 5)), bootstrap=0)
    >>> round(found["alpha_ordinal"].value, 6), round(found["ac1"].value, 6)
    (0.815388, 0.775444)
    >>> found["icc_a1"].note
    'needs a crossed design: all 4 raters rated 8 of 12 units'
    """
    wanted = COEFFICIENTS if coefficients is None else tuple(coefficients)
    unknown = set(wanted) - set(COEFFICIENTS) - set(FURTHER_COEFFICIENTS)
    if unknown:
        raise StatsError(f"no coefficient {sorted(unknown)[0]!r}")
    how = Resampling(bootstrap, seed, level, method)
    why = why_no_agreement(table)
    if why:
        basis = paired_basis(table)
        return {name: undefined(basis, why) for name in wanted}
    found: dict[str, Estimate] = {}
    for names, family in _families():
        asked = [name for name in wanted if name in names]
        if asked:
            found |= family(table, asked, how)
    return {name: found[name] for name in wanted}


Family = Callable[[RatingTable, list[str], Resampling], dict[str, Estimate]]


def _families() -> list[tuple[tuple[str, ...], Family]]:
    return [
        ((*WEIGHTED, *ALPHAS, *ONE_WAY), _by_counts),
        (tuple(KAPPAS), kappa_estimates),
        (TWO_WAY, _by_two_ways),
        (("conger",), _by_conger),
        (("kendall_w", "spearman", "kendall_tau"), _by_ranks),
    ]


def count_statistics(
    sums: Floats, layout: CountLayout, names: Sequence[str]
) -> dict[str, Floats]:
    """Return the named coefficients of each row of sums.

    Parameters
    ----------
    sums : array of float, shape (n, n_features)
    layout : CountLayout
    names : sequence of str
        Coefficients that do not ask who gave which rating.

    Returns
    -------
    dict of str to array of float, shape (n,)
        Shares of agreement also bring `expected_…`, what chance would give.
    """
    found: dict[str, Floats] = {}
    families: dict[str, dict[str, Floats]] = {}
    for name in names:
        if name in ALPHAS:
            found[name] = alpha(sums, layout, ALPHAS[name])
        elif name in WEIGHTED:
            kind, part = WEIGHTED[name]
            if kind not in families:
                weights = agreement_weights(layout.points, kind)
                families[kind] = gwet_family(sums, layout, weights)
            found[name] = families[kind][part]
            if part == "observed":
                found[f"expected_{name}"] = families[kind]["by_chance"]
    if any(name in ONE_WAY for name in names):
        found |= icc.one_way(sums, layout)
    return found


def _by_counts(
    table: RatingTable, names: list[str], how: Resampling
) -> dict[str, Estimate]:
    clusters, layout = count_sums(table)
    draws = resample(
        clusters,
        lambda sums: count_statistics(sums, layout, names),
        n_resamples=how.bootstrap,
        rng=np.random.default_rng(how.seed),
        jackknife=how.method == "bca",
    )
    paired, rated = paired_basis(table), rated_basis(table)
    found = {}
    for name in names:
        expected = draws.get(f"expected_{name}")
        found[name] = estimate(
            draws[name],
            rated if name in ONE_WAY else paired,
            level=how.level,
            method=how.method,
            expected=None if expected is None else expected.point,
            undefined_note=_why_undefined(table, name),
        )
    return found


def _why_undefined(table: RatingTable, name: str) -> str:
    if name.startswith("icc") and (table.ratings_per_unit > 0).sum() < 2:
        return "only one unit was rated"
    if name == "icc_ak" and len(np.unique(table.values[~np.isnan(table.values)])) > 1:
        return "units differ less than ratings within a unit"
    return "only one category was used"


def _by_two_ways(
    table: RatingTable, names: list[str], how: Resampling
) -> dict[str, Estimate]:
    basis = rated_basis(table)
    why = icc.why_not_crossed(table)
    if why:
        return dict.fromkeys(names, undefined(basis, why))
    draws = resample(
        icc.two_way_sums(table, icc.crossed(table)),
        icc.two_way,
        n_resamples=how.bootstrap,
        rng=np.random.default_rng(how.seed),
        jackknife=how.method == "bca",
    )
    return {
        name: estimate(
            draws[name],
            basis,
            level=how.level,
            method=how.method,
            undefined_note=_why_undefined(table, name),
        )
        for name in names
    }


def _by_conger(
    table: RatingTable, names: list[str], how: Resampling
) -> dict[str, Estimate]:
    found = conger_estimate(
        table,
        bootstrap=how.bootstrap,
        seed=how.seed,
        level=how.level,
        method=how.method,
    )
    return dict.fromkeys(names, found)


def _by_ranks(
    table: RatingTable, names: list[str], how: Resampling
) -> dict[str, Estimate]:
    found = rank_agreement.rank_estimates(
        table,
        names,
        bootstrap=how.bootstrap,
        seed=how.seed,
        level=how.level,
        method=how.method,
    )
    return {name: found[name] for name in names}
