"""Every coefficient gives what was published."""

import numpy as np
import pytest

from stats.agreement import COEFFICIENTS, FURTHER_COEFFICIENTS, agreement
from stats.category import specific_agreement
from stats.chance_corrected import agreement_weights
from stats.conger import conger_estimate
from stats.distribution import distribution, kappa_paradox
from stats.errors import StatsError
from stats.pairwise_kappas import kappas_by_pair
from stats.rater_pairs import kappa_sums, shared_units
from stats.table import RatingTable
from tests.stats.published_tables import (
    FLEISS_1971,
    FLEISS_COUNTS,
    SHROUT_FLEISS_1979,
    WITH_GAPS,
    cohen_1960,
    from_counts,
    krippendorff_2011,
    random_table,
)


def value(table: RatingTable, name: str) -> float | None:
    return agreement(table, coefficients=[name], bootstrap=0)[name].value


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("alpha_nominal", 0.743421),
        ("alpha_ordinal", 0.815388),
        ("alpha_interval", 0.849107),
        ("alpha_ratio", 0.797403),
        ("ac1", 0.775444),
        ("kappa_fleiss", 0.761169),
        ("brennan_prediger", 0.772727),
        ("ac2_quadratic", 0.914001),
        ("ac2_ordinal", 0.898940),
        ("fleiss_quadratic", 0.864935),
        ("brennan_prediger_quadratic", 0.901515),
        ("conger", 0.762067),
        ("exact", 0.818182),
    ],
)
def test_krippendorffs_table_of_2011(name, published):
    assert value(krippendorff_2011(), name) == pytest.approx(published, abs=5e-7)


def test_krippendorffs_table_rests_on_eleven_units():
    found = agreement(krippendorff_2011(), bootstrap=0)["alpha_ordinal"]

    assert (found.n_units, found.n_raters, found.n_ratings) == (11, 4, 40)
    assert found.dropped == {"units with one rating": 1}


def test_fleiss_of_1971():
    table = RatingTable(FLEISS_1971, points=range(1, 6))

    assert value(table, "kappa_fleiss") == pytest.approx(0.430245, abs=5e-7)
    assert value(table, "ac1") == pytest.approx(0.447885, abs=5e-7)
    assert value(table, "brennan_prediger") == pytest.approx(0.444444, abs=5e-7)
    assert value(table, "alpha_nominal") == pytest.approx(0.433410, abs=5e-7)


def test_fleiss_worked_example():
    assert value(from_counts(FLEISS_COUNTS), "kappa_fleiss") == pytest.approx(
        0.209931, abs=5e-7
    )


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("kappa_cohen", 0.491525),
        ("kappa_linear", 0.473684),
        ("kappa_quadratic", 0.454545),
        ("conger", 0.491525),
    ],
)
def test_cohens_cases(name, published):
    assert value(cohen_1960(), name) == pytest.approx(published, abs=5e-7)


def test_scotts_pi_is_fleiss_kappa_of_two_raters():
    assert value(cohen_1960(), "scott") == pytest.approx(
        value(cohen_1960(), "kappa_fleiss"), abs=1e-12
    )


def test_kappas_of_each_pair():
    table = RatingTable(WITH_GAPS, points=range(1, 6), raters=list("abcd"))
    found = kappas_by_pair(table)
    mean = np.average(
        [one.quadratic for one in found], weights=[o.n_units for o in found]
    )

    assert (found[0].first, found[0].second) == ("a", "b")
    assert mean == pytest.approx(value(table, "kappa_quadratic"), abs=1e-12)
    assert kappas_by_pair(table, fewest=100) == ()


def test_cohens_own_weights():
    # The weights of 1968 follow no formula, so they go straight into the definition.
    disagreements = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    table = cohen_1960()
    shared = shared_units(table)
    sums = kappa_sums(table, shared).total()[0]
    left, right = sums[:3], sums[3:6]
    observed = disagreements[shared.left, shared.right].sum()

    kappa = 1 - observed * 200 / (left @ disagreements @ right)

    assert kappa == pytest.approx(0.347826, abs=5e-7)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("icc_1", 0.165742),
        ("icc_a1", 0.289764),
        ("icc_c1", 0.714841),
        ("icc_1k", 0.442797),
        ("icc_ak", 0.620051),
        ("icc_ck", 0.909316),
    ],
)
def test_shrout_and_fleiss(name, published):
    table = RatingTable(SHROUT_FLEISS_1979, points=range(1, 11))

    assert value(table, name) == pytest.approx(published, abs=5e-7)


# irrCAC 0.4.4 on WITH_GAPS. Its alpha for "ordinal" is left out: it weighs by Gwet's
# ordinal weights, which is another metric than Krippendorff's (.8336 on his own table,
# where .815 is published).
IRRCAC = {
    "identity": (0.215067935, 0.189422227, 0.210069444, 0.191231502),
    "linear": (0.485792832, None, None, 0.368849073),
    "quadratic": (0.679040541, 0.534563023, 0.654513889, 0.521043122),
    "ordinal": (0.625241149, None, None, 0.472449690),
}


@pytest.mark.parametrize("weights", sorted(IRRCAC))
def test_a_table_with_gaps_as_irrcac_has_it(weights):
    table = RatingTable(WITH_GAPS, points=range(1, 6))
    names = {
        "identity": ("ac1", "kappa_fleiss", "brennan_prediger"),
        "linear": ("ac2_linear", None, None),
        "quadratic": (
            "ac2_quadratic",
            "fleiss_quadratic",
            "brennan_prediger_quadratic",
        ),
        "ordinal": ("ac2_ordinal", None, None),
    }[weights]
    *by_name, conger = IRRCAC[weights]

    for name, known in zip(names, by_name, strict=True):
        if name is not None:
            assert value(table, name) == pytest.approx(known, abs=1e-8)
    found = conger_estimate(table, weights=weights, bootstrap=0)
    assert found.value == pytest.approx(conger, abs=1e-8)


def test_alphas_of_a_table_with_gaps_as_irrcac_has_them():
    table = RatingTable(WITH_GAPS, points=range(1, 6))

    assert value(table, "alpha_nominal") == pytest.approx(0.157668051, abs=1e-8)
    assert value(table, "alpha_interval") == pytest.approx(0.47713258, abs=1e-8)


def test_specific_agreement_on_the_textbook_table():
    pairs = [[1, 1]] * 40 + [[1, 2]] * 9 + [[2, 1]] * 6 + [[2, 2]] * 45
    found = specific_agreement(RatingTable(pairs, (1, 2, 3)), bootstrap=100)

    assert found[1.0].value == pytest.approx(80 / 95)
    assert found[2.0].value == pytest.approx(90 / 105)
    assert found[3.0].value is None
    assert found[3.0].note == "nobody gave it"
    assert found[1.0].low < found[1.0].value < found[1.0].high


def test_the_kappa_paradox_is_told():
    table = RatingTable([[0, 0]] * 95 + [[1, 0]] * 3 + [[0, 1]] * 2, (0, 1))
    found = agreement(table, bootstrap=0)

    assert found["kappa_cohen"].value == pytest.approx(-0.025, abs=5e-4)
    assert found["ac1"].value == pytest.approx(0.947, abs=5e-4)
    said = kappa_paradox(
        found["exact"], found["kappa_cohen"], found["ac1"], distribution(table)
    )
    assert "95%" in said
    assert "0.95" in said


def test_nothing_is_said_without_a_paradox():
    table = cohen_1960()
    found = agreement(table, bootstrap=0)

    said = kappa_paradox(
        found["exact"], found["kappa_cohen"], found["ac1"], distribution(table)
    )
    assert said == ""


def test_the_names_and_their_order_are_fixed():
    assert tuple(agreement(cohen_1960(), bootstrap=0)) == COEFFICIENTS
    assert not set(COEFFICIENTS) & set(FURTHER_COEFFICIENTS)


def test_an_unknown_coefficient_is_an_error():
    with pytest.raises(StatsError, match="no coefficient 'kappa'"):
        agreement(cohen_1960(), coefficients=["kappa"])


def test_unknown_weights_are_an_error():
    with pytest.raises(StatsError, match="weights must be one of"):
        agreement_weights(np.array([1.0, 2.0]), "cubic")


def test_a_slider_agrees_with_the_same_values_counted_by_pattern():
    # Thirteen points or more go another way through the code than twelve.
    table = krippendorff_2011()
    wide = RatingTable(table.values, points=range(1, 6))
    slider = RatingTable(table.values, points=range(1, 102))

    for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio"):
        assert value(slider, name) == pytest.approx(value(wide, name), abs=1e-12)
    assert value(slider, "icc_1") == pytest.approx(value(wide, "icc_1"), abs=1e-12)
    assert value(slider, "kappa_fleiss") == pytest.approx(0.761169, abs=5e-7)


def test_kappas_of_very_many_meetings_come_without_an_interval(monkeypatch):
    table = random_table(2, n_units=200, n_raters=6, missing=0.3)
    names = ["kappa_cohen", "kappa_linear", "kappa_quadratic", "scott"]
    known = agreement(table, coefficients=names, bootstrap=50)
    monkeypatch.setattr("stats.pairwise_kappas.MOST_MEETINGS", 100)
    monkeypatch.setattr("stats.rater_pairs.MEETINGS_AT_ONCE", 300)
    found = agreement(table, coefficients=names, bootstrap=50)

    for name in names:
        assert found[name].value == pytest.approx(known[name].value, abs=1e-12)
        assert found[name].dropped == known[name].dropped
        assert found[name].low is None
        assert found[name].interval_note.startswith("no interval: raters share so many")
