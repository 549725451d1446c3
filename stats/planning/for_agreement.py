"""How many units and ratings a wished precision of agreement needs."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from stats.agreement import COEFFICIENTS, TWO_WAY, count_statistics
from stats.count_sums import CountLayout, features_of_counts
from stats.errors import StatsError
from stats.pairwise_kappas import KAPPAS
from stats.planning.rows import PlanRow

Floats = npt.NDArray[np.float64]
CALIBRATION_UNITS = 40_000


def plan_agreement(
    shares: Sequence[float],
    agreement: float,
    *,
    coefficient: str = "alpha_ordinal",
    units: Sequence[int] = (50, 100, 200, 400, 800),
    per_unit: Sequence[int] = (2, 3, 5),
    half_width: float = 0.05,
    seconds_per_rating: float = 30.0,
    simulations: int = 400,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[PlanRow, ...]:
    """Return how wide the interval of an agreement coefficient would be, by design.

    Ratings are cut from normal scores that share a part within the unit; the part is
    set so that the coefficient comes to `agreement`.

    Parameters
    ----------
    shares : sequence of float
        How often each point of the scale is expected, in order; made to add up to 1.
    agreement : float
        The value expected of the coefficient, from 0 to below 1.
    coefficient : str
        Of those that do not ask who rated: `alpha_ordinal`, `ac1`, `exact`, ...
    units, per_unit : sequence of int
        Designs to try: all combinations.
    half_width : float
        What would be enough.
    seconds_per_rating : float
    simulations, seed, level

    Returns
    -------
    tuple of PlanRow
        By units, then ratings a unit. Units are taken as independent: count groups
        instead where units of a group resemble each other.

    Raises
    ------
    StatsError
        A share is negative or all are 0, the agreement cannot be reached, a design has
        under two ratings a unit, or the coefficient is not known.

    References
    ----------
    A simulation; the threshold model is that of polychoric correlation, Olsson (1979).

    Examples
    --------
    >>> plan = plan_agreement([1, 1, 1], 0.6, units=(100,), per_unit=(3,))
    >>> 0.05 < plan[0].half_width < 0.15
    True
    """
    layout, cuts = _scale(shares)
    known = set(COEFFICIENTS) - set(KAPPAS) - set(TWO_WAY)
    if coefficient not in known:
        raise StatsError(f"cannot plan for {coefficient!r}")
    if min(per_unit) < 2 or min(units) < 2:
        raise StatsError("a design needs two units and two ratings of each")
    shared = _shared_part(layout, cuts, coefficient, agreement, seed)
    rng = np.random.default_rng(seed)
    tails = [(1 - level) / 2, (1 + level) / 2]
    rows = []
    for n_units in units:
        for size in per_unit:
            found = _simulate(
                layout, cuts, coefficient, shared, n_units, size, simulations, rng
            )
            found = found[~np.isnan(found)]
            if len(found) < simulations / 2:
                raise StatsError(f"{coefficient} is undefined in most simulations")
            low, high = np.quantile(found, tails)
            reach = float(high - low) / 2
            n_ratings = n_units * size
            rows.append(
                PlanRow(
                    n_units,
                    size,
                    n_ratings,
                    n_ratings * seconds_per_rating / 3600,
                    float(found.mean()),
                    reach,
                    reach <= half_width,
                )
            )
    return tuple(rows)


def _scale(shares: Sequence[float]) -> tuple[CountLayout, Floats]:
    given = np.asarray(shares, dtype=float)
    if given.ndim != 1 or len(given) < 2 or (given < 0).any() or not given.sum() > 0:
        raise StatsError("shares must be two numbers or more, none negative")
    n_points = len(given)
    low, high = np.triu_indices(n_points)
    layout = CountLayout(low, high, np.arange(1.0, n_points + 1))
    return layout, scipy_stats.norm.ppf(np.cumsum(given / given.sum())[:-1])


def _simulate(
    layout: CountLayout,
    cuts: Floats,
    coefficient: str,
    shared: float,
    n_units: int,
    per_unit: int,
    simulations: int,
    rng: np.random.Generator,
) -> Floats:
    n_points = len(layout.points)
    found = []
    block = max(1, 500_000 // (n_units * per_unit))
    for start in range(0, simulations, block):
        size = min(block, simulations - start)
        own = rng.standard_normal((size * n_units, per_unit))
        common = rng.standard_normal((size * n_units, 1))
        scores = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
        points = np.searchsorted(cuts, scores)
        cells = np.arange(size * n_units)[:, None] * n_points + points
        counts = np.bincount(cells.ravel(), minlength=size * n_units * n_points)
        features = features_of_counts(
            counts.reshape(-1, n_points).astype(float), layout
        )
        sums = features.reshape(size, n_units, -1).sum(axis=1)
        found.append(count_statistics(sums, layout, [coefficient])[coefficient])
    return np.concatenate(found)


def _shared_part(
    layout: CountLayout, cuts: Floats, coefficient: str, agreement: float, seed: int
) -> float:
    """Return the variance that ratings of a unit share, by bisection."""

    def reached(shared: float) -> float:
        rng = np.random.default_rng([seed, 1])
        found = _simulate(
            layout, cuts, coefficient, shared, CALIBRATION_UNITS, 2, 1, rng
        )
        return float(found[0])

    low, high = 0.0, 0.9999
    if not reached(low) - 0.02 <= agreement <= reached(high):
        raise StatsError(
            f"{coefficient} lies between {reached(low):.2f} and {reached(high):.2f}"
            f" with these shares, so it cannot be {agreement:g}"
        )
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < agreement else (low, middle)
    return (low + high) / 2
