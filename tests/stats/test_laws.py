"""What holds for every table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stats.agreement import COEFFICIENTS, FURTHER_COEFFICIENTS, agreement
from stats.table import RatingTable
from tests.stats.published_tables import random_table

ALL = COEFFICIENTS + FURTHER_COEFFICIENTS
NOMINAL = (
    "exact",
    "alpha_nominal",
    "kappa_fleiss",
    "ac1",
    "brennan_prediger",
    "conger",
)

tables = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 14), st.integers(1, 4)),
    elements=st.sampled_from([np.nan, 1.0, 2.0, 3.0]),
)
quick = settings(max_examples=60, deadline=None)


def values_of(table: RatingTable, names=ALL) -> dict[str, float | None]:
    found = agreement(table, coefficients=names, bootstrap=0)
    return {name: one.value for name, one in found.items()}


def assert_same(left, right):
    for name, value in left.items():
        if value is None:
            assert right[name] is None, name
        else:
            assert right[name] == pytest.approx(value, abs=1e-9), name


@quick
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_units_and_raters_does_not_matter(values, random):
    units, raters = list(range(len(values))), list(range(values.shape[1]))
    random.shuffle(units)
    random.shuffle(raters)

    assert_same(
        values_of(RatingTable(values, (1, 2, 3))),
        values_of(RatingTable(values[np.ix_(units, raters)], (1, 2, 3))),
    )


@quick
@given(tables, st.permutations([1.0, 2.0, 3.0]))
def test_nominal_coefficients_do_not_know_the_names_of_categories(values, names):
    renamed = np.where(
        np.isnan(values),
        np.nan,
        np.choose(np.nan_to_num(values).astype(int), [0, *names]),
    )

    assert_same(
        values_of(RatingTable(values, (1, 2, 3)), NOMINAL),
        values_of(RatingTable(renamed, (1, 2, 3)), NOMINAL),
    )


@quick
@given(tables)
def test_ordinal_alpha_knows_the_order_only(values):
    spread = np.where(values == 3, 100.0, values)

    assert_same(
        values_of(RatingTable(values, (1, 2, 3)), ["alpha_ordinal", "ac2_ordinal"]),
        values_of(RatingTable(spread, (1, 2, 100)), ["alpha_ordinal", "ac2_ordinal"]),
    )


@quick
@given(tables, st.floats(-50, 50), st.floats(0.1, 10))
def test_interval_coefficients_do_not_know_origin_and_unit(values, origin, unit):
    names = ["alpha_interval", "kappa_linear", "kappa_quadratic", "ac2_quadratic"]
    names += ["icc_1", "icc_a1", "icc_c1"]
    points = np.array([1.0, 2.0, 3.0]) * unit + origin
    known = ~np.isnan(values)
    moved = np.full(values.shape, np.nan)
    moved[known] = points[values[known].astype(int) - 1]

    assert_same(
        values_of(RatingTable(values, (1, 2, 3)), names),
        values_of(RatingTable(moved, points), names),
    )


@quick
@given(tables)
def test_nothing_is_above_one_and_shares_are_not_below_zero(values):
    for name, value in values_of(RatingTable(values, (1, 2, 3))).items():
        assert value is None or value <= 1 + 1e-12, name
        if name in ("exact", "within_one", "kendall_w"):
            assert value is None or value >= -1e-12


@quick
@given(
    arrays.arrays(
        np.float64, st.integers(12, 20), elements=st.sampled_from([1.0, 2, 3])
    ),
    st.integers(2, 4),
)
def test_perfect_agreement_is_one(column, n_raters):
    table = RatingTable(np.tile(column[:, None], (1, n_raters)), (1, 2, 3))

    for name, value in values_of(table).items():
        if len(set(column)) > 1 or name in ("exact", "within_one"):
            assert value == pytest.approx(1.0), name


def test_independent_raters_agree_as_chance_has_it():
    rng = np.random.default_rng(5)
    table = RatingTable(rng.integers(1, 6, (4000, 4)), range(1, 6))

    for name, one in agreement(table, coefficients=ALL, bootstrap=0).items():
        if name in ("exact", "within_one"):
            assert one.value == pytest.approx(one.expected, abs=0.01)
        elif name != "kendall_w":
            assert one.value == pytest.approx(0, abs=0.06), name


@quick
@given(tables)
def test_a_unit_counted_twice_changes_no_fleiss_and_no_gwet(values):
    names = ["exact", "kappa_fleiss", "ac1", "ac2_quadratic", "brennan_prediger"]

    assert_same(
        values_of(RatingTable(values, (1, 2, 3)), names),
        values_of(RatingTable(np.vstack([values, values]), (1, 2, 3)), names),
    )


def test_intervals_do_not_depend_on_the_order_of_rows():
    table = random_table(3, n_units=90, cluster_size=3)
    order = np.random.default_rng(0).permutation(table.n_ratings)
    rows = (
        table.unit_index[order],
        table.rater_index[order],
        table.rating_values[order],
    )
    shuffled = RatingTable.from_long(
        *rows,
        points=table.points,
        clusters=table.cluster_index[table.unit_index[order]],
    )

    for name, one in agreement(table, bootstrap=200).items():
        again = agreement(shuffled, coefficients=[name], bootstrap=200)[name]
        assert again.low == pytest.approx(one.low, abs=1e-9) if one.low else True
