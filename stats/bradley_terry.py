"""Bradley-Terry strengths from votes, with ties and an order effect."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from stats.davidson import Model, fit
from stats.errors import StatsError
from stats.estimates import Basis, estimate, undefined
from stats.rank_sets import RankSets, rank_sets, simultaneous_intervals, square
from stats.resampling import FEWEST_CLUSTERS, bootstrap_columns, draws_of
from stats.results import Estimate
from stats.votes import VoteTable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Strengths:
    """The fitted strengths of systems.

    Attributes
    ----------
    strengths : dict of str to Estimate
        Log strengths with mean 0; a difference of 1 are odds of 2.7 to 1.
    win_shares : dict of str to Estimate
        Votes won, and half the ties, as a share of a system's votes.
    order_effect : Estimate
        Log odds that standing first gives; 0 is none.
    tie_effect : Estimate
        Log of Davidson's nu: two equal systems tie with probability nu / (2 + nu).
    ranking : RankSets
    strongly_connected : bool
        Whether every system can be reached from every other by wins and ties.
    note : str
        The prior, and what it must carry where the votes alone do not suffice.
    """

    strengths: dict[str, Estimate]
    win_shares: dict[str, Estimate]
    order_effect: Estimate
    tie_effect: Estimate
    ranking: RankSets
    strongly_connected: bool
    note: str


def strongly_connected(votes: VoteTable) -> bool:
    """Return whether wins lead from every system to every other; a tie leads both ways.

    Only then do strengths without a prior exist.

    Returns
    -------
    bool
        True for a single system.

    References
    ----------
    Ford, L. R. (1957). Solution of a Ranking Problem from Binary Comparisons.
    """
    counts = votes.counts()
    wins = counts[..., 2] + counts[..., 0].T + counts[..., 1] + counts[..., 1].T
    if len(votes.systems) == 0:
        return True
    found, _ = connected_components(wins > 0, directed=True, connection="strong")
    return bool(found == 1)


def bradley_terry(
    votes: VoteTable,
    *,
    ties: str = "davidson",
    order_effect: bool = True,
    prior_sd: float = 2.0,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Strengths:
    """Return Bradley-Terry strengths with intervals by cluster bootstrap.

    Parameters
    ----------
    votes : VoteTable
    ties : {"davidson", "half"}
        A parameter of their own, or half a win each.
    order_effect : bool
        Whether standing first may help or hurt.
    prior_sd : float
        Standard deviation of the normal prior with mean 0 on centred log strengths;
        `inf` for none.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    Strengths
        Without a prior, undefined unless strongly connected. With it always defined,
        and noted where the votes alone would not suffice.

    Raises
    ------
    StatsError
        There are no votes, or an option is not allowed.

    Notes
    -----
    With strengths t, order effect g and log tie effect v, first i wins over second j
    in proportion to exp(t_i + g), loses to exp(t_j), ties to exp(v + (t_i + t_j) / 2).
    Newton's method solves all resamples at once.

    References
    ----------
    Davidson, R. R. (1970). On Extending the Bradley-Terry Model to Accommodate Ties in
    Paired Comparison Experiments. JASA 65(329), 317-328. Davidson, R. R. and Beaver,
    R. J. (1977). On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
    Effects. Biometrics 33(4), 693-702.

    Examples
    --------
    Three wins against one are odds of 3, so the strengths lie log 3 apart:

    >>> votes = VoteTable.from_long(
    ...     "AAAA", "BBBB", ["first"] * 3 + ["second"]
    ... )
    >>> found = bradley_terry(
    ...     votes, ties="half", order_effect=False, prior_sd=np.inf, bootstrap=0
    ... )
    >>> round(2 * found.strengths["A"].value, 6), round(float(np.log(3)), 6)
    (1.098612, 1.098612)
    """
    if votes.n_votes == 0:
        raise StatsError("there are no votes")
    if ties not in ("davidson", "half"):
        raise StatsError(f"ties must be davidson or half, not {ties!r}")
    if not prior_sd > 0:
        raise StatsError(f"the prior's standard deviation must be over 0: {prior_sd}")
    k = len(votes.systems)
    connected = strongly_connected(votes)
    counts = votes.counts()
    note = _prior_note(prior_sd, connected)
    bases = _bases(counts, votes)
    if not connected and np.isinf(prior_sd):
        nothing = np.full((k, k), np.nan)
        return Strengths(
            {name: undefined(bases[name], note) for name in votes.systems},
            {name: undefined(bases[name], note) for name in votes.systems},
            undefined(bases[""], note),
            undefined(bases[""], note),
            rank_sets(votes.systems, np.zeros(k), nothing, nothing),
            connected,
            note,
        )
    with_ties = ties == "davidson" and bool(counts[..., 1].any())
    model = Model(k, with_ties, order_effect, prior_sd)
    sums, cells = votes.cluster_sums()
    start = fit(counts[None].astype(float), model)

    def statistic(rows: Floats) -> Floats:
        full = np.zeros((len(rows), k * k * 3))
        full[:, cells] = rows
        cube = full.reshape(-1, k, k, 3)
        return np.hstack([fit(cube, model, start), _win_shares(cube)])

    points, resamples = bootstrap_columns(
        sums, statistic, n_resamples=bootstrap, rng=np.random.default_rng(seed)
    )
    n_clusters = votes.n_clusters
    found = [
        estimate(
            draws_of(points, resamples, column, n_clusters),
            bases[name],
            level=level,
            note=said,
        )
        for column, (name, said) in enumerate(
            [(name, note) for name in votes.systems]
            + [("", "" if order_effect else "not fitted")]
            + [("", "" if with_ties else "no tie parameter: there are no ties")]
            + [(name, "") for name in votes.systems]
        )
    ]
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    left, right = [i for i, _ in pairs], [j for _, j in pairs]
    enough = resamples if n_clusters >= FEWEST_CLUSTERS else resamples[:0]
    low, high = simultaneous_intervals(
        points[left] - points[right], enough[:, left] - enough[:, right], level
    )
    return Strengths(
        dict(zip(votes.systems, found[:k], strict=True)),
        dict(zip(votes.systems, found[k + 2 :], strict=True)),
        found[k] if order_effect else undefined(bases[""], "not fitted"),
        found[k + 1] if with_ties else undefined(bases[""], found[k + 1].note),
        rank_sets(votes.systems, points[:k], *square(pairs, low, high, k)),
        connected,
        note,
    )


def _prior_note(prior_sd: float, connected: bool) -> str:
    prior = (
        "no prior"
        if np.isinf(prior_sd)
        else f"prior Normal(0, {prior_sd:g}) on centred log strengths"
    )
    if connected:
        return prior
    alone = "votes alone do not fix the strengths (not strongly connected)"
    return f"{alone}; {prior}"


def _bases(counts: npt.NDArray[np.intp], votes: VoteTable) -> dict[str, Basis]:
    """Return the votes of each system, and of all under the empty name."""
    met = counts.sum(axis=(1, 2)) + counts.sum(axis=(0, 2))
    bases = {
        name: Basis(int(count), 0, int(count))
        for name, count in zip(votes.systems, met.tolist(), strict=True)
    }
    return bases | {"": Basis(votes.n_votes, 0, votes.n_votes)}


def _win_shares(cube: Floats) -> Floats:
    """Return wins and half the ties as a share of votes, shape (n, k)."""
    first = cube[..., 2] + cube[..., 1] / 2
    second = cube[..., 0] + cube[..., 1] / 2
    won = first.sum(axis=2) + second.sum(axis=1)
    met = cube.sum(axis=(2, 3)) + cube.sum(axis=(1, 3))
    return np.where(met > 0, won / np.where(met > 0, met, 1), np.nan)
