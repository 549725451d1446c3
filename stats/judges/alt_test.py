"""The alternative annotator test: whether a judge may stand in for a person."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from stats.errors import StatsError
from stats.judges.leave_one_out import contests
from stats.judges.sides import sides
from stats.multiple import benjamini_yekutieli
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
FEWEST_PEOPLE = 3
FEWEST_CLUSTERS = 30
T_TEST_FROM = 30
NOT_ENOUGH = "not enough data"


@dataclass(frozen=True)
class PersonTest:
    """The judge against one person.

    Attributes
    ----------
    n_units, n_clusters : int
        Shared by the judge, the person and at least one other person.
    judge_advantage, person_advantage : float or None
        Share of units on which the judge (the person) comes at least as close to the
        rest as the other; ties count for both.
    p_value, p_corrected : float or None
    rejected : bool
        Whether the judge may replace this person.
    """

    n_units: int
    n_clusters: int
    judge_advantage: float | None
    person_advantage: float | None
    p_value: float | None
    p_corrected: float | None
    rejected: bool


@dataclass(frozen=True)
class AltTest:
    """The outcome of the alternative annotator test.

    Attributes
    ----------
    winning_rate : float or None
        Omega, the share of people whom the judge may replace.
    advantage : float or None
        Rho, the judge's advantage probability averaged over people.
    passed : bool or None
        Whether omega is at least a half.
    epsilon : float
        What the judge is given for costing less.
    people : dict of str to PersonTest
    note : str
        "not enough data" where there is no outcome, or whom the test leaves out.
    """

    winning_rate: float | None
    advantage: float | None
    passed: bool | None
    epsilon: float
    people: dict[str, PersonTest]
    note: str = ""


def alt_test(
    table: RatingTable,
    judge: str,
    people: Collection[str] | None = None,
    *,
    epsilon: float = 0.2,
    measure: str = "distance",
    alpha: float = 0.05,
    fewest_clusters: int = FEWEST_CLUSTERS,
) -> AltTest:
    """Return whether the judge agrees with people at least as well as a person does.

    Parameters
    ----------
    table : RatingTable
    judge : str
    people : collection of str, optional
        Left out, every other rater.
    epsilon : float
        0.2 against experts, 0.15 against skilled people, 0.1 against a crowd.
    measure : {"distance", "exact", "within_one"}
        How close a rating comes to the rest: "exact" for categories.
    alpha : float
        False discovery rate.
    fewest_clusters : int
        A person with fewer clusters shared with the judge and another person is left
        out; 30 as published.

    Returns
    -------
    AltTest
        "not enough data" unless three people remain.

    Raises
    ------
    StatsError
        A rater is not in the table, `epsilon` or `alpha` is outside 0 to 1.

    Notes
    -----
    Per unit, W_f = [S_f >= S_h] and W_h = [S_h >= S_f], so ties count for both. Their
    differences W_h - W_f are averaged within clusters. The null hypothesis that the
    judge's advantage is at most the person's less epsilon is tested one-sided: by t,
    by Wilcoxon's signed ranks under 30 clusters. P-values are corrected by Benjamini
    and Yekutieli, since all persons meet the same judge.

    References
    ----------
    Calderon, N., Reichart, R. and Dror, R. (2025). The Alternative Annotator Test for
    LLM-as-a-Judge. ACL 2025. https://arxiv.org/abs/2501.10970

    Examples
    --------
    >>> values = np.tile([[1, 1, 1, 1], [2, 2, 2, 2]], (10, 1))
    >>> table = RatingTable(values, (1, 2), None, ["a", "b", "c", "J"])
    >>> alt_test(table, "J").note
    'not enough data'
    """
    if not 0 <= epsilon < 1 or not 0 < alpha < 1:
        raise StatsError("epsilon and alpha must lie between 0 and 1")
    shared = sides(table, judge, people)
    met = contests(shared, measure)
    sign = -1 if measure == "distance" else 1
    judge_score, person_score = sign * met.judge_score, sign * met.person_score
    judge_wins = (judge_score >= person_score).astype(float)
    person_wins = (person_score >= judge_score).astype(float)
    cluster = shared.cluster[met.row]
    tested: dict[str, tuple[int, int, float | None, float | None, float]] = {}
    few = []
    for at, name in enumerate(shared.people):
        mine = met.person == at
        n_units = int(mine.sum())
        _, place = np.unique(cluster[mine], return_inverse=True)
        counts = np.bincount(place) if n_units else np.zeros(0)
        advantages = (
            (float(judge_wins[mine].mean()), float(person_wins[mine].mean()))
            if n_units
            else (None, None)
        )
        p_value = float("nan")
        if len(counts) >= max(fewest_clusters, 2):
            gaps = np.bincount(place, (person_wins - judge_wins)[mine]) / counts
            p_value = _p_value(gaps, epsilon)
        else:
            few.append(name)
        tested[name] = (n_units, len(counts), *advantages, p_value)
    p_values = np.array([row[4] for row in tested.values()])
    n_tested = int((~np.isnan(p_values)).sum())
    enough = n_tested >= FEWEST_PEOPLE
    corrected = benjamini_yekutieli(p_values)
    found = {
        name: PersonTest(
            *row[:4],
            None if np.isnan(row[4]) else row[4],
            None if np.isnan(row[4]) else float(adjusted),
            bool(enough and adjusted <= alpha),
        )
        for (name, row), adjusted in zip(tested.items(), corrected, strict=True)
    }
    if not enough:
        return AltTest(None, None, None, epsilon, found, NOT_ENOUGH)
    kept = [test for test in found.values() if test.p_value is not None]
    rate = sum(test.rejected for test in kept) / len(kept)
    advantage = float(np.mean([test.judge_advantage for test in kept]))
    note = f"left out for too few clusters: {', '.join(few)}" if few else ""
    return AltTest(rate, advantage, rate >= 0.5, epsilon, found, note)


def _p_value(gaps: Floats, epsilon: float) -> float:
    """Return the p-value against a mean gap of `epsilon` or more."""
    away = gaps - epsilon
    if np.ptp(away) < 1e-12:
        return 0.0 if away[0] < 0 else 1.0
    if len(gaps) >= T_TEST_FROM:
        return float(scipy_stats.ttest_1samp(away, 0, alternative="less").pvalue)
    return float(scipy_stats.wilcoxon(away, alternative="less", method="approx").pvalue)
