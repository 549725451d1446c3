"""Text, choice and span metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.errors import StatsError
from stats.metrics import (
    accuracy,
    board,
    humomni_score,
    normalised,
    normalised_score,
    word_error_rate,
    word_errors,
)
from stats.spans import matches, merged, overlap, span_agreement

texts = st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join)


@given(texts, texts)
def test_word_errors_turn_one_text_into_the_other(reference, hypothesis):
    found = word_errors(reference, hypothesis)
    n_wanted, n_heard = len(reference.split()), len(hypothesis.split())

    assert found.n_reference == n_wanted
    assert found.hits + found.substitutions + found.insertions == n_heard
    assert abs(n_wanted - n_heard) <= found.n_errors <= max(n_wanted, n_heard)
    assert (found.n_errors == 0) == (reference == hypothesis)
    assert word_errors(hypothesis, reference).n_errors == found.n_errors


def test_word_error_rates():
    # The first is the example of the jiwer manual: one deletion of four words.
    references = ["hello duck how are", "it's me", ""]
    heard = ["hello how are", "It's, me!", "oh"]
    raw = word_error_rate(references, heard)
    plain = word_error_rate(references, heard, normalise=True)

    assert raw.pooled == pytest.approx((1 + 2 + 1) / 6)
    assert raw.mean == pytest.approx((1 / 4 + 2 / 2) / 2)
    assert plain.pooled == pytest.approx((1 + 0 + 1) / 6)
    assert (raw.n, raw.n_empty) == (2, 1)
    assert word_error_rate([""], [""]).pooled is None
    with pytest.raises(StatsError, match="differ in length"):
        word_error_rate(["a"], [])


def test_normalised_texts():
    assert normalised("  'Tis  WELL-known: 3.5_x  ") == "tis well known 3 5 x"


def test_answers_that_cannot_be_read_are_counted_apart():
    found = accuracy(["A", None, "D", "B"], ["A", "A", "A", "A"], ["AB"] * 4)

    assert (found.n_right, found.n_unreadable, found.n_off_options) == (1, 1, 1)
    assert (found.share, found.share_of_readable) == (0.25, 0.5)
    assert accuracy([], [], []).share is None
    with pytest.raises(StatsError, match="not among the options"):
        accuracy(["A"], ["C"], ["AB"])
    with pytest.raises(StatsError, match="differ in length"):
        accuracy(["A"], [], [])


def test_the_published_score_of_forced_choice():
    # 221 / 580 = .381: 380 items and 200 groups, 200 right, 21 groups all right.
    sizes = [2] * 180 + [1] * 20
    whole, spare = 21, 200 - 21 * 2
    right, groups = [], []
    for at, size in enumerate(sizes):
        for place in range(size):
            groups.append(f"g{at}")
            hit = at < whole or (at < 180 and place == 0 and spare > 0)
            spare -= hit and at >= whole
            right.append(hit)

    assert len(right) == 380
    assert sum(right) == 200
    assert humomni_score(right, groups) == pytest.approx(0.381, abs=5e-4)
    assert humomni_score([], []) is None
    with pytest.raises(StatsError, match="differ in length"):
        humomni_score([True], [])


def test_boards():
    scores = {"A": [64.29, 58.8], "B": [80.0, None], "C": [70.0, 60.0]}

    assert [row[1] for row in board(scores)] == ["C", "A"]
    assert board(scores, missing="zero")[2] == (3, "B", 40.0)
    with pytest.raises(StatsError, match="missing must be"):
        board(scores, missing="mean")


def test_normalised_scores_have_a_named_formula():
    assert normalised_score(4, (1, 2, 3, 4), "min_max") == 1.0
    assert normalised_score(3, (1, 2, 3, 4), "share_of_top") == 0.75
    with pytest.raises(StatsError, match="does not fit"):
        normalised_score(1, (1,), "min_max")


def test_spans_that_overlap_are_merged():
    assert merged([(2, 3), (0, 1), (0.5, 2), (4, 4)]) == [(0, 3)]
    with pytest.raises(StatsError, match="ends before"):
        merged([(2, 1)])


@pytest.mark.parametrize(
    ("left", "right", "share"),
    [
        ([], [], 1.0),
        ([(0, 1)], [], 0.0),
        ([(0, 1)], [(0, 1)], 1.0),
        ([(0, 2), (3, 4)], [(1, 3.5)], 1.5 / 4),
    ],
)
def test_overlaps(left, right, share):
    assert overlap(left, right) == pytest.approx(share)
    assert overlap(right, left) == pytest.approx(share)


def test_spans_are_matched_one_to_one():
    assert matches([(0, 2), (0, 2)], [(0, 2)]) == 1
    assert matches([(0, 1), (2, 4)], [(0, 1), (2, 3)], least=0.5) == 2
    assert matches([(0, 1), (2, 4)], [(0, 1), (2, 3)], least=0.6) == 1


def test_span_agreement_over_pairs_of_raters():
    found = span_agreement(
        ["u"] * 3 + ["v"] * 2 + ["w"],
        ["a", "b", "c", "a", "b", "a"],
        [[(0, 2)], [(0, 2)], [(1, 2)], [], [(5, 6)], [(0, 1)]],
        bootstrap=50,
    )

    assert found.overlap.value == pytest.approx((1 + 0.5 + 0.5 + 0) / 4)
    assert found.f1.value == pytest.approx(2 * 3 / 7)
    assert (found.overlap.n_units, found.overlap.n_ratings) == (2, 5)


def test_spans_without_a_second_rater():
    assert span_agreement(["u"], ["a"], [[]]).overlap.note == "one rater"
    apart = span_agreement(["u", "v"], ["a", "b"], [[], []])
    assert apart.f1.note == "no unit was marked by two raters"
    empty = span_agreement(["u", "u"], ["a", "b"], [[], []])
    assert (empty.overlap.value, empty.f1.note) == (1.0, "nobody marked anything")
    with pytest.raises(StatsError, match="twice"):
        span_agreement(["u", "u"], ["a", "a"], [[], []])
    with pytest.raises(StatsError, match="differ in length"):
        span_agreement(["u"], ["a"], [])
