"""How many instances and raters a wished precision or power of means needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats as scipy_stats

from stats.errors import StatsError
from stats.planning.rows import PlanRow
from stats.variance import VarianceSplit


def plan_means(
    split: VarianceSplit,
    *,
    groups: Sequence[int] = (25, 50, 100, 200),
    instances_per_group: int = 1,
    per_unit: Sequence[int] = (1, 2, 3, 5),
    n_raters: int = 10,
    half_width: float = 0.1,
    seconds_per_rating: float = 30.0,
    level: float = 0.95,
    difference: bool = True,
) -> tuple[PlanRow, ...]:
    """Return the interval's half-width of a mean, or of a paired difference, by design.

    Parameters
    ----------
    split : VarianceSplit
        From a pilot.
    groups, per_unit : sequence of int
        Designs to try: all combinations.
    instances_per_group, n_raters : int
    half_width : float
        What would be enough, in points of the scale.
    seconds_per_rating : float
        Ratings are counted for one system, or for both of a difference.
    level : float
    difference : bool
        Between two systems that answer the same instances for the same raters, so that
        group, instance and rater cancel; otherwise one system's mean.

    Returns
    -------
    tuple of PlanRow

    Raises
    ------
    StatsError
        A number of groups, instances, raters or ratings is below 1.

    References
    ----------
    Brennan, R. L. (2001). Generalizability Theory, chapters 2 and 4.

    Examples
    --------
    >>> split = VarianceSplit(0.1, 0.2, 0.1, 0.3, 0.1, 0.5, 3.0, 900)
    >>> plan = plan_means(split, groups=(100,), per_unit=(2,))
    >>> round(plan[0].half_width, 4)
    0.2081
    """
    if min(*groups, *per_unit, instances_per_group, n_raters) < 1:
        raise StatsError("a design needs at least one of everything")
    rows = []
    for n_groups in groups:
        for size in per_unit:
            n_instances = n_groups * instances_per_group
            n_ratings = n_instances * size * (2 if difference else 1)
            error = standard_error(
                split, n_groups, n_instances, size, n_raters, difference=difference
            )
            reach = error * scipy_stats.t.ppf((1 + level) / 2, max(n_groups - 1, 1))
            rows.append(
                PlanRow(
                    n_instances,
                    size,
                    n_ratings,
                    n_ratings * seconds_per_rating / 3600,
                    None,
                    float(reach),
                    bool(reach <= half_width),
                )
            )
    return tuple(rows)


def standard_error(
    split: VarianceSplit,
    n_groups: float,
    n_instances: float,
    per_unit: float,
    n_raters: int,
    *,
    difference: bool,
) -> float:
    """Return the standard error of a mean, or of a paired difference of two.

    Returns
    -------
    float

    References
    ----------
    Brennan (2001), section 4.4.
    """
    reply = (split.reply or 0.0) / n_instances
    residual = split.residual / (n_instances * per_unit)
    if difference:
        return float(np.sqrt(2 * (reply + residual)))
    group = (split.group or 0.0) / n_groups
    instance = (split.instance or 0.0) / n_instances
    rater = (split.rater or 0.0) / n_raters
    return float(np.sqrt(group + instance + reply + rater + residual))


@dataclass(frozen=True)
class NextRatings:
    """What more ratings would buy.

    Attributes
    ----------
    now : float
        Half-width of the interval as things stand.
    as_items : float
        With the further ratings spent on new groups, rated as often as before.
    as_raters : float
        With them spent on rating the same replies more often.
    better : {"items", "raters"}
    """

    now: float
    as_items: float
    as_raters: float
    better: str


def price_next(
    split: VarianceSplit,
    *,
    n_groups: int,
    instances_per_group: int = 1,
    per_unit: float,
    n_raters: int = 10,
    n_more: int = 100,
    level: float = 0.95,
    difference: bool = True,
) -> NextRatings:
    """Return whether the next ratings are better spent on items or on raters.

    Parameters
    ----------
    split : VarianceSplit
    n_groups, instances_per_group, per_unit, n_raters
        The design as it stands.
    n_more : int
        Further ratings, over both systems of a difference.
    level : float
    difference : bool
        As for `plan_means`.

    Returns
    -------
    NextRatings
        Normal half-widths, in points of the scale.

    Raises
    ------
    StatsError
        The design has nothing in it.

    References
    ----------
    Brennan (2001), section 4.4.

    Examples
    --------
    >>> split = VarianceSplit(0.1, 0.2, 0.1, 0.3, 0.1, 0.5, 3.0, 900)
    >>> price_next(split, n_groups=100, per_unit=2).better
    'items'
    """
    if min(n_groups, instances_per_group, n_raters) < 1 or not per_unit > 0:
        raise StatsError("a design needs at least one of everything")
    z = scipy_stats.norm.ppf((1 + level) / 2)
    n_instances = n_groups * instances_per_group
    sides = 2 if difference else 1
    more = 1 + n_more / (n_instances * per_unit * sides)

    def reach(factor: float, size: float) -> float:
        error = standard_error(
            split,
            n_groups * factor,
            n_instances * factor,
            size,
            n_raters,
            difference=difference,
        )
        return float(z * error)

    items, raters = reach(more, per_unit), reach(1, per_unit * more)
    better = "items" if items <= raters else "raters"
    return NextRatings(reach(1, per_unit), items, raters, better)


def power_of_difference(
    effect: float, sd: float, n: int | Sequence[int], *, alpha: float = 0.05
) -> list[float]:
    """Return the power of a two-sided paired t-test.

    Parameters
    ----------
    effect : float
        The mean difference expected.
    sd : float
        Standard deviation of the differences between clusters.
    n : int or sequence of int
        Clusters.
    alpha : float

    Returns
    -------
    list of float
        One for each `n`, 0 to 1.

    Raises
    ------
    StatsError
        `sd` is not over 0, or an `n` is under 2.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis, chapter 2: d = .5 with 34 pairs has
    power .80.

    Examples
    --------
    >>> round(power_of_difference(0.5, 1.0, 34)[0], 2)
    0.81
    """
    sizes = [n] if isinstance(n, int) else list(n)
    if not sd > 0 or min(sizes) < 2:
        raise StatsError("power needs a spread over 0 and two clusters")
    found = []
    for size in sizes:
        critical = scipy_stats.t.ppf(1 - alpha / 2, size - 1)
        shift = abs(effect) / sd * np.sqrt(size)
        upper = scipy_stats.nct.sf(critical, size - 1, shift)
        lower = scipy_stats.nct.cdf(-critical, size - 1, shift)
        found.append(float(upper + np.nan_to_num(lower)))
    return found
