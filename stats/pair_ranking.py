"""Whether two raters order the two replies of a pair the same way."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.estimates import Basis, estimate, undefined
from stats.labels import Codes, Labels, encode
from stats.patterns import distinct_keys
from stats.rating_pairs import rating_pairs
from stats.resampling import bootstrap_columns, draws_of
from stats.results import NO_RATINGS, ONE_RATER, Estimate
from stats.row_sums import ratio, row_sums

Floats = npt.NDArray[np.float64]
SECOND_BETTER, TIE, FIRST_BETTER = 0, 1, 2
NO_SHARED_PAIRS = "no two raters judged the same pair"


@dataclass(frozen=True, eq=False)
class PairTable:
    """How each rater ordered the two replies of each pair.

    Attributes
    ----------
    items, raters : tuple of str
        Labels in ascending order.
    item, rater : array of int, shape (n_rows,)
    order : array of int, shape (n_rows,)
        0 the second reply is better, 1 a tie, 2 the first is.
    cluster : array of int, shape (n_items,)
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    item: Codes
    rater: Codes
    order: Codes
    cluster: Codes

    @classmethod
    def from_long(
        cls,
        items: Labels,
        raters: Labels,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        clusters: Labels | None = None,
    ) -> Self:
        """Return the table of judgements given one row each.

        Parameters
        ----------
        items, raters : sequence, shape (n_rows,)
        a, b : array_like of float, shape (n_rows,)
            What the rater gave reply A and reply B of the item, more being better.
            Which reply is A must be the same for all raters of an item and matters no
            further. Rows where either is NaN are left out.
        clusters : sequence, shape (n_rows,), optional
            The group of the row's item. Left out, each item is a group of its own.

        Returns
        -------
        PairTable

        Raises
        ------
        StatsError
            The columns differ in length, a rater judged an item twice, or an item is in
            two clusters.

        Examples
        --------
        >>> table = PairTable.from_long(["p", "p"], ["x", "y"], [3, 1], [2, 1])
        >>> table.order.tolist()
        [2, 1]
        """
        first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        lengths = [len(items), len(raters), len(first), len(second)]
        lengths += [] if clusters is None else [len(clusters)]
        if len(set(lengths)) > 1:
            raise StatsError(f"the columns differ in length: {lengths}")
        item, item_labels = encode(items)
        rater, rater_labels = encode(raters)
        cluster = np.arange(len(item_labels))
        if clusters is not None:
            row_cluster, _ = encode(clusters)
            cluster[item] = row_cluster
            stray = np.flatnonzero(cluster[item] != row_cluster)
            if len(stray):
                raise StatsError(
                    f"item {item_labels[item[stray[0]]]} is in two clusters"
                )
        known = ~(np.isnan(first) | np.isnan(second))
        item, rater = item[known], rater[known]
        cells = item * len(rater_labels) + rater
        distinct, counts = np.unique(cells, return_counts=True)
        if (counts > 1).any():
            at = divmod(int(distinct[counts > 1][0]), len(rater_labels))
            raise StatsError(
                f"rater {rater_labels[at[1]]} judged item {item_labels[at[0]]} twice"
            )
        order = 1 + np.sign(first[known] - second[known]).astype(np.intp)
        return cls(
            tuple(map(str, item_labels)),
            tuple(map(str, rater_labels)),
            item,
            rater,
            order,
            cluster,
        )


@dataclass(frozen=True)
class PairRanking:
    """Agreement on the order of replies, beside what independent raters reach.

    Attributes
    ----------
    strict : Estimate
        Share of meetings of two raters with the same order, ties equal to ties only;
        `expected` is what raters with these tie rates reach independently.
    strict_corrected : Estimate
        (A - E) / (1 - E) of it.
    tolerant, tolerant_corrected : Estimate
        The same where only opposite orders disagree.
    tie_share : Estimate
        Share of ties among the judgements of the raters compared.
    dropped : int
        Judgements of an item by nobody else.
    """

    strict: Estimate
    strict_corrected: Estimate
    tolerant: Estimate
    tolerant_corrected: Estimate
    tie_share: Estimate
    dropped: int


def pair_ranking(
    table: PairTable,
    *,
    between: tuple[frozenset[str] | set[str], frozenset[str] | set[str]] | None = None,
    average: str = "meetings",
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> PairRanking:
    """Return the agreement of pair ranking with its expectation.

    Parameters
    ----------
    table : PairTable
    between : two sets of str, optional
        Compare raters of the first with raters of the second, such as a judge with
        people. Left out, every two raters.
    average : {"meetings", "raters"}
        Weigh each pair of raters by the items they share, or each alike.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    PairRanking
        Shares in 0 to 1; corrected ones at most 1, and 0 for independent raters.
        Undefined where no two such raters judged the same item.

    Raises
    ------
    StatsError
        A rater in `between` is not in the table, or `average` is none of the two.

    Notes
    -----
    Which reply is called A must not matter, so a rater's margins are symmetrised: with
    tie rate t each side wins (1 - t) / 2. Two independent raters then agree strictly
    in t1 t2 + (1 - t1)(1 - t2) / 2, and are not opposite in 1 - (1 - t1)(1 - t2) / 2.
    Shares and expectations are averaged over pairs of raters with the same weights.

    References
    ----------
    The correction is Cohen's (1960), with Scott's (1955) idea of a margin that does
    not depend on the side.

    Examples
    --------
    >>> table = PairTable.from_long(
    ...     [1, 1, 2, 2], ["x", "y"] * 2, [2, 2, 1, 2], [1, 1, 1, 1]
    ... )
    >>> found = pair_ranking(table, bootstrap=0)
    >>> found.strict.value, found.tolerant.value, found.strict.expected
    (0.5, 1.0, 0.25)
    """
    if average not in ("meetings", "raters"):
        raise StatsError(f"average must be meetings or raters, not {average!r}")
    per_item = np.bincount(table.item, minlength=len(table.items))
    met = rating_pairs(table.item, per_item)
    one, other = table.rater[met.first], table.rater[met.second]
    if between is not None:
        of_first, of_second = (_members(table, side) for side in between)
        kept = (of_first[one] & of_second[other]) | (of_second[one] & of_first[other])
    else:
        kept = np.ones(len(one), dtype=bool)
    first, second, unit = met.first[kept], met.second[kept], met.unit[kept]
    if len(unit) == 0:
        return _nothing(table)
    one, other = table.rater[first], table.rater[second]
    low, high = np.minimum(one, other), np.maximum(one, other)
    codes = low * len(table.raters) + high
    example, pair, _ = distinct_keys(codes)
    left, right = low[example], high[example]
    compared = np.zeros(len(table.raters), dtype=bool)
    compared[left] = compared[right] = True
    mine = np.flatnonzero(compared[table.rater])
    n, k = len(example), len(table.raters)
    same = table.order[first] == table.order[second]
    opposite = np.abs(table.order[first] - table.order[second]) == 2
    tied = table.order[mine] == TIE
    ones = np.ones(len(pair))
    rows_met, rows_mine = np.arange(len(unit)), len(unit) + np.arange(len(mine))
    cluster = np.concatenate([table.cluster[unit], table.cluster[table.item[mine]]])
    sums = row_sums(
        cluster,
        [
            (rows_met, pair, ones),
            (rows_met, n + pair, same * 1.0),
            (rows_met, 2 * n + pair, opposite * 1.0),
            (rows_mine, 3 * n + table.rater[mine], np.ones(len(mine))),
            (rows_mine, 3 * n + k + table.rater[mine], tied * 1.0),
        ],
        3 * n + 2 * k,
    )

    def statistic(totals: Floats) -> Floats:
        shared, given = totals[:, :n], totals[:, 3 * n : 3 * n + k]
        ties = totals[:, 3 * n + k :]
        decided = 1 - ratio(ties, given)
        differ = decided[:, left] * decided[:, right]
        together = (1 - decided[:, left]) * (1 - decided[:, right])
        weigh = shared if average == "meetings" else (shared > 0).astype(float)

        def mean(per_pair: Floats) -> Floats:
            known = np.where(shared > 0, per_pair, 0)
            return ratio((known * weigh).sum(axis=1), weigh.sum(axis=1))

        strict = mean(ratio(totals[:, n : 2 * n], shared))
        tolerant = mean(1 - ratio(totals[:, 2 * n : 3 * n], shared))
        expected, tolerated = mean(together + differ / 2), mean(1 - differ / 2)
        return np.column_stack(
            [
                strict,
                _correct(strict, expected),
                tolerant,
                _correct(tolerant, tolerated),
                ratio(ties.sum(axis=1), given.sum(axis=1)),
                expected,
                tolerated,
            ]
        )

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    involved = np.zeros(len(table.item), dtype=bool)
    involved[first] = involved[second] = True
    basis = Basis(len(np.unique(unit)), int(compared.sum()), int(involved.sum()))
    n_clusters = len(np.unique(table.cluster[unit]))
    expectations = (points[5], None, points[6], None, None)
    found = [
        estimate(
            draws_of(points, resamples, column, n_clusters),
            basis,
            level=level,
            undefined_note="chance alone gives full agreement: every answer is a tie",
            expected=expected,
        )
        for column, expected in enumerate(expectations)
    ]
    return PairRanking(
        found[0],
        found[1],
        found[2],
        found[3],
        found[4],
        int((~involved[mine]).sum()),
    )


def _correct(agreed: Floats, expected: Floats) -> Floats:
    room = np.where(expected < 1 - 1e-12, 1 - expected, 0)
    return ratio(agreed - expected, room)


def _members(
    table: PairTable, side: frozenset[str] | set[str]
) -> npt.NDArray[np.bool_]:
    unknown = sorted(set(side) - set(table.raters))
    if unknown:
        raise StatsError(f"no rater {unknown[0]} in the table")
    return np.array([rater in side for rater in table.raters], dtype=bool)


def _nothing(table: PairTable) -> PairRanking:
    n_raters = len(np.unique(table.rater))
    note = {0: NO_RATINGS, 1: ONE_RATER}.get(n_raters, NO_SHARED_PAIRS)
    none = undefined(Basis(0, n_raters, 0), note)
    return PairRanking(none, none, none, none, none, dropped=len(table.item))
