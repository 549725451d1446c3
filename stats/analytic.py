"""Gwet's intervals by formula, for units that are independent."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from stats.agreement import WEIGHTED, agreement
from stats.chance_corrected import agreement_weights
from stats.errors import StatsError
from stats.results import Estimate
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
KINDS = ("fleiss", "gwet", "brennan_prediger")


def analytic_agreement(
    table: RatingTable, coefficient: str, *, level: float = 0.95
) -> Estimate:
    """Return a coefficient with Gwet's interval, which takes units as independent.

    Parameters
    ----------
    table : RatingTable
    coefficient : str
        `ac1`, `ac2_…`, `kappa_fleiss`, `fleiss_quadratic` or `brennan_prediger…`.
    level : float

    Returns
    -------
    Estimate
        The value of `agreement`; the interval is cut at 1, as Gwet has it. No interval
        where a cluster has two units or more, or fewer than two units are rated twice.
        For AC1 on Krippendorff's table of 2011 it is .460813 to 1.

    Raises
    ------
    StatsError
        The coefficient is not one of these.

    Notes
    -----
    With kappa_i from unit i's own agreement and e_i the derivative of the expected
    agreement, the variance is that of kappa_i - 2 (1 - kappa) (e_i - e) / (1 - e)
    over units, divided by their number; t has one degree of freedom less than units.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., section 5.3. Gwet,
    K. L. (2008). Computing Inter-Rater Reliability and Its Variance in the Presence of
    High Agreement. Br. J. Math. Stat. Psychol. 61(1), 29-48.

    Examples
    --------
    >>> table = RatingTable([[1, 1], [2, 2], [2, 1], [1, 1]], points=(1, 2))
    >>> round(analytic_agreement(table, "brennan_prediger").low, 3)
    -1.091
    """
    kind, part = WEIGHTED.get(coefficient, ("", ""))
    if part not in KINDS:
        raise StatsError(f"no analytic interval for {coefficient!r}")
    found = agreement(table, coefficients=[coefficient], bootstrap=0)[coefficient]
    if found.value is None:
        return found
    rated = table.ratings_per_unit > 0
    n_units = int(rated.sum())
    if len(np.unique(table.cluster_index[rated])) < n_units:
        note = "no analytic interval: a cluster has several units"
        return replace(found, interval_note=note)
    if n_units < 2:
        return replace(found, interval_note="no analytic interval: one unit")
    points = np.asarray(table.points)
    error = _standard_error(table, agreement_weights(points, kind), part, found.value)
    reach = scipy_stats.t.ppf((1 + level) / 2, n_units - 1) * error
    return replace(
        found,
        low=float(found.value - reach),
        high=float(min(found.value + reach, 1.0)),
        n_clusters=n_units,
    )


def _standard_error(
    table: RatingTable, weights: Floats, part: str, value: float
) -> float:
    n_points = table.n_points
    cells = table.unit_index * n_points + table.point_index
    counts = np.bincount(cells, minlength=table.n_units * n_points).reshape(
        table.n_units, n_points
    )
    counts = counts[counts.sum(axis=1) > 0].astype(float)
    m = counts.sum(axis=1)
    paired = m >= 2
    n, n_paired = len(m), int(paired.sum())
    near = counts @ weights
    agreed = (counts * (near - 1)).sum(axis=1)
    own = np.where(paired, agreed / np.where(paired, m * (m - 1), 1), 0)
    shares = counts / m[:, None]
    mean = shares.mean(axis=0)
    if part == "fleiss":
        expected = mean @ weights @ mean
        own_expected = shares @ (weights @ mean)
    elif part == "gwet":
        factor = weights.sum() / (n_points * (n_points - 1))
        expected = factor * (mean * (1 - mean)).sum()
        own_expected = factor * (shares * (1 - mean)).sum(axis=1)
    else:
        expected = weights.sum() / n_points**2
        own_expected = np.full(n, expected)
    own_value = (n / n_paired) * (own - expected * paired) / (1 - expected)
    moved = own_value - 2 * (1 - value) * (own_expected - expected) / (1 - expected)
    return float(np.sqrt(((moved - value) ** 2).sum() / (n * (n - 1))))
