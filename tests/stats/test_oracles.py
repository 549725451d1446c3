"""The same numbers as other libraries, where those are right."""

import warnings

import krippendorff
import numpy as np
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from stats.agreement import agreement
from stats.rank_agreement import rank_estimates
from stats.table import RatingTable
from tests.stats.published_tables import random_table

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_as_krippendorff_has_it(seed, level):
    table = random_table(seed)
    known = krippendorff.alpha(
        reliability_data=table.values.T,
        level_of_measurement=level,
        value_domain=list(table.points),
    )

    found = agreement(table, coefficients=[f"alpha_{level}"], bootstrap=0)
    assert found[f"alpha_{level}"].value == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_on_a_slider_as_krippendorff_has_it(seed):
    rng = np.random.default_rng(seed)
    values = np.clip(
        np.round(rng.normal(50, 20, (30, 1)) + rng.normal(0, 9, (30, 3))), 0, 100
    )
    values[rng.random(values.shape) < 0.2] = np.nan
    table = RatingTable(values, range(101))
    for level in ("nominal", "ordinal", "interval", "ratio"):
        known = krippendorff.alpha(
            reliability_data=values.T,
            level_of_measurement=level,
            value_domain=list(range(101)),
        )
        found = agreement(table, coefficients=[f"alpha_{level}"], bootstrap=0)
        assert found[f"alpha_{level}"].value == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_as_statsmodels_has_it(seed):
    table = random_table(seed, missing=0)
    counts = np.stack(
        [(table.values == point).sum(axis=1) for point in table.points], 1
    )

    found = agreement(table, coefficients=["kappa_fleiss"], bootstrap=0)["kappa_fleiss"]
    assert found.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "weights", "theirs"),
    [
        ("kappa_cohen", None, None),
        ("kappa_linear", "linear", "linear"),
        ("kappa_quadratic", "quadratic", "quadratic"),
    ],
)
def test_cohen_as_scikit_learn_and_statsmodels_have_it(seed, name, weights, theirs):
    table = random_table(seed, n_raters=2, missing=0)
    left, right = table.values.T.astype(int)
    known = cohen_kappa_score(left, right, weights=weights, labels=[1, 2, 3, 4, 5])
    counts = np.zeros((5, 5))
    np.add.at(counts, (left - 1, right - 1), 1)

    found = agreement(table, coefficients=[name], bootstrap=0)[name].value
    assert found == pytest.approx(known, abs=1e-9)
    assert found == pytest.approx(cohens_kappa(counts, wt=theirs).kappa, abs=1e-9)


def test_mean_kappa_is_the_mean_over_pairs_weighted_by_shared_units():
    table = random_table(9, n_units=80, n_raters=5, missing=0.4)
    total = weight = 0.0
    for i in range(5):
        for j in range(i):
            left, right = table.values[:, i], table.values[:, j]
            both = ~(np.isnan(left) | np.isnan(right))
            if both.sum() >= 10:
                kappa = cohen_kappa_score(
                    left[both].astype(int),
                    right[both].astype(int),
                    weights="quadratic",
                    labels=[1, 2, 3, 4, 5],
                )
                total, weight = total + kappa * both.sum(), weight + both.sum()

    found = agreement(table, coefficients=["kappa_quadratic"], bootstrap=0)
    assert found["kappa_quadratic"].value == pytest.approx(total / weight, abs=1e-9)


def test_libraries_disagree_where_nothing_varies_and_we_say_undefined():
    # scikit-learn and statsmodels answer NaN, evalica 1.0, krippendorff raises.
    table = RatingTable(np.full((12, 2), 1.0), (1, 2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(cohen_kappa_score([1] * 12, [1] * 12))
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(reliability_data=table.values.T)

    found = agreement(table, bootstrap=0)
    assert found["kappa_cohen"].value is found["alpha_nominal"].value is None


@pytest.mark.parametrize("n_points", [5, 101])
def test_mean_rank_correlations_as_scipy_has_them(n_points):
    table = random_table(4, n_raters=3, n_points=n_points, missing=0)
    found = rank_estimates(table, bootstrap=0)
    pairs = [(0, 1), (0, 2), (1, 2)]
    columns = table.values.T
    rho = np.mean([scipy_stats.spearmanr(columns[i], columns[j])[0] for i, j in pairs])
    tau = np.mean([scipy_stats.kendalltau(columns[i], columns[j])[0] for i, j in pairs])

    assert found["spearman"].value == pytest.approx(rho, abs=1e-9)
    assert found["kendall_tau"].value == pytest.approx(tau, abs=1e-9)


def test_kendalls_w_goes_with_the_mean_spearman():
    # Without ties, mean rho = (k W - 1) / (k - 1); with ties Friedman's test has W.
    table = random_table(4, n_raters=3, missing=0)
    friedman = scipy_stats.friedmanchisquare(*table.values).statistic

    found = rank_estimates(table, ["kendall_w"], bootstrap=0)["kendall_w"]
    assert found.value == pytest.approx(friedman / (3 * (table.n_units - 1)), abs=1e-9)


def test_kendalls_w_of_the_textbook():
    # Siegel (1956), table 9.1: three executives rank six applicants.
    ranks = np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]]).T

    found = rank_estimates(RatingTable(ranks, range(1, 7)), ["kendall_w"], bootstrap=0)
    assert found["kendall_w"].value == pytest.approx(0.16, abs=0.005)
