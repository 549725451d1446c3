"""An interval of nominal 95 % holds the truth in 93 to 97 % of grouped samples."""

import numpy as np
import pytest

from stats.agreement import agreement
from stats.table import RatingTable

N_SAMPLES, N_GROUPS, GROUP_SIZE, N_RATERS = 500, 80, 3, 3
NAMES = (
    "exact",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "kappa_quadratic",
    "ac1",
    "ac2_quadratic",
    "icc_1",
)


def sample(rng: np.random.Generator, n_groups: int) -> RatingTable:
    n_units = n_groups * GROUP_SIZE
    clusters = np.arange(n_units) // GROUP_SIZE
    group = rng.normal(size=n_groups)[clusters]
    unit = group + 0.5 * rng.normal(size=n_units)
    scores = unit[:, None] + rng.normal(size=(n_units, N_RATERS))
    return RatingTable(np.digitize(scores, [-0.8, 0.4]), (0, 1, 2), clusters=clusters)


@pytest.mark.slow
def test_coverage_of_grouped_data():
    rng = np.random.default_rng(20)
    big = agreement(sample(rng, 100_000), coefficients=NAMES, bootstrap=0)
    held = dict.fromkeys(NAMES, 0)
    for seed in range(N_SAMPLES):
        found = agreement(
            sample(rng, N_GROUPS), coefficients=NAMES, bootstrap=500, seed=seed
        )
        for name, one in found.items():
            held[name] += one.low <= big[name].value <= one.high

    for name, count in held.items():
        assert 0.93 <= count / N_SAMPLES <= 0.97, (name, count / N_SAMPLES)


@pytest.mark.slow
def test_units_instead_of_groups_would_cover_too_little():
    rng = np.random.default_rng(20)
    truth = agreement(sample(rng, 100_000), coefficients=["exact"], bootstrap=0)
    held = 0
    for seed in range(150):
        table = sample(rng, 30)
        # The same three ratings for a whole group, as if a pair had been copied.
        copied = table.values[table.cluster_index * GROUP_SIZE]
        found = agreement(
            RatingTable(copied, table.points),
            coefficients=["exact"],
            bootstrap=300,
            seed=seed,
        )["exact"]
        held += found.low <= truth["exact"].value <= found.high

    assert held / 150 < 0.85
