"""Two raters and the order of two replies."""

from itertools import combinations

import numpy as np
import pytest

from stats.errors import StatsError
from stats.pair_ranking import PairTable, pair_ranking
from stats.results import as_plain


def random_pairs(seed: int, n_items: int = 80, n_raters: int = 4, missing: float = 0.3):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), n_raters)
    rater = np.tile(np.arange(n_raters), n_items)
    a = rng.integers(1, 4, len(item)) + rng.integers(0, 2, n_items)[item]
    b = rng.integers(1, 4, len(item))
    kept = rng.random(len(item)) > missing
    return item[kept], rater[kept], a[kept], b[kept]


def test_it_is_what_counting_by_hand_gives():
    item, rater, a, b = random_pairs(0)
    sign = dict(zip(zip(item, rater, strict=True), np.sign(a - b), strict=True))
    ties = {r: np.mean(np.sign(a - b)[rater == r] == 0) for r in range(4)}
    strict = tolerant = n = 0
    expected = tolerated = 0.0
    for i in range(80):
        for r, s in combinations(range(4), 2):
            if (i, r) in sign and (i, s) in sign:
                n += 1
                strict += sign[i, r] == sign[i, s]
                tolerant += sign[i, r] * sign[i, s] >= 0
                decided = (1 - ties[r]) * (1 - ties[s])
                expected += ties[r] * ties[s] + decided / 2
                tolerated += 1 - decided / 2
    found = pair_ranking(PairTable.from_long(item, rater, a, b), bootstrap=0)

    assert found.strict.value == pytest.approx(strict / n)
    assert found.strict.expected == pytest.approx(expected / n)
    assert found.tolerant.value == pytest.approx(tolerant / n)
    assert found.tolerant.expected == pytest.approx(tolerated / n)
    assert found.strict_corrected.value == pytest.approx(
        (strict - expected) / (n - expected)
    )


def test_orientation_does_not_matter():
    item, rater, a, b = random_pairs(1)
    turn = np.isin(item, np.arange(0, 80, 3))
    turned = PairTable.from_long(
        item, rater, np.where(turn, b, a), np.where(turn, a, b)
    )
    one = pair_ranking(PairTable.from_long(item, rater, a, b), bootstrap=100)
    other = pair_ranking(turned, bootstrap=100)

    assert as_plain(one) == as_plain(other)


def test_raters_may_weigh_alike():
    # p and q share two items and agree on one; p and J share one and agree.
    table = PairTable.from_long(
        ["i", "i", "j", "j", "k", "k"],
        ["p", "q", "p", "q", "p", "J"],
        [2, 2, 2, 1, 2, 2],
        [1, 1, 1, 2, 1, 1],
    )

    assert pair_ranking(table, bootstrap=0).strict.value == pytest.approx(2 / 3)
    alike = pair_ranking(table, average="raters", bootstrap=0)
    assert alike.strict.value == pytest.approx(3 / 4)
    assert alike.strict.expected == pytest.approx(1 / 2)
    with pytest.raises(StatsError, match="average must be"):
        pair_ranking(table, average="people")


def test_independent_raters_reach_their_expectation():
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(4000), 3), np.tile(np.arange(3), 4000)
    a, b = rng.integers(1, 4, (2, 12_000))
    found = pair_ranking(PairTable.from_long(item, rater, a, b))

    assert found.tie_share.value == pytest.approx(1 / 3, abs=0.02)
    assert found.tolerant.expected == pytest.approx(0.78, abs=0.01)
    assert found.strict_corrected.low < 0 < found.strict_corrected.high
    assert found.tolerant_corrected.low < 0 < found.tolerant_corrected.high


def test_a_judge_meets_people_only():
    table = PairTable.from_long(
        ["i", "i", "i", "j", "j"],
        ["p", "q", "J", "p", "q"],
        [2, 1, 2, 2, 2],
        [1, 2, 1, 1, 1],
    )
    found = pair_ranking(table, between=({"J"}, {"p", "q"}), bootstrap=0)

    assert found.strict.value == 0.5
    assert (found.strict.n_units, found.strict.n_raters) == (1, 3)
    assert found.dropped == 2


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        (([], [], [], []), "no ratings"),
        ((["i"], ["p"], [1], [2]), "one rater"),
        (
            (["i", "j"], ["p", "q"], [1, 1], [2, 2]),
            "no two raters judged the same pair",
        ),
    ],
)
def test_nothing_to_compare(rows, note):
    found = pair_ranking(PairTable.from_long(*rows))

    assert found.strict.value is found.tolerant_corrected.value is None
    assert found.strict.note == note


def test_only_ties_leave_nothing_to_correct():
    table = PairTable.from_long([1, 1], ["p", "q"], [2, 2], [2, 2])
    found = pair_ranking(table, bootstrap=0)

    assert (found.strict.value, found.tie_share.value) == (1.0, 1.0)
    assert found.strict_corrected.value is None
    assert "every answer is a tie" in found.strict_corrected.note


@pytest.mark.parametrize(
    ("rows", "clusters", "message"),
    [
        ((["i", "i"], ["p", "p"], [1, 1], [2, 2]), None, "rater p judged item i twice"),
        ((["i", "i"], ["p", "q"], [1, 1], [2, 2]), ["g", "h"], "in two clusters"),
        ((["i"], ["p", "q"], [1, 1], [2, 2]), None, "differ in length"),
    ],
)
def test_tables_that_are_none(rows, clusters, message):
    with pytest.raises(StatsError, match=message):
        PairTable.from_long(*rows, clusters=clusters)


def test_an_unknown_rater_is_an_error():
    with pytest.raises(StatsError, match="no rater J"):
        pair_ranking(PairTable.from_long([1], ["p"], [1], [2]), between=({"J"}, {"p"}))


def test_rows_without_a_value_are_left_out():
    table = PairTable.from_long([1, 1], ["p", "q"], [1, np.nan], [2, 2])

    assert table.raters == ("p", "q")
    assert len(table.order) == 1
