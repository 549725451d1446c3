"""Plans keep what they promise."""

import json

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestPower

from stats.agreement import agreement
from stats.errors import StatsError
from stats.planning import (
    plan_agreement,
    plan_means,
    power_of_difference,
    price_next,
)
from stats.results import as_plain
from stats.table import RatingTable
from stats.variance import VarianceSplit

SPLIT = VarianceSplit(0.1, 0.2, 0.1, 0.3, 0.1, 0.5, 3.0, 900)


def test_the_planned_agreement_is_reached():
    plan = plan_agreement(
        [2, 3, 5], 0.55, coefficient="ac1", units=(100, 400), per_unit=(2, 4)
    )

    assert [(row.n_units, row.per_unit) for row in plan] == [
        (100, 2),
        (100, 4),
        (400, 2),
        (400, 4),
    ]
    for row in plan:
        assert row.expected == pytest.approx(0.55, abs=0.02)
    assert plan[0].half_width > plan[1].half_width > plan[3].half_width
    assert plan[0].half_width / plan[2].half_width == pytest.approx(2, rel=0.2)
    assert plan[0].hours == pytest.approx(200 * 30 / 3600)
    json.dumps(as_plain(plan), allow_nan=False)


def test_a_planned_half_width_is_that_of_a_sample():
    row = plan_agreement([1, 1, 1], 0.5, units=(200,), per_unit=(3,))[0]
    rng = np.random.default_rng(3)
    # The normal score's shared part that alpha_ordinal = .5 needs is near .62.
    scores = np.sqrt(0.62) * rng.normal(size=(200, 1)) + np.sqrt(0.38) * rng.normal(
        size=(200, 3)
    )
    values = np.digitize(scores, scipy_stats.norm.ppf([1 / 3, 2 / 3]))
    found = agreement(RatingTable(values, (0, 1, 2)))["alpha_ordinal"]

    assert (found.high - found.low) / 2 == pytest.approx(row.half_width, rel=0.25)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agreement": 1.0}, "cannot be 1"),
        ({"coefficient": "kappa_cohen"}, "cannot plan"),
        ({"per_unit": (1,)}, "two ratings"),
        ({"shares": [1]}, "two numbers or more"),
        ({"shares": [1, -1, 1]}, "two numbers or more"),
    ],
)
def test_plans_that_cannot_be(options, message):
    given = {"shares": [1, 1, 1], "agreement": 0.5} | options

    with pytest.raises(StatsError, match=message):
        plan_agreement(**given)


def test_power_as_statsmodels_has_it():
    known = [TTestPower().power(0.4, n, 0.05) for n in (10, 30, 90)]

    assert power_of_difference(0.4, 1.0, [10, 30, 90]) == pytest.approx(known, abs=1e-6)
    with pytest.raises(StatsError, match="spread over 0"):
        power_of_difference(0.4, 0.0, 10)


def test_means_by_the_error_that_the_split_gives():
    row = plan_means(SPLIT, groups=(50,), per_unit=(2,), n_raters=5, difference=False)[
        0
    ]
    error = np.sqrt(0.2 / 50 + 0.1 / 50 + 0.3 / 50 + 0.1 / 5 + 0.5 / 100)

    assert row.half_width == pytest.approx(error * scipy_stats.t.ppf(0.975, 49))
    assert row.n_ratings == 100
    with pytest.raises(StatsError, match="at least one"):
        plan_means(SPLIT, groups=(0,))


def test_the_next_ratings():
    spent = price_next(SPLIT, n_groups=100, per_unit=1, n_more=100)
    noisy = VarianceSplit(0.1, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 900)
    even = price_next(noisy, n_groups=100, per_unit=1)

    assert spent.as_items < spent.as_raters < spent.now
    assert spent.better == "items"
    assert even.as_items == pytest.approx(even.as_raters)
    with pytest.raises(StatsError, match="at least one"):
        price_next(SPLIT, n_groups=0, per_unit=1)
