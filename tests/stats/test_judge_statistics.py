"""A judge beside people."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from stats.agreement import agreement
from stats.errors import StatsError
from stats.judges import (
    alt_test,
    ceiling,
    confusion,
    family_preference,
    judge_profile,
    leave_one_out,
    position_swap,
    repeat_consistency,
    sensitivity,
    system_correlations,
)
from stats.judges.leave_one_out import contests
from stats.judges.sides import sides
from stats.multiple import benjamini_yekutieli
from stats.table import RatingTable
from tests.stats.published_tables import random_table

_ = np.nan
FIVE = (1, 2, 3, 4, 5)


def panel(seed: int, n: int = 120, people: int = 4, judge_noise: float = 0.8):
    """Return a table of people p0, p1, ... and a judge J; a fifth is missing."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(n, 1)) * 1.3
    noise = rng.normal(size=(n, people + 1)) * np.r_[np.ones(people), judge_noise]
    values = np.clip(np.round(3 + true + noise), 1, 5)
    values[:, :people][rng.random((n, people)) < 0.2] = np.nan
    names = [f"p{i}" for i in range(people)] + ["J"]
    return RatingTable(values, FIVE, None, names)


@pytest.mark.parametrize("measure", ["exact", "within_one", "distance"])
def test_leave_one_out_is_what_the_definition_gives(measure):
    table = panel(0, n=40)

    def score(value, rest):
        if measure == "distance":
            return np.sqrt(np.mean((value - rest) ** 2))
        return np.mean(np.abs(value - rest) <= (measure == "within_one"))

    judged, person = [], []
    for row in table.values:
        given = np.flatnonzero(~np.isnan(row[:4]))
        for j in given:
            rest = row[[i for i in given if i != j]]
            if len(rest):
                judged.append(score(row[4], rest))
                person.append(score(row[j], rest))
    found = leave_one_out(table, "J", measure=measure, bootstrap=200)

    assert found.judge.value == pytest.approx(np.mean(judged))
    assert found.person.value == pytest.approx(np.mean(person))
    assert found.difference.value == pytest.approx(np.mean(judged) - np.mean(person))
    assert found.difference.low < found.difference.high
    assert sum(n for _, _, n in found.by_person.values()) == len(judged)


def test_a_judge_who_is_one_more_person_is_level_with_people():
    found = leave_one_out(panel(1, n=600, judge_noise=1.0), "J", bootstrap=400)

    assert found.difference.low < 0 < found.difference.high


def test_the_ceiling_rests_on_the_judges_units():
    values = panel(2, n=60).values.copy()
    values[30:, 4] = np.nan
    table = RatingTable(values, FIVE, None, ["p0", "p1", "p2", "p3", "J"])
    found = ceiling(table, "J", bootstrap=50)
    among = RatingTable(values[:30, :4], FIVE)

    known = agreement(among, bootstrap=0)
    for name in ("exact", "kappa_quadratic", "alpha_ordinal"):
        assert found.people[name].value == pytest.approx(known[name].value)
    assert found.judge["exact"].n_units == 30
    shares = [
        np.mean(row[:4][~np.isnan(row[:4])] == row[4])
        for row in values[:30]
        if not np.isnan(row[:4]).all()
    ]
    assert found.judge["exact"].value == pytest.approx(np.mean(shares))


def test_a_judges_kappa_with_one_person_is_cohens():
    table = panel(3, people=1)
    known = agreement(table, coefficients=["kappa_quadratic"], bootstrap=0)

    found = ceiling(table, "J", bootstrap=0).judge["kappa_quadratic"]
    assert found.value == pytest.approx(known["kappa_quadratic"].value)


def test_a_judge_who_shares_no_unit():
    table = RatingTable([[1, 2, _], [_, _, 1]], FIVE, None, ["a", "b", "J"])

    assert ceiling(table, "J").judge["exact"].value is None
    assert judge_profile(table, "J")["bias"].note.endswith("no unit in common")
    assert (
        leave_one_out(table, "J").judge.note == "no unit has the judge and two people"
    )
    assert sensitivity(table, "J", [1.0, 2.0]).value is None
    assert alt_test(table, "J").note == "not enough data"
    assert confusion(table, "J").sum() == 0


def test_the_confusion_matrix_has_people_in_rows():
    table = RatingTable([[1, 1, 2], [3, _, 3]], (1, 2, 3), None, ["a", "b", "J"])

    assert confusion(table, "J").tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 1]]


def test_bias_spread_and_polarisation():
    people = np.tile([[2.0, 3.0], [3.0, 4.0], [2.0, 2.0], [4.0, 4.0]], (10, 1))
    judge = np.tile([[1.0], [5.0], [1.0], [5.0]], (10, 1))
    table = RatingTable(np.hstack([people, judge]), FIVE, None, ["a", "b", "J"])
    found = judge_profile(table, "J")

    assert found["bias"].value == pytest.approx(0)
    assert found["absolute_error"].value == pytest.approx((1.5 + 1.5 + 1 + 1) / 4)
    assert found["judge_sd"].value == pytest.approx(2)
    assert found["people_sd"].value == pytest.approx(people.std())
    assert found["sd_ratio"].value == pytest.approx(2 / people.std())
    assert found["polarisation"].value == 1.0
    assert found["polarisation"].low == 1.0


def test_people_who_never_vary_leave_no_ratio_of_spreads():
    table = RatingTable([[2, 1], [2, 3]] * 10, (1, 2, 3), None, ["a", "J"])
    found = judge_profile(table, "J", bootstrap=50)

    assert found["sd_ratio"].note == "people gave every unit the same"


def test_a_planted_preference_for_a_family_is_found():
    table = panel(4, n=300)
    values = table.values.copy()
    family = np.arange(300) % 3
    values[family == 0, 4] = np.minimum(values[family == 0, 4] + 1, 5)
    changed = RatingTable(values, FIVE, None, table.raters)
    names = np.array(["own", "other", "third"])[family]
    found = family_preference(changed, "J", names)

    assert found["own"].low > 0.4
    assert found["other"].high < 0
    one_family = family_preference(changed, "J", ["own"] * 300)
    assert one_family["own"].value is None


def test_a_planted_sensitivity_to_length_is_found():
    rng = np.random.default_rng(0)
    length = rng.normal(20, 5, 200)
    people = rng.integers(2, 5, (200, 2)).astype(float)
    judge = np.clip(np.round(people.mean(axis=1) + (length - 20) / 5), 1, 5)
    table = RatingTable(np.column_stack([people, judge]), FIVE, None, ["a", "b", "J"])
    found = sensitivity(table, "J", length)
    slope = scipy_stats.linregress(
        (length - length.mean()) / length.std(), judge - people.mean(axis=1)
    ).slope

    assert found.value == pytest.approx(slope)
    assert found.low > 0.5
    assert "does not vary" in sensitivity(table, "J", np.ones(200)).note


def test_position_swap():
    straight = ["first"] * 6 + ["second"] * 2 + ["tie"] * 4
    swapped = ["second"] * 3 + ["first"] * 3 + ["second"] * 2 + ["tie"] * 3 + ["first"]
    found = position_swap(straight, swapped)

    assert found.consistent.value == pytest.approx(6 / 12)
    assert found.first_both.value == pytest.approx(3 / 12)
    assert found.second_both.value == pytest.approx(2 / 12)
    assert found.preference.value == pytest.approx(1 / 12)
    assert position_swap([], []).consistent.note == "no pair was judged in both orders"
    with pytest.raises(StatsError, match="'A' is not first"):
        position_swap(["A"], ["first"])
    with pytest.raises(StatsError, match="differ in length"):
        position_swap(["first"], [])


def test_repeats():
    found = repeat_consistency(RatingTable([[1, 1], [2, 3], [3, _]], (1, 2, 3)))

    assert found["exact"].value == 0.5
    assert found["within_one"].value == 1.0
    nothing = repeat_consistency(RatingTable([[1, _]], (1, 2)))
    assert nothing["exact"].note == "no unit was rated twice"


def test_system_level_correlations_as_scipy_has_them():
    table = panel(5, n=200)
    system = np.arange(200) % 8
    means = []
    for s in range(8):
        rows = table.values[system == s]
        means.append((rows[:, 4].mean(), np.nanmean(rows[:, :4], axis=1).mean()))
    judged, rated = np.array(means).T
    found = system_correlations(table, "J", system)

    assert found["pearson"].value == pytest.approx(
        scipy_stats.pearsonr(judged, rated)[0]
    )
    assert found["spearman"].value == pytest.approx(
        scipy_stats.spearmanr(judged, rated)[0]
    )
    assert found["kendall"].value == pytest.approx(
        scipy_stats.kendalltau(judged, rated)[0]
    )
    assert found["pearson"].low < found["pearson"].value < found["pearson"].high


def test_two_systems_have_no_correlation():
    found = system_correlations(panel(5, n=40), "J", np.arange(40) % 2, bootstrap=20)

    assert {one.note for one in found.values()} == {"fewer than 3 systems"}


def test_the_alternative_annotator_test_is_what_the_definition_gives():
    table = panel(6, n=150)
    met = contests(sides(table, "J"), "distance")
    p_values = []
    for at in range(4):
        mine = met.person == at
        judge_wins = met.judge_score[mine] <= met.person_score[mine]
        person_wins = met.person_score[mine] <= met.judge_score[mine]
        gaps = person_wins.astype(float) - judge_wins
        p_values.append(scipy_stats.ttest_1samp(gaps, 0.1, alternative="less").pvalue)
    found = alt_test(table, "J", epsilon=0.1)

    corrected = benjamini_yekutieli(p_values)
    rejected = corrected <= 0.05
    assert [one.rejected for one in found.people.values()] == rejected.tolist()
    assert [one.p_value for one in found.people.values()] == pytest.approx(p_values)
    assert [one.p_corrected for one in found.people.values()] == pytest.approx(
        corrected
    )
    assert found.winning_rate == rejected.mean()
    assert found.passed == (rejected.mean() >= 0.5)


def test_a_judge_as_good_as_people_passes_and_a_bad_one_does_not():
    good = alt_test(panel(7, n=300, judge_noise=0.5), "J")
    bad = alt_test(panel(7, n=300, judge_noise=4.0), "J")

    assert good.passed
    assert good.winning_rate == 1.0
    assert not bad.passed
    assert bad.advantage < good.advantage


def test_three_people_with_twenty_units_are_not_enough_data():
    found = alt_test(panel(8, n=20, people=3), "J")

    assert found.note == "not enough data"
    assert found.winning_rate is found.passed is None
    assert all(one.p_value is None for one in found.people.values())


def test_thirty_units_of_ten_groups_are_not_enough_data():
    table = panel(8, n=40, people=3)
    grouped = RatingTable(table.values, FIVE, None, table.raters, np.arange(40) // 4)

    assert alt_test(grouped, "J").note == "not enough data"
    assert alt_test(grouped, "J", fewest_clusters=10).winning_rate is not None


def test_the_same_answers_throughout_divide_by_nothing():
    values = np.tile([[1, 1, 1, 1], [2, 2, 2, 2]], (20, 1))
    found = alt_test(RatingTable(values, (1, 2), None, ["a", "b", "c", "J"]), "J")

    assert found.winning_rate == 1.0
    assert {one.p_value for one in found.people.values()} == {0.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: sides(t, "nobody"), "no rater nobody"),
        (lambda t: sides(t, "J", ["J", "p0"]), "both the judge and a person"),
        (lambda t: leave_one_out(t, "J", measure="r"), "measure must be"),
        (lambda t: alt_test(t, "J", epsilon=1.5), "between 0 and 1"),
        (lambda t: family_preference(t, "J", ["x"]), "1 families for"),
        (lambda t: sensitivity(t, "J", [1.0]), "1 numbers for"),
        (lambda t: system_correlations(t, "J", ["x"]), "1 systems for"),
    ],
)
def test_what_cannot_be_compared(call, message):
    with pytest.raises(StatsError, match=message):
        call(panel(9, n=12))


def test_a_slider_judge_is_no_other_case():
    table = random_table(1, n_units=50, n_raters=4, n_points=101, missing=0)
    found = ceiling(table, "3", bootstrap=50)

    assert found.judge["kappa_quadratic"].value is not None
