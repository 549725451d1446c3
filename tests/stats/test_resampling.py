"""The resamples are those of whole clusters, drawn with replacement."""

import krippendorff
import numpy as np
import pytest
from scipy import stats as scipy_stats

from stats.agreement import agreement, count_statistics
from stats.count_sums import count_sums
from stats.errors import StatsError
from stats.rater_pairs import kappa_sums, pair_kappas, shared_units, weighted_mean
from stats.resampling import (
    ClusterSums,
    Draws,
    bootstrap,
    draw_multiplicities,
    interval,
)
from stats.table import RatingTable
from tests.stats.published_tables import random_table


def test_multiplicities_have_the_moments_of_a_multinomial():
    multiplicity = np.array([40, 1, 1, 3, 15, 5])
    n = multiplicity.sum()
    drawn = draw_multiplicities(np.random.default_rng(0), multiplicity, 20_000)
    share = multiplicity / n

    assert (drawn.sum(axis=1) == n).all()
    np.testing.assert_allclose(drawn.mean(axis=0), multiplicity, rtol=0.05)
    covariance = n * (np.diag(share) - np.outer(share, share))
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.25)


@pytest.mark.parametrize("multiplicity", [[1] * 30, [10, 20], [8, 7, 1]])
def test_the_same_seed_draws_the_same(multiplicity):
    one, other = (
        draw_multiplicities(np.random.default_rng(4), np.array(multiplicity), 50)
        for _ in range(2)
    )

    np.testing.assert_array_equal(one, other)


def test_resamples_are_spread_as_those_of_a_plain_loop():
    table = random_table(7, n_units=60, n_points=3, cluster_size=3)
    found = agreement(table, coefficients=["alpha_ordinal"], bootstrap=4000)
    rng = np.random.default_rng(1)
    looped = []
    for _ in range(500):
        picked = rng.integers(0, 20, 20)
        rows = np.concatenate([np.arange(3 * c, 3 * c + 3) for c in picked])
        looped.append(
            krippendorff.alpha(
                reliability_data=table.values[rows].T,
                level_of_measurement="ordinal",
                value_domain=[1, 2, 3],
            )
        )
    low, high = np.quantile(looped, [0.025, 0.975])

    one = found["alpha_ordinal"]
    assert one.low == pytest.approx(low, abs=0.03)
    assert one.high == pytest.approx(high, abs=0.03)


def test_ordinal_distances_are_rebuilt_from_each_resample():
    table = random_table(3, n_units=40)
    clusters, layout = count_sums(table)
    drawn = np.random.default_rng(0).multinomial(
        40, clusters.multiplicity / clusters.n_clusters
    )
    found = count_statistics((drawn @ clusters.sums)[None], layout, ["alpha_ordinal"])[
        "alpha_ordinal"
    ]
    first = np.sort(table.values, axis=1)
    # Units alike are one kind, so the resample can be written out as a table.
    examples = {tuple(row[~np.isnan(row)]) for row in first}
    assert len(examples) == len(clusters.multiplicity)
    rows = []
    sums = {}
    for example in examples:
        part = RatingTable(np.array([example]), table.points)
        own, own_layout = count_sums(part)
        assert own_layout.n_cells == layout.n_cells
        sums[example] = own.sums[0]
    for kind, times in enumerate(drawn):
        match = next(
            e for e, row in sums.items() if np.allclose(row, clusters.sums[kind])
        )
        rows += [[*match, *[np.nan] * (4 - len(match))]] * int(times)
    known = krippendorff.alpha(
        reliability_data=np.array(rows).T,
        level_of_measurement="ordinal",
        value_domain=list(table.points),
    )

    assert found[0] == pytest.approx(known, abs=1e-9)


def test_kappas_of_a_resample_are_those_of_the_table_written_out():
    table = random_table(5, n_units=30, n_raters=3, missing=0, cluster_size=2)
    shared = shared_units(table)
    clusters = kappa_sums(table, shared)
    drawn = np.zeros(len(clusters.multiplicity))
    drawn[:6] = [2, 0, 3, 1, 1, 2]
    kappas, n_shared = pair_kappas((drawn @ clusters.sums.toarray())[None], shared)

    assert (n_shared == 2 * drawn.sum()).all()
    assert np.isfinite(weighted_mean(kappas["quadratic"], n_shared)).all()


def test_clusters_widen_the_interval_of_grouped_data():
    rng = np.random.default_rng(0)
    group = np.repeat(rng.normal(size=40) * 1.5, 5)[:, None]
    values = np.clip(np.round(3 + group + rng.normal(size=(200, 3))), 1, 5)
    by_unit = agreement(RatingTable(values, range(1, 6)))["alpha_interval"]
    grouped = RatingTable(values, range(1, 6), clusters=np.arange(200) // 5)
    by_group = agreement(grouped)["alpha_interval"]

    assert by_group.high - by_group.low > 1.3 * (by_unit.high - by_unit.low)
    assert (by_unit.n_clusters, by_group.n_clusters) == (200, 40)


def test_bca_as_scipy_has_it():
    rng = np.random.default_rng(2)
    x = rng.exponential(size=40)
    sums = ClusterSums(np.column_stack([x, np.ones(40)]), np.ones(40, dtype=int))
    draws = bootstrap(
        sums,
        lambda rows: {"mean": rows[:, 0] / rows[:, 1]},
        n_resamples=20_000,
        rng=rng,
        jackknife=True,
    )["mean"]
    low, high, n_undefined, note = interval(draws, 0.95, "bca")
    known = scipy_stats.bootstrap(
        (x,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval

    assert low == pytest.approx(known.low, abs=0.02)
    assert high == pytest.approx(known.high, abs=0.02)
    assert (n_undefined, note) == (0, "")


def test_the_jackknife_goes_by_kinds_of_cluster():
    table = random_table(8, n_units=40, n_points=3)
    clusters, layout = count_sums(table)
    draws = bootstrap(
        clusters,
        lambda rows: count_statistics(rows, layout, ["ac1"]),
        n_resamples=0,
        rng=np.random.default_rng(0),
        jackknife=True,
    )["ac1"]
    left_out = sorted(
        agreement(table.only(units=np.arange(40) != unit), bootstrap=0)["ac1"].value
        for unit in range(40)
    )

    again = np.repeat(draws.left_out, draws.left_out_weight)
    np.testing.assert_allclose(np.sort(again), left_out, atol=1e-12)


def test_bca_of_every_coefficient_is_near_the_percentile_interval():
    table = random_table(8, n_units=200, n_raters=3, missing=0)
    percentile = agreement(table)
    bca = agreement(table, method="bca", bootstrap=2000)

    for name, one in bca.items():
        assert one.low == pytest.approx(percentile[name].low, abs=0.04), name
        assert one.low < one.value < one.high


@pytest.mark.parametrize(
    ("level", "method", "message"),
    [(1.0, "percentile", "level must be"), (0.95, "normal", "method must be")],
)
def test_an_interval_that_is_not_possible(level, method, message):
    with pytest.raises(StatsError, match=message):
        interval(Draws(0.5, np.ones(5), None, None, 40), level, method)


def test_bca_needs_the_jackknife():
    with pytest.raises(StatsError, match="jackknife"):
        interval(Draws(0.5, np.linspace(0, 1, 9), None, None, 40), 0.95, "bca")


def test_a_negative_number_of_resamples_is_an_error():
    with pytest.raises(StatsError, match="0 or more"):
        agreement(random_table(0), bootstrap=-1)


def test_wide_scales_resample_too():
    table = random_table(1, n_units=60, n_points=101, missing=0.1, cluster_size=2)
    found = agreement(table, bootstrap=300)

    for name, one in found.items():
        if name.startswith("icc_a") or name.startswith("icc_c"):
            continue
        assert one.low is None or one.low <= one.value <= one.high, name
        assert one.low is not None, name
