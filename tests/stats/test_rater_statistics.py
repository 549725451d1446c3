"""Figures of single raters."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from stats.dawid_skene import dawid_skene
from stats.errors import StatsError
from stats.raters import pace, rater_panel, side_habits
from stats.table import RatingTable
from tests.stats.published_tables import random_table

_ = np.nan


def test_the_panel_is_what_the_definition_gives():
    table = random_table(0)
    found = rater_panel(table)["1"]
    severity, exact, close, own, others = [], [], [], [], []
    for row in table.values:
        rest = row[[0, 2, 3]]
        rest = rest[~np.isnan(rest)]
        if not np.isnan(row[1]) and len(rest):
            severity.append(rest.mean() - row[1])
            exact.append(np.mean(rest == row[1]))
            close.append(np.mean(np.abs(rest - row[1]) <= 1))
            own.append(row[1])
            others.append(rest.mean())
    given = table.values[:, 1][~np.isnan(table.values[:, 1])]

    assert found.severity == pytest.approx(np.mean(severity))
    assert found.exact == pytest.approx(np.mean(exact))
    assert found.within_one == pytest.approx(np.mean(close))
    assert found.correlation == pytest.approx(scipy_stats.pearsonr(own, others)[0])
    assert found.sd == pytest.approx(given.std(ddof=1))
    assert found.modal_share == pytest.approx(
        np.unique(given, return_counts=True)[1].max() / len(given)
    )
    assert (found.n_ratings, found.n_shared) == (len(given), len(own))


def test_a_rater_alone_has_nothing_to_go_by():
    found = rater_panel(RatingTable([[1, _]], (1, 2)))

    assert found["0"].severity is found["0"].exact is found["0"].sd is None
    assert found["1"].mean is None
    assert found["1"].n_ratings == 0


def test_gold_and_repeats():
    table = RatingTable([[1, 3], [2, 2], [3, _]], (1, 2, 3), list("uvw"), ["a", "b"])
    again = RatingTable([[1, 1], [_, 2]], (1, 2, 3), ["u", "v"], ["a", "b"])
    found = rater_panel(table, repeats=again, gold={"u": 2, "w": 3}, gold_tolerance=1)

    assert (found["a"].gold_accuracy, found["a"].n_gold) == (1.0, 2)
    assert (found["b"].gold_accuracy, found["b"].n_gold) == (1.0, 1)
    assert (found["a"].self_agreement, found["a"].n_repeats) == (1.0, 1)
    assert (found["b"].self_agreement, found["b"].n_repeats) == (0.5, 2)


def test_gold_and_repeats_must_fit():
    table = RatingTable([[1, 2]], (1, 2))
    with pytest.raises(StatsError, match="no unit x"):
        rater_panel(table, gold={"x": 1})
    with pytest.raises(StatsError, match="another scale"):
        rater_panel(table, repeats=RatingTable([[1, 2]], (1, 2, 3)))


def test_sides():
    raters = ["a"] * 20 + ["b"] * 10 + ["c"] * 3
    outcomes = ["first"] * 18 + ["second"] * 2 + ["first", "second"] * 5 + ["tie"] * 3
    found = side_habits(raters, outcomes)

    known = scipy_stats.binomtest(18, 20).pvalue
    assert found["a"].p_value == pytest.approx(known)
    assert found["a"].q_value == pytest.approx(2 * known)
    assert found["b"].first_rate == 0.5
    assert found["c"].first_rate is found["c"].p_value is None
    assert found["c"].tie_rate == 1.0
    with pytest.raises(StatsError, match="'A' is not first"):
        side_habits(["a"], ["A"])
    with pytest.raises(StatsError, match="differ in length"):
        side_habits(["a"], [])


def test_pace():
    found = pace(["a", "a", "a", "b"], [2, 4, 6, _], [3, 3, _, 3])

    assert found["a"].early_share == 0.5
    assert found["a"].median_s == 4
    assert found["b"].early_share is found["b"].median_s is None
    with pytest.raises(StatsError, match="differ in length"):
        pace(["a"], [1, 2], [1])


def test_dawid_and_skene_find_a_rater_who_turns_everything_round():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 200)
    flips = rng.random((200, 4)) < [0.1, 0.1, 0.2, 0.95]
    values = np.where(flips, 1 - true[:, None], true[:, None]).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    found = dawid_skene(RatingTable(values, (0, 1)))

    assert found.converged
    assert (found.posterior.argmax(axis=1) == true).mean() > 0.95
    assert found.confusion[3, 0, 1] > 0.85
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    np.testing.assert_allclose(found.confusion.sum(axis=2), 1)


def test_dawid_and_skene_climb():
    table = random_table(2, n_points=3)
    one, other = (dawid_skene(table, tolerance=t) for t in (0.1, 1e-8))

    assert other.log_likelihood >= one.log_likelihood - 1e-6


def test_dawid_and_skene_leave_an_unrated_unit_open():
    found = dawid_skene(RatingTable([[1, 2], [_, _]], (1, 2)))

    assert np.isnan(found.posterior[1]).all()
    with pytest.raises(StatsError, match="no ratings"):
        dawid_skene(RatingTable([[_]], (1, 2)))
    with pytest.raises(StatsError, match="smoothing"):
        dawid_skene(RatingTable([[1]], (1, 2)), smoothing=-1)
