"""What has no answer says so, and says why."""

import json

import numpy as np
import pytest

from stats.agreement import COEFFICIENTS, FURTHER_COEFFICIENTS, agreement
from stats.category import specific_agreement
from stats.distribution import distribution
from stats.table import RatingTable
from tests.stats.published_tables import random_table

ALL = COEFFICIENTS + FURTHER_COEFFICIENTS
_ = np.nan


def test_every_rating_the_same():
    found = agreement(RatingTable(np.full((20, 3), 3.0), range(1, 6)), coefficients=ALL)

    assert found["exact"].value == 1.0
    assert (found["exact"].low, found["exact"].high) == (1.0, 1.0)
    assert found["within_one"].value == 1.0
    for name in set(COEFFICIENTS) - {"exact", "within_one"}:
        assert found[name].value is None, name
        assert found[name].note == "only one category was used"
        assert found[name].low is None


@pytest.mark.parametrize("name", ALL)
def test_no_unit_rated_twice(name):
    table = RatingTable([[1, _], [_, 2], [2, _]], (1, 2))

    assert agreement(table, coefficients=[name])[name].note == "no unit has two ratings"


@pytest.mark.parametrize("name", ALL)
def test_one_rater(name):
    table = RatingTable([[1], [2], [2]], (1, 2))

    assert agreement(table, coefficients=[name])[name].note == "one rater"


def test_one_rater_among_raters_who_rated_nothing():
    found = agreement(RatingTable([[1, _], [2, _]], (1, 2)))["exact"]

    assert (found.value, found.note) == (None, "one rater")


@pytest.mark.parametrize("name", ALL)
def test_no_ratings(name):
    table = RatingTable([[_, _]], (1, 2))

    assert agreement(table, coefficients=[name])[name].note == "no ratings"


def test_a_gap_is_not_a_category():
    raters_by_units = np.array([[1, 1, 2], [1, 1, _], [_, 1, 2]])
    found = agreement(RatingTable(raters_by_units.T, (1, 2)), bootstrap=0)

    for level in ("nominal", "ordinal", "interval", "ratio"):
        assert found[f"alpha_{level}"].value == 1.0


@pytest.mark.parametrize(
    "name", ["kappa_cohen", "kappa_linear", "kappa_quadratic", "alpha_ordinal"]
)
def test_an_unused_point_inside_the_scale_keeps_the_weights(name):
    values = random_table(1, n_points=5, missing=0).values.copy()
    values[values == 4] = 5
    with_gap = agreement(RatingTable(values, (1, 2, 3, 4, 5)), coefficients=[name])[
        name
    ]
    moved = agreement(RatingTable(values, (1, 2, 3, 3.5, 5)), coefficients=[name])[name]

    assert with_gap.value == pytest.approx(moved.value, abs=1e-12)


def test_a_design_that_is_not_crossed_has_no_two_way_icc():
    rng = np.random.default_rng(0)
    values = np.full((30, 6), _)
    for row in values:
        row[rng.permutation(6)[:3]] = rng.integers(1, 4, 3)
    found = agreement(RatingTable(values, (1, 2, 3)), coefficients=ALL)

    for name in ("icc_a1", "icc_c1", "icc_ak", "icc_ck", "kendall_w"):
        assert found[name].value is None
        assert found[name].note == (
            "needs a crossed design: all 6 raters rated 0 of 30 units"
        )
    assert found["icc_1"].value is not None


def test_pairs_of_raters_that_share_under_ten_units_are_dropped_and_counted():
    values = np.full((21, 3), _)
    values[:12, :2] = np.tile([[1, 1], [2, 2], [1, 2]], (4, 1))
    values[12:, 1:] = np.tile([[1, 2], [2, 1], [2, 2]], (3, 1))
    found = agreement(RatingTable(values, (1, 2)), bootstrap=0)["kappa_cohen"]

    assert found.value == pytest.approx(0.4, abs=1e-12)
    assert found.dropped["pairs of raters that share fewer than 10 units"] == 1
    assert (found.n_units, found.n_raters, found.n_ratings) == (12, 2, 24)


def test_no_pair_shares_ten_units():
    found = agreement(RatingTable([[1, 2], [2, 2]], (1, 2)))["kappa_quadratic"]

    assert (found.value, found.note) == (None, "no two raters share 10 units")


def test_a_pair_that_used_one_category_is_skipped_and_counted():
    values = np.full((24, 4), _)
    values[:12, :2] = 1
    values[12:, 2:] = np.tile([[1, 1], [2, 2], [1, 2], [2, 1]], (3, 1))
    found = agreement(RatingTable(values, (1, 2)), bootstrap=0)["kappa_cohen"]

    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.dropped["pairs of raters with only one category"] == 1


def test_one_unit_has_no_icc():
    found = agreement(RatingTable([[1, 2]], (1, 2)), bootstrap=0)

    assert found["icc_1"].note == "only one unit was rated"
    assert found["icc_c1"].note == "only one unit was rated"


def test_no_interval_under_ten_clusters_and_a_warning_under_thirty():
    nine = agreement(random_table(2, n_units=27, cluster_size=3))["alpha_ordinal"]
    twenty = agreement(random_table(2, n_units=60, cluster_size=3))["alpha_ordinal"]
    forty = agreement(random_table(2, n_units=120, cluster_size=3))["alpha_ordinal"]

    assert (nine.low, nine.high) == (None, None)
    assert nine.interval_note == "no interval: 9 clusters, fewer than 10"
    assert twenty.low is not None
    assert twenty.interval_note.startswith("only 20 clusters")
    assert forty.interval_note == ""


def test_no_interval_where_too_many_resamples_are_undefined():
    values = np.full((40, 2), 1.0)
    values[0] = [1, 2]
    found = agreement(RatingTable(values, (1, 2)))["alpha_nominal"]

    assert found.value is not None
    assert found.low is None
    assert found.n_undefined_resamples > 50
    assert "undefined in" in found.interval_note


@pytest.mark.parametrize(
    "values",
    [[[_, _]], [[1.0]], [[1, 1]], [[1, 2]], [[1, _], [_, 2]], [[1, 2], [2, 1]]],
)
def test_json_never_holds_nan(values):
    table = RatingTable(values, (1, 2))
    found = agreement(table, coefficients=ALL, bootstrap=50)

    json.dumps({k: one.as_dict() for k, one in found.items()}, allow_nan=False)
    json.dumps(distribution(table).as_dict(), allow_nan=False)
    for one in found.values():
        assert (one.value is None) == bool(one.note)


def test_specific_agreement_is_undefined_with_agreement():
    found = specific_agreement(RatingTable([[1], [2]], (1, 2)))

    assert {one.note for one in found.values()} == {"one rater"}


def test_a_scale_of_one_point_is_no_error():
    found = agreement(RatingTable(np.ones((12, 2)), (1,)), coefficients=ALL)

    assert found["exact"].value == 1.0
    assert found["ac2_quadratic"].note == "only one category was used"


def test_a_slider_with_many_raters_is_no_other_case():
    table = random_table(3, n_units=40, n_raters=30, n_points=101, missing=0.8)
    found = agreement(table, coefficients=ALL, bootstrap=50)

    assert found["alpha_interval"].value is not None
    assert found["conger"].low is not None


def test_what_is_left_out_is_counted_by_reason():
    table = RatingTable([[1, 2], [2, _], [_, _], [1, 1]], (1, 2))

    assert agreement(table)["exact"].dropped == {
        "units with one rating": 1,
        "units without a rating": 1,
    }
    assert agreement(table)["icc_1"].dropped == {"units without a rating": 1}
