"""Intervals by formula, and over raters too."""

import numpy as np
import pytest

from stats.agreement import agreement
from stats.analytic import analytic_agreement
from stats.count_sums import count_sums
from stats.errors import StatsError
from stats.table import RatingTable
from stats.two_way import _features, two_way_agreement
from tests.stats.published_tables import WITH_GAPS, krippendorff_2011, random_table

# irrCAC 0.4.4, `confidence_interval` of each coefficient.
IRRCAC = {
    "ac1": ((0.460813, 1), (0.042226, 0.387910)),
    "kappa_fleiss": ((0.424376, 1), (0.003989, 0.374856)),
    "brennan_prediger": ((0.454208, 1), (0.035702, 0.384436)),
    "ac2_quadratic": ((0.685181, 1), (0.522072, 0.836010)),
    "fleiss_quadratic": ((0.543517, 1), (0.298422, 0.770704)),
    "brennan_prediger_quadratic": ((0.657438, 1), (0.497907, 0.811121)),
}


@pytest.mark.parametrize("name", sorted(IRRCAC))
def test_analytic_intervals_as_irrcac_has_them(name):
    gaps = RatingTable(WITH_GAPS, points=range(1, 6))
    for table, known in zip((krippendorff_2011(), gaps), IRRCAC[name], strict=True):
        found = analytic_agreement(table, name)

        assert (found.low, found.high) == pytest.approx(known, abs=1e-6)


def test_the_formula_and_the_resamples_agree_on_independent_units():
    table = random_table(0, n_units=400, missing=0.1)
    formula = analytic_agreement(table, "ac1")
    resampled = agreement(table, coefficients=["ac1"])["ac1"]

    assert formula.low == pytest.approx(resampled.low, abs=0.01)
    assert formula.high == pytest.approx(resampled.high, abs=0.01)


def test_no_formula_for_grouped_units_or_other_coefficients():
    grouped = random_table(0, cluster_size=2)
    found = analytic_agreement(grouped, "ac1")

    assert found.low is None
    assert "several units" in found.interval_note
    with pytest.raises(StatsError, match="no analytic interval for 'alpha_ordinal'"):
        analytic_agreement(grouped, "alpha_ordinal")
    nothing = analytic_agreement(RatingTable([[1]], (1, 2)), "ac1")
    assert nothing.note == "one rater"


def test_raters_drawn_once_each_are_the_table_itself():
    table = random_table(1, n_raters=5)
    clusters, layout = count_sums(table)
    found = _features(table, np.ones(5), layout).sum(axis=0)

    # The last five are moments of the ICC, which knows no two-way interval.
    np.testing.assert_allclose(found[:-5], clusters.total()[0, :-5])


def test_a_rater_drawn_twice_is_never_paired_with_themself():
    table = RatingTable([[1, 2], [1, 2], [2, 1]], (1, 2))
    _, layout = count_sums(table)
    found = _features(table, np.array([2.0, 1.0]), layout)

    assert found[:, 0].tolist() == [0, 0, 0]
    alone = _features(table, np.array([2.0, 0.0]), layout)
    assert alone[:, -7].tolist() == [0, 0, 0]


def test_two_ways_are_wider_where_raters_differ():
    rng = np.random.default_rng(0)
    true = rng.normal(size=(150, 1))
    noise = rng.normal(size=(150, 6)) * np.array([0.1, 0.3, 0.5, 1, 1.5, 2])
    table = RatingTable(np.clip(np.round(3 + true + noise), 1, 5), range(1, 6))
    both = two_way_agreement(table)["alpha_ordinal"]
    one = agreement(table, coefficients=["alpha_ordinal"])["alpha_ordinal"]

    assert both.value == one.value
    assert both.high - both.low > 2 * (one.high - one.low)


def test_two_ways_need_five_raters():
    found = two_way_agreement(random_table(0, n_raters=4))["exact"]

    assert found.value is not None
    assert found.interval_note == "no two-way interval: 4 raters, fewer than 5"
    with pytest.raises(StatsError, match="no two-way interval for 'icc_1'"):
        two_way_agreement(random_table(0, n_raters=5), coefficients=["icc_1"])
    with pytest.raises(StatsError, match="scale of up to 20"):
        two_way_agreement(random_table(0, n_raters=5, n_points=101))
