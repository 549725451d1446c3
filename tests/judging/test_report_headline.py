"""The sentence a report begins with says no more than its figures do."""

import pytest

from judging.reports.headline import headline


def dimension(label, value, low=None, high=None, note=""):
    alpha = {"value": value, "low": low, "high": high, "note": note}
    return {"label": label, "note": "", "coefficients": {"alpha_ordinal": alpha}}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ((0.71, 0.64, 0.77), "agree well beyond chance on delivery (alpha 0.71, "),
        ((0.55, 0.31, 0.72), "agree beyond chance on delivery (alpha 0.55, "),
        ((0.12, -0.1, 0.3), "are not shown to agree beyond chance on delivery (alpha "),
        ((0.90,), "agree, without an interval yet, on delivery (alpha 0.90)."),
    ],
)
def test_it_weighs_its_words_by_the_interval(figures, said):
    assert headline([dimension("Delivery", *figures)], 3).startswith(
        f"Three people {said}"
    )


def test_it_speaks_of_every_dimension_best_first():
    told = headline(
        [
            dimension("Coherence", 0.18, -0.05, 0.4),
            dimension("Delivery", 0.71, 0.64, 0.77),
            dimension("Support", 0.66, 0.52, 0.8),
        ],
        12,
    )
    assert told == (
        "12 people agree well beyond chance on delivery (alpha 0.71, 0.64 to 0.77) and"
        " on support (alpha 0.66, 0.52 to 0.80); they are not shown to agree beyond"
        " chance on coherence (alpha 0.18, -0.05 to 0.40)."
    )


def test_a_dimension_without_a_figure_is_not_passed_over():
    told = headline(
        [
            dimension("Delivery", 0.71, 0.64, 0.77),
            dimension("Tone", None, note="only one category was used"),
        ],
        2,
    )
    assert told.endswith("; on tone nothing can be said: only one category was used.")


def test_it_says_why_there_is_nothing_to_say():
    none = dimension("Tone", None, note="no unit has two ratings")
    assert headline([], 0) == "No person has rated anything yet."
    assert headline([none], 2) == (
        "Two people rated; no agreement can be computed: no unit has two ratings."
    )
