"""Whether a judge says the same with the sides swapped, or when asked again."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.agreement import agreement
from stats.errors import StatsError
from stats.estimates import Basis, estimate
from stats.labels import Labels, encode
from stats.resampling import bootstrap_columns, draws_of
from stats.results import NO_RATINGS, Estimate
from stats.row_sums import ratio, row_sums
from stats.table import RatingTable
from stats.votes import FIRST_WON, OUTCOMES, SECOND_WON

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PositionSwap:
    """Verdicts on pairs that were judged in both orders.

    Attributes
    ----------
    consistent : Estimate
        Share of pairs with the same winner, or a tie, in both orders.
    first_both : Estimate
        Share of pairs where whoever stood first won both times.
    second_both : Estimate
        Share of pairs where whoever stood second won both times.
    preference : Estimate
        `first_both` less `second_both`: over 0, the first place helps.
    """

    consistent: Estimate
    first_both: Estimate
    second_both: Estimate
    preference: Estimate


def position_swap(
    straight: Labels,
    swapped: Labels,
    *,
    clusters: Labels | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> PositionSwap:
    """Return how a judge's verdicts bear the two replies changing places.

    Parameters
    ----------
    straight, swapped : sequence of {"first", "tie", "second"}, shape (n_pairs,)
        Who won by place, with A first and with B first. A consistent judge who
        prefers A says "first", then "second".
    clusters : sequence, shape (n_pairs,), optional
        Left out, each pair is a group of its own.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    PositionSwap
        Undefined without pairs.

    Raises
    ------
    StatsError
        The columns differ in length, or a verdict is none of the three.

    References
    ----------
    Zheng, L. et al. (2023). Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena,
    section 3.3. https://arxiv.org/abs/2306.05685

    Examples
    --------
    >>> found = position_swap(["first", "first"], ["second", "first"], bootstrap=0)
    >>> found.consistent.value, found.first_both.value
    (0.5, 0.5)
    """
    n = len(straight)
    if len(swapped) != n or (clusters is not None and len(clusters) != n):
        raise StatsError("the columns differ in length")
    one, other = _places(straight), _places(swapped)
    cluster = np.arange(n) if clusters is None else encode(clusters)[0]
    first = (one == FIRST_WON) & (other == FIRST_WON)
    second = (one == SECOND_WON) & (other == SECOND_WON)
    rows = np.arange(n)
    columns = [one + other == FIRST_WON, first, second, np.ones(n)]
    sums = row_sums(
        cluster,
        [(rows, np.full(n, at), entry * 1.0) for at, entry in enumerate(columns)],
        4,
    )

    def statistic(totals: Floats) -> Floats:
        shares = ratio(totals[:, :3], totals[:, 3:])
        return np.column_stack([shares, shares[:, 1] - shares[:, 2]])

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    return PositionSwap(
        *(
            estimate(
                draws_of(points, resamples, column, sums.n_clusters),
                Basis(n, 1, 2 * n),
                level=level,
                undefined_note="no pair was judged in both orders",
            )
            for column in range(4)
        )
    )


def _places(verdicts: Labels) -> npt.NDArray[np.intp]:
    unknown = [str(v) for v in verdicts if str(v) not in OUTCOMES]
    if unknown:
        raise StatsError(f"verdict {unknown[0]!r} is not first, tie or second")
    return np.array([OUTCOMES[str(v)] for v in verdicts], dtype=np.intp)


def repeat_consistency(
    repeats: RatingTable, *, bootstrap: int = 1000, seed: int = 0, level: float = 0.95
) -> dict[str, Estimate]:
    """Return how alike one rater's repeated ratings of the same units are.

    Parameters
    ----------
    repeats : RatingTable
        Its "raters" are the first, second, third time one rater was asked.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    dict of str to Estimate
        `exact`, `within_one` in 0 to 1 and `icc_1` at most 1; undefined, with the
        note "no unit was rated twice", where nothing was repeated.

    Raises
    ------
    StatsError
        The resampling is not possible as described.

    References
    ----------
    As in `stats.agreement`; no correction for chance is due between one's own answers.

    Examples
    --------
    >>> table = RatingTable([[1, 1], [2, 3]], points=(1, 2, 3))
    >>> repeat_consistency(table, bootstrap=0)["exact"].value
    0.5
    """
    found = agreement(
        repeats,
        coefficients=("exact", "within_one", "icc_1"),
        bootstrap=bootstrap,
        seed=seed,
        level=level,
    )
    if repeats.n_ratings and repeats.ratings_per_unit.max() < 2:
        note = "no unit was rated twice"
    elif repeats.n_ratings == 0:
        note = NO_RATINGS
    else:
        return found
    none = Estimate(None, None, None, 0, 1, repeats.n_ratings, note=note)
    return dict.fromkeys(found, none)
