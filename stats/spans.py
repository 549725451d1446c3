"""Agreement on where in a recording something happens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from stats.errors import StatsError
from stats.estimates import Basis, estimate, undefined
from stats.labels import Labels, encode
from stats.resampling import bootstrap_columns, draws_of
from stats.results import ONE_RATER, Estimate
from stats.row_sums import ratio, row_sums

Floats = npt.NDArray[np.float64]
Span = tuple[float, float]


def overlap(left: Sequence[Span], right: Sequence[Span]) -> float:
    """Return the time both mark as a share of the time either marks.

    Parameters
    ----------
    left, right : sequence of (start, end)
        In seconds. Spans of one side that overlap are merged first.

    Returns
    -------
    float
        0 to 1; 1 where neither marks anything.

    Raises
    ------
    StatsError
        A span ends before it starts, or is not a number.

    References
    ----------
    Jaccard (1912), on the time axis.

    Examples
    --------
    >>> overlap([(0.0, 2.0)], [(1.0, 3.0)]) == 1 / 3
    True
    """
    one, other = merged(left), merged(right)
    both = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)
    either = sum(end - start for start, end in one + other) - both
    return both / either if either > 0 else float(not one and not other)


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, those that touch or overlap made one; empty ones left out.

    Raises
    ------
    StatsError
        A span ends before it starts, or is not a number.
    """
    for start, end in spans:
        if not start <= end:
            raise StatsError(f"a span ends before it starts: {start} to {end}")
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def matches(left: Sequence[Span], right: Sequence[Span], least: float = 0.5) -> int:
    """Return the most spans that can be matched one to one with an overlap of `least`.

    Returns
    -------
    int

    Raises
    ------
    StatsError
        A span ends before it starts.

    Examples
    --------
    >>> matches([(0, 1), (2, 3)], [(0, 1), (5, 6)])
    1
    """
    if not left or not right:
        return 0
    shares = np.array([[overlap([a], [b]) for b in right] for a in left])
    good = (shares >= least).astype(float)
    return int(good[linear_sum_assignment(-good)].sum())


@dataclass(frozen=True)
class SpanAgreement:
    """Agreement on spans over all pairs of raters.

    Attributes
    ----------
    overlap : Estimate
        Mean overlap of two raters on a unit; two empty markings agree fully.
    f1 : Estimate
        Matched spans at an overlap of `least`, twice over all spans.
    """

    overlap: Estimate
    f1: Estimate


def span_agreement(
    units: Labels,
    raters: Labels,
    spans: Sequence[Sequence[Span]],
    *,
    clusters: Labels | None = None,
    least: float = 0.5,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> SpanAgreement:
    """Return how well raters agree on the spans they mark.

    Parameters
    ----------
    units, raters : sequence, shape (n_rows,)
        One row for each rater of each unit.
    spans : sequence of sequences of (start, end), shape (n_rows,)
        Empty where the rater looked and marked nothing.
    clusters : sequence, shape (n_rows,), optional
        The group of the row's unit. Left out, each unit is a group of its own.
    least : float
        Overlap from which two spans are the same event.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    SpanAgreement
        Both in 0 to 1. Undefined with one rater, or where no unit has two; the F1 also
        where nobody marked anything.

    Raises
    ------
    StatsError
        The columns differ in length, a rater marked a unit twice, or a span ends before
        it starts.

    References
    ----------
    Hripcsak, G. and Rothschild, A. S. (2005). Agreement, the F-Measure, and Reliability
    in Information Retrieval. JAMIA 12(3), 296-298, for F1 where non-events cannot be
    counted.

    Examples
    --------
    >>> found = span_agreement(
    ...     [1, 1], ["a", "b"], [[(0, 2)], [(0, 2), (5, 6)]], bootstrap=0
    ... )
    >>> round(found.overlap.value, 3), round(found.f1.value, 3)
    (0.667, 0.667)
    """
    n = len(spans)
    if (
        len(units) != n
        or len(raters) != n
        or (clusters is not None and len(clusters) != n)
    ):
        raise StatsError("the columns differ in length")
    unit, _ = encode(units)
    rater, rater_labels = encode(raters)
    if len(np.unique(unit * len(rater_labels) + rater)) < n:
        raise StatsError("a rater marked a unit twice")
    cluster = unit if clusters is None else encode(clusters)[0]
    rows, shares, matched, marked = [], [], [], []
    by_unit = np.split(
        np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1]
    )
    for members in by_unit:
        for place, i in enumerate(members.tolist()):
            for j in members[place + 1 :].tolist():
                rows.append(i)
                shares.append(overlap(spans[i], spans[j]))
                matched.append(2.0 * matches(spans[i], spans[j], least))
                marked.append(float(len(spans[i]) + len(spans[j])))
    n_raters = len(rater_labels)
    if not rows:
        note = ONE_RATER if n_raters == 1 else "no unit was marked by two raters"
        none = undefined(Basis(0, n_raters, 0), note)
        return SpanAgreement(none, none)
    at = np.array(rows)
    zero = np.zeros(len(at), dtype=np.intp)
    columns = [shares, np.ones(len(at)), matched, marked]
    sums = row_sums(
        cluster,
        [(at, zero + place, np.asarray(entry)) for place, entry in enumerate(columns)],
        4,
    )
    points, resamples = bootstrap_columns(
        sums,
        lambda totals: ratio(totals[:, [0, 2]], totals[:, [1, 3]]),
        n_resamples=bootstrap,
        rng=np.random.default_rng(seed),
    )
    per_unit = np.bincount(unit)
    basis = Basis(
        int((per_unit > 1).sum()), n_raters, int(per_unit[per_unit > 1].sum())
    )
    return SpanAgreement(
        *(
            estimate(
                draws_of(points, resamples, column, sums.n_clusters),
                basis,
                level=level,
                undefined_note="nobody marked anything",
            )
            for column in range(2)
        )
    )
