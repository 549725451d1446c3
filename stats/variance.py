"""Where the variance of ratings comes from: system, group, instance, reply, rater."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.errors import StatsError
from stats.labels import Codes, Labels, encode
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
FACTORS = ("system", "group", "instance", "reply", "rater")


@dataclass(frozen=True)
class VarianceSplit:
    """The variance of one rating, by source.

    Attributes
    ----------
    system, group, instance, reply, rater, residual : float or None
        Variances, never below 0; None for a source that cannot be told apart.
    mean : float
        The mean rating.
    n_ratings : int
    note : str
        Which sources cannot be told apart, and why.
    """

    system: float | None
    group: float | None
    instance: float | None
    reply: float | None
    rater: float | None
    residual: float
    mean: float
    n_ratings: int
    note: str = ""

    def shares(self) -> dict[str, float]:
        """Return each source's share of the whole, leaving out those not known."""
        parts = {name: getattr(self, name) for name in (*FACTORS, "residual")}
        known = {name: part for name, part in parts.items() if part is not None}
        whole = sum(known.values())
        return {name: part / whole if whole else 0.0 for name, part in known.items()}


def variance_split(
    table: RatingTable, systems: Labels, instances: Labels
) -> VarianceSplit:
    """Return the variance of ratings by source, by Henderson's first method.

    Parameters
    ----------
    table : RatingTable
        A unit is one reply of one system to one instance; its cluster is the group.
    systems, instances : sequence, shape (n_units,)

    Returns
    -------
    VarianceSplit
        All sources are taken as random and crossed or nested as the labels say. A
        source with one level, or whose levels are those of another, is None.

    Raises
    ------
    StatsError
        There are under three ratings, or not one label a unit.

    Notes
    -----
    For each source the sum over levels of (level total)**2 / size has an expectation
    that is linear in all variances, whatever the gaps; the equations are solved, and
    negative solutions set to 0.

    References
    ----------
    Henderson, C. R. (1953). Estimation of Variance and Covariance Components.
    Biometrics 9(2), 226-252. Searle, S. R., Casella, G. and McCulloch, C. E. (1992).
    Variance Components, section 5.3.

    Examples
    --------
    >>> table = RatingTable([[1, 3], [2, 4], [1, 3], [2, 4]], points=(1, 2, 3, 4))
    >>> found = variance_split(table, ["A", "A", "B", "B"], [1, 2, 1, 2])
    >>> round(found.rater, 3), round(found.residual, 3)
    (2.0, 0.0)
    """
    if table.n_ratings < 3:
        raise StatsError("under three ratings")
    if len(systems) != table.n_units or len(instances) != table.n_units:
        raise StatsError(f"labels for {table.n_units} units are needed")
    unit = table.unit_index
    levels: dict[str, Codes] = {
        "system": encode(systems)[0][unit],
        "group": table.cluster_index[unit],
        "instance": encode(instances)[0][unit],
        "reply": unit,
        "rater": table.rater_index,
    }
    kept, notes = _distinct(levels)
    values = table.rating_values
    mean = float(values.mean())
    solved = _solve(values - mean, [levels[name] for name in kept])
    parts = dict(zip((*kept, "residual"), np.maximum(solved, 0).tolist(), strict=True))
    return VarianceSplit(
        **{name: parts.get(name) for name in FACTORS},
        residual=parts["residual"],
        mean=mean,
        n_ratings=table.n_ratings,
        note="; ".join(notes),
    )


def _distinct(levels: dict[str, Codes]) -> tuple[list[str], list[str]]:
    """Return the sources that can be told apart, and why others cannot."""
    kept: list[str] = []
    notes = []
    for name, codes in levels.items():
        n_levels = len(np.unique(codes))
        if n_levels == 1:
            notes.append(f"only one {name}")
            continue
        if n_levels == len(codes):
            notes.append(f"each {name} has one rating, so it is part of the residual")
            continue
        twins = [
            other
            for other in kept
            if len(np.unique(levels[other])) == n_levels
            and len(np.unique(np.stack([levels[other], codes]), axis=1).T) == n_levels
        ]
        if twins:
            notes.append(f"{name} and {twins[0]} are the same here")
            continue
        kept.append(name)
    return kept, notes


def _solve(values: Floats, factors: list[Codes]) -> Floats:
    """Return the variances of each factor and of the residual."""
    n = len(values)
    k = len(factors)
    rows = np.arange(n)
    designs = [
        sparse.csr_array((np.ones(n), (rows, np.unique(f, return_inverse=True)[1])))
        for f in factors
    ]
    sizes = [np.asarray(design.sum(axis=0)).ravel() for design in designs]
    equations = np.zeros((k + 2, k + 2))
    totals = np.zeros(k + 2)
    # Unknowns: the factors, the residual, the squared mean.
    totals[0], equations[0] = (values**2).sum(), n
    totals[1] = values.sum() ** 2 / n
    equations[1] = [*((size**2).sum() / n for size in sizes), 1, n]
    for at, (design, size) in enumerate(zip(designs, sizes, strict=True)):
        totals[at + 2] = ((design.T @ values) ** 2 / size).sum()
        for other in range(k):
            met = (design.T @ designs[other]).power(2).sum(axis=1)
            equations[at + 2, other] = (np.asarray(met).ravel() / size).sum()
        equations[at + 2, k] = len(size)
        equations[at + 2, k + 1] = n
    solution, *_ = np.linalg.lstsq(equations, totals, rcond=None)
    return np.asarray(solution[: k + 1], dtype=np.float64)
