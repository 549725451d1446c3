"""Strengths from votes."""

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from stats.bradley_terry import bradley_terry, strongly_connected
from stats.davidson import Model, fit
from stats.errors import StatsError
from stats.rank_sets import rank_sets, simultaneous_intervals
from stats.votes import VoteTable

SAID = np.array(["second", "tie", "first"])


def random_votes(seed: int, n: int = 400, k: int = 5, ties: float = 0.2):
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1, 1, k)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    won = rng.random(n) < 1 / (1 + np.exp(strength[second] - strength[first] - 0.2))
    outcome = np.where(rng.random(n) < ties, 1, np.where(won, 2, 0))
    names = np.array([f"s{i}" for i in range(k)])
    return VoteTable.from_long(names[first], names[second], SAID[outcome])


def strengths(found) -> np.ndarray:
    return np.array([one.value for one in found.strengths.values()])


@pytest.mark.parametrize("seed", range(3))
def test_without_ties_as_choix_has_it(seed):
    votes = random_votes(seed, ties=0)
    winner = np.where(votes.outcome == 2, votes.first, votes.second)
    loser = np.where(votes.outcome == 2, votes.second, votes.first)
    known = choix.ilsr_pairwise(
        5, list(zip(winner, loser, strict=True)), max_iter=10_000
    )

    found = bradley_terry(votes, order_effect=False, prior_sd=np.inf, bootstrap=0)
    np.testing.assert_allclose(strengths(found), known - known.mean(), atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_ties_as_half_wins_as_evalica_has_it(seed):
    votes = random_votes(seed)
    kinds = [evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X]
    names = pd.Index(votes.systems)
    result = evalica.bradley_terry(
        [votes.systems[i] for i in votes.first],
        [votes.systems[j] for j in votes.second],
        [kinds[o] for o in votes.outcome],
        index=names,
        tolerance=1e-14,
        limit=100_000,
    )
    known = np.log(result.scores.loc[names].to_numpy())

    found = bradley_terry(
        votes, ties="half", order_effect=False, prior_sd=np.inf, bootstrap=0
    )
    np.testing.assert_allclose(strengths(found), known - known.mean(), atol=1e-9)


def negative_log_likelihood(parameters, counts):
    t, g, v = parameters[:-2], parameters[-2], parameters[-1]
    first = np.broadcast_to(t[:, None] + g, counts.shape[:2])
    second = np.broadcast_to(t[None, :], counts.shape[:2])
    tie = v + (t[:, None] + t[None, :]) / 2
    logs = np.stack([second, tie, first], axis=-1)
    return -(counts * (logs - np.logaddexp.reduce(logs, axis=-1)[..., None])).sum()


def test_davidson_and_beaver_by_a_general_optimiser():
    votes = random_votes(1, n=900)
    counts = votes.counts().astype(float)
    known = minimize(
        negative_log_likelihood, np.zeros(7), args=(counts,), options={"gtol": 1e-7}
    ).x
    known[:5] -= known[:5].mean()

    found = fit(counts[None], Model(5, True, True, np.inf))[0]
    np.testing.assert_allclose(found, known, atol=2e-6)


def test_davidsons_ties_of_two_equals():
    # nu / (2 + nu) = 1 / 3 gives nu = 1.
    votes = VoteTable.from_long(
        list("AABB" * 10 + "AB" * 10),
        list("BBAA" * 10 + "BA" * 10),
        ["first", "second"] * 20 + ["tie"] * 20,
    )
    found = bradley_terry(votes, prior_sd=np.inf, bootstrap=0)

    assert found.tie_effect.value == pytest.approx(0, abs=1e-9)
    assert found.order_effect.value == pytest.approx(0, abs=1e-9)


def test_all_resamples_at_once_give_what_one_by_one_gives():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, (20, 4, 4, 3)).astype(float)
    counts[:, range(4), range(4)] = 0
    model = Model(4, True, True, 2.0)

    together = fit(counts, model)
    alone = np.concatenate([fit(one[None], model) for one in counts])
    np.testing.assert_allclose(together, alone, atol=1e-10)


def test_one_system_that_beats_all_is_ordered_and_flagged():
    first = ["A"] * 10 + ["B"] * 4 + ["C"] * 2
    second = ["B"] * 5 + ["C"] * 5 + ["C"] * 4 + ["B"] * 2
    votes = VoteTable.from_long(first, second, ["first"] * 16)
    found = bradley_terry(votes, bootstrap=200)

    assert not strongly_connected(votes)
    assert found.ranking.systems == ("A", "B", "C")
    assert "not strongly connected" in found.note
    assert "Normal(0, 2)" in found.note
    assert found.strengths["A"].note == found.note
    assert np.isfinite(strengths(found)).all()


def test_without_a_prior_what_is_not_connected_is_undefined():
    votes = VoteTable.from_long(["A"] * 4, ["B"] * 4, ["first"] * 4)
    found = bradley_terry(votes, prior_sd=np.inf, bootstrap=0)

    assert found.strengths["A"].value is None
    assert "not strongly connected" in found.strengths["A"].note


def test_a_tie_is_an_edge_both_ways():
    votes = VoteTable.from_long(["A", "A"], ["B", "B"], ["first", "tie"])

    assert strongly_connected(votes)


def test_who_stands_first_does_not_matter_without_an_order_effect():
    votes = random_votes(2)
    turned = VoteTable(
        votes.systems,
        votes.second,
        votes.first,
        2 - votes.outcome,
        votes.cluster,
        votes.n_clusters,
    )

    one, other = (
        bradley_terry(v, order_effect=False, bootstrap=0) for v in (votes, turned)
    )
    np.testing.assert_allclose(strengths(one), strengths(other), atol=1e-9)


def test_an_order_effect_is_found_and_turns_with_the_order():
    votes = random_votes(3, n=4000, ties=0.1)
    found = bradley_terry(votes, bootstrap=200)

    assert found.order_effect.low > 0
    assert found.order_effect.value == pytest.approx(0.2, abs=0.1)


def test_votes_copied_within_clusters_do_not_narrow_the_interval():
    votes = random_votes(4, n=200)
    rows = np.repeat(np.arange(200), 5)
    copied = VoteTable(
        votes.systems,
        votes.first[rows],
        votes.second[rows],
        votes.outcome[rows],
        rows,
        200,
    )
    one = bradley_terry(votes, prior_sd=100).strengths["s0"]
    other = bradley_terry(copied, prior_sd=100).strengths["s0"]

    assert other.n_clusters == 200
    assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcomes": ["won"]}, "'won' is not first, tie or second"),
        ({"second": ["A"]}, "system A meets itself"),
        ({"second": ["B", "C"]}, "differ in length"),
    ],
)
def test_votes_that_are_none(change, message):
    given = {"first": ["A"], "second": ["B"], "outcomes": ["first"]} | change

    with pytest.raises(StatsError, match=message):
        VoteTable.from_long(**given)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ties": "ignore"}, "ties must be"), ({"prior_sd": 0.0}, "must be over 0")],
)
def test_options_that_are_none(options, message):
    with pytest.raises(StatsError, match=message):
        bradley_terry(random_votes(0, n=20), **options)


def test_no_votes_are_an_error():
    with pytest.raises(StatsError, match="no votes"):
        bradley_terry(VoteTable.from_long([], [], []))


def test_letters_of_a_chain_that_is_not_transitive():
    low = np.full((4, 4), -1.0)
    low[0, 2] = low[0, 3] = low[1, 3] = 0.1
    found = rank_sets("ABCD", np.array([4.0, 3, 2, 1]), low, -low.T)

    assert found.letters == ("a", "ab", "bc", "c")
    assert found.apart == (("A", "C"), ("A", "D"), ("B", "D"))


def test_simultaneous_intervals_are_wider_than_single_ones():
    rng = np.random.default_rng(0)
    resamples = rng.normal(size=(4000, 10))
    low, high = simultaneous_intervals(np.zeros(10), resamples)

    # 1 - .05 = P(|z| < c) ** 10, so c = 2.80.
    np.testing.assert_allclose(high, 2.8, atol=0.15)
    np.testing.assert_allclose(low, -high)


def test_many_systems_need_little_memory():
    votes = random_votes(6, n=4000, k=60)
    found = bradley_terry(votes, bootstrap=20)

    assert len(found.strengths) == 60
    assert found.strengths["s59"].value > found.strengths["s0"].value
