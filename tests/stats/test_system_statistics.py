"""Systems and conditions by absolute ratings."""

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from stats.contrasts import contrasts
from stats.errors import StatsError
from stats.multiple import benjamini_hochberg, benjamini_yekutieli, holm
from stats.systems import clustered_t_test, compare_systems, system_means
from stats.table import RatingTable
from stats.variance import variance_split

_ = np.nan


def study(seed: int, n: int = 60, lift: float = 1.0, cluster_size: int = 2):
    """Return ratings of three systems, their systems and instances."""
    rng = np.random.default_rng(seed)
    system = np.tile(np.arange(3), n)
    instance = np.repeat(np.arange(n), 3)
    level = rng.normal(size=n)[instance] + lift * np.array([0, 0, 1])[system]
    values = np.clip(np.round(3 + level[:, None] + rng.normal(size=(3 * n, 2))), 1, 5)
    table = RatingTable(values, range(1, 6), clusters=instance // cluster_size)
    return table, np.array(["A", "B", "C"])[system], instance


def test_means_count_each_unit_once():
    table = RatingTable([[1, 1, 1], [3, _, _], [2, 2, _]], (1, 2, 3))
    found = system_means(table, ["A", "A", "B"], bootstrap=0)

    assert found["A"].value == 2.0
    assert (found["A"].n_units, found["A"].n_raters, found["A"].n_ratings) == (2, 3, 4)


def test_a_system_without_ratings_is_undefined_not_low():
    found = system_means(RatingTable([[1], [_]], (1, 2)), ["A", "B"])

    assert (found["B"].value, found["B"].note) == (None, "no ratings")


def test_paired_differences_as_a_t_test_has_them():
    table, systems, instances = study(0, cluster_size=1)
    means = table.values.mean(axis=1).reshape(-1, 3)
    found = compare_systems(table, systems, instances)
    known = scipy_stats.ttest_rel(means[:, 0], means[:, 2])

    one = found.differences[1]
    assert (one.first, one.second) == ("A", "C")
    assert one.difference.value == pytest.approx((means[:, 0] - means[:, 2]).mean())
    assert one.p_value == pytest.approx(known.pvalue)
    assert one.wins + one.ties + one.losses == 60
    assert one.difference.low < one.difference.value < one.difference.high
    assert one.low < one.difference.low
    adjusted = multipletests([d.p_value for d in found.differences], method="holm")[1]
    assert [d.p_holm for d in found.differences] == pytest.approx(adjusted)


def test_letters_part_what_differs():
    table, systems, instances = study(1, n=150)
    found = compare_systems(table, systems, instances).ranking

    assert found.systems[0] == "C"
    assert found.letters == ("a", "b", "b")
    assert found.ranks[0] == (1, 1)


def test_equal_systems_share_a_letter():
    table, systems, instances = study(2, lift=0.0)
    found = compare_systems(table, systems, instances).ranking

    assert set(found.letters) == {"a"}


def test_few_clusters_tell_nothing_apart():
    table, systems, instances = study(3, n=16, lift=3.0)
    found = compare_systems(table, systems, instances)

    assert set(found.ranking.letters) == {"a"}
    assert "fewer than 10" in found.differences[0].difference.interval_note


def test_systems_that_never_meet():
    table = RatingTable([[1], [2]], (1, 2))
    found = compare_systems(table, ["A", "B"], ["i", "j"])

    assert found.differences[0].difference.note == "no instance has both systems"


def test_a_system_that_answers_twice_is_an_error():
    with pytest.raises(StatsError, match="answered the same instance twice"):
        compare_systems(RatingTable([[1], [2]], (1, 2)), ["A", "A"], ["i", "i"])
    with pytest.raises(StatsError, match="3 systems for 2 units"):
        system_means(RatingTable([[1], [2]], (1, 2)), ["A", "A", "B"])
    with pytest.raises(StatsError, match="1 instances for 2 units"):
        compare_systems(RatingTable([[1], [2]], (1, 2)), ["A", "B"], ["i"])


def test_corrections_as_statsmodels_has_them():
    p_values = np.random.default_rng(0).random(12) ** 2
    for ours, name in (
        (holm, "holm"),
        (benjamini_hochberg, "fdr_bh"),
        (benjamini_yekutieli, "fdr_by"),
    ):
        known = multipletests(p_values, method=name)[1]
        np.testing.assert_allclose(ours(p_values), known)
        with_gap = np.insert(p_values, 3, np.nan)
        np.testing.assert_allclose(np.delete(ours(with_gap), 3), known)


def test_a_clustered_t_test_of_single_rows_is_the_t_test():
    gaps = np.random.default_rng(0).normal(0.3, 1, 40)

    found = clustered_t_test(np.arange(40), gaps)
    assert found == pytest.approx(scipy_stats.ttest_1samp(gaps, 0).pvalue)
    assert np.isnan(clustered_t_test(np.zeros(3, int), np.ones(3)))


def test_contrasts_are_paired_within_the_script():
    rng = np.random.default_rng(0)
    n = 50
    script = np.repeat(np.arange(n), 3)
    condition = np.tile(["target", "neutral", "alternative"], n)
    system = np.tile("S", 3 * n)
    level = rng.normal(size=n)[script] + 0.8 * (condition == "target")
    values = np.clip(np.round(3 + level + 0.5 * rng.normal(size=3 * n)), 1, 5)
    values[1] = np.nan
    table = RatingTable(values[:, None], range(1, 6), clusters=script)
    pairs = [("target", "neutral"), ("target", "alternative")]
    found = contrasts(table, condition, script, pairs, strata=system)
    grid = values.reshape(n, 3)
    gaps = grid[:, 0] - grid[:, 1]

    assert found[0].difference.value == pytest.approx(np.nanmean(gaps))
    assert found[0].difference.n_units == 49
    assert found[0].unmatched == 1
    assert found[0].p_value == pytest.approx(
        scipy_stats.ttest_1samp(gaps[~np.isnan(gaps)], 0).pvalue
    )
    assert found[0].difference.low > 0
    assert found[0].higher == (gaps > 0).sum()
    assert found[0].stratum == "S"


def test_contrasts_by_stratum_and_without_a_match():
    table = RatingTable([[1], [3], [2]], (1, 2, 3))
    found = contrasts(
        table, ["t", "n", "t"], [1, 1, 2], [("t", "n")], strata=["A", "A", "B"]
    )

    assert [one.difference.value for one in found] == [-2.0, None]
    assert found[1].difference.note == "no script was rated under both conditions"


def test_contrasts_that_cannot_be():
    table = RatingTable([[1], [3]], (1, 2, 3))
    with pytest.raises(StatsError, match="no unit has the condition x"):
        contrasts(table, ["t", "n"], [1, 1], [("t", "x")])
    with pytest.raises(StatsError, match="1 scripts for 2 units"):
        contrasts(table, ["t", "n"], [1], [("t", "n")])


def test_planted_variances_are_found():
    rng = np.random.default_rng(0)
    n_groups, per_group, k, raters = 150, 2, 4, 6
    group = np.repeat(np.arange(n_groups), per_group * k)
    instance = np.repeat(np.arange(n_groups * per_group), k)
    system = np.tile(np.arange(k), n_groups * per_group)
    sd = {"group": 9, "instance": 7, "reply": 5, "rater": 8, "residual": 10}
    level = sd["group"] * rng.normal(size=n_groups)[group]
    level += sd["instance"] * rng.normal(size=n_groups * per_group)[instance]
    level += sd["reply"] * rng.normal(size=len(group))
    values = 500 + level[:, None] + sd["rater"] * rng.normal(size=raters)
    values += sd["residual"] * rng.normal(size=values.shape)
    values[rng.random(values.shape) < 0.3] = np.nan
    table = RatingTable(np.round(values), range(1001), clusters=group)
    found = variance_split(table, system, instance)

    for name in ("group", "instance", "reply", "residual"):
        assert getattr(found, name) == pytest.approx(sd[name] ** 2, rel=0.35), name
    assert found.rater == pytest.approx(64, rel=1.0)
    assert sum(found.shares().values()) == pytest.approx(1)


def test_variances_of_a_crossed_table_as_the_anova_has_them():
    rng = np.random.default_rng(1)
    values = np.clip(
        np.round(5 + rng.normal(size=(30, 1)) + rng.normal(size=(30, 4))), 1, 9
    )
    n, k = values.shape
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    residual = ((values - rows[:, None] - columns + values.mean()) ** 2).sum() / (
        (n - 1) * (k - 1)
    )
    table = RatingTable(values, range(1, 10))
    found = variance_split(table, ["S"] * n, range(n))

    assert found.residual == pytest.approx(residual)
    assert found.group == pytest.approx((k * rows.var(ddof=1) - residual) / k)
    assert found.rater == pytest.approx(
        max((n * columns.var(ddof=1) - residual) / n, 0)
    )
    assert found.system is found.instance is found.reply is None
    assert "only one system" in found.note


def test_a_split_needs_ratings_and_labels():
    with pytest.raises(StatsError, match="under three"):
        variance_split(RatingTable([[1]], (1, 2)), ["A"], ["i"])
    with pytest.raises(StatsError, match="labels for 2 units"):
        variance_split(RatingTable([[1, 2], [1, 1]], (1, 2)), ["A"], ["i"])
