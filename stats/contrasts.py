"""The same script under two conditions: what a change of voice or context does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.errors import StatsError
from stats.estimates import Basis, estimate
from stats.labels import Codes, Labels, encode
from stats.multiple import holm
from stats.resampling import bootstrap_columns, draws_of
from stats.results import Estimate, finite_or_none
from stats.row_sums import ratio, row_sums
from stats.systems import clustered_t_test, unit_means
from stats.table import RatingTable

Floats = npt.NDArray[np.float64]
NO_MATCH = "no script was rated under both conditions"


@dataclass(frozen=True)
class Contrast:
    """One condition less another, paired within the script.

    Attributes
    ----------
    stratum : str
        Such as a system, or a system and a fine dimension; empty without strata.
    condition, reference : str
    difference : Estimate
        Mean of condition less reference, in points of the scale; `n_units` counts the
        scripts with both.
    p_value, p_holm : float or None
        Two-sided, by t over clusters; corrected over all contrasts asked for at once.
    higher, equal, lower : int
        Scripts on which the condition is rated higher, equal, lower.
    unmatched : int
        Scripts of the stratum with only one of the two.
    """

    stratum: str
    condition: str
    reference: str
    difference: Estimate
    p_value: float | None
    p_holm: float | None
    higher: int
    equal: int
    lower: int
    unmatched: int


def contrasts(
    table: RatingTable,
    conditions: Labels,
    scripts: Labels,
    pairs: Sequence[tuple[str, str]],
    *,
    strata: Labels | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Contrast, ...]:
    """Return differences between conditions paired within the script.

    Parameters
    ----------
    table : RatingTable
        A unit is one reply of one system to one script under one condition. Its
        clusters are usually the scripts.
    conditions, scripts : sequence, shape (n_units,)
        Such as target, neutral, alternative; and what the conditions share.
    pairs : sequence of (condition, reference)
    strata : sequence, shape (n_units,), optional
        Contrasts are taken within each: per system, say.
    bootstrap, seed, level
        As for `stats.agreement.agreement`.

    Returns
    -------
    tuple of Contrast
        By stratum in ascending order, then in the order of `pairs`. Undefined where no
        script has both conditions. Several units of one stratum, script and condition
        are averaged first.

    Raises
    ------
    StatsError
        There is not one label a unit, or a condition in `pairs` does not occur.

    References
    ----------
    Cameron and Miller (2015) for the test, Holm (1979) for the correction.

    Examples
    --------
    >>> table = RatingTable([[3], [1], [3], [2]], points=(1, 2, 3))
    >>> found = contrasts(
    ...     table,
    ...     ["target", "neutral", "target", "neutral"],
    ...     ["s1", "s1", "s2", "s2"],
    ...     [("target", "neutral")],
    ...     bootstrap=0,
    ... )
    >>> found[0].difference.value, found[0].higher
    (1.5, 2)
    """
    strata = [""] * table.n_units if strata is None else strata
    for name, labels in (
        ("conditions", conditions),
        ("scripts", scripts),
        ("strata", strata),
    ):
        if len(labels) != table.n_units:
            raise StatsError(f"{len(labels)} {name} for {table.n_units} units")
    condition, names = encode(conditions)
    place = {str(name): at for at, name in enumerate(names)}
    missing = [name for pair in pairs for name in pair if name not in place]
    if missing:
        raise StatsError(f"no unit has the condition {missing[0]}")
    stratum, stratum_names = encode(strata)
    grid, of_stratum, cluster = _grid(table, condition, len(names), scripts, stratum)
    blocks, found = [], []
    n = len(stratum_names) * len(pairs)
    matched: list[tuple[Codes, Floats, int]] = []
    for at in range(len(stratum_names)):
        for place_of_pair, (one, other) in enumerate(pairs):
            mine = np.flatnonzero(of_stratum == at)
            gaps = grid[mine, place[one]] - grid[mine, place[other]]
            there = ~np.isnan(gaps)
            asked = grid[mine][:, [place[one], place[other]]]
            either = ~np.isnan(asked).all(axis=1)
            rows, gaps = mine[there], gaps[there]
            columns = np.full(len(rows), at * len(pairs) + place_of_pair)
            blocks += [(rows, columns, gaps), (rows, n + columns, np.ones(len(rows)))]
            matched.append((rows, gaps, int(either.sum()) - len(rows)))
    sums = row_sums(cluster, blocks, 2 * n, dense_below=600)
    points, resamples = bootstrap_columns(
        sums,
        lambda totals: ratio(totals[:, :n], totals[:, n:]),
        n_resamples=bootstrap,
        rng=np.random.default_rng(seed),
    )
    p_values = np.array(
        [clustered_t_test(cluster[rows], gaps) for rows, gaps, _ in matched]
    )
    corrected = holm(p_values)
    for column, (rows, gaps, unmatched) in enumerate(matched):
        at, place_of_pair = divmod(column, len(pairs))
        found.append(
            Contrast(
                str(stratum_names[at]),
                pairs[place_of_pair][0],
                pairs[place_of_pair][1],
                estimate(
                    draws_of(points, resamples, column, len(np.unique(cluster[rows]))),
                    Basis(len(rows), 0, 0),
                    level=level,
                    undefined_note=NO_MATCH,
                ),
                finite_or_none(p_values[column]),
                finite_or_none(corrected[column]),
                int((gaps > 1e-12).sum()),
                int((np.abs(gaps) <= 1e-12).sum()),
                int((gaps < -1e-12).sum()),
                unmatched,
            )
        )
    return tuple(found)


def _grid(
    table: RatingTable, condition: Codes, k: int, scripts: Labels, stratum: Codes
) -> tuple[Floats, Codes, Codes]:
    """Return means by stratum and script (rows) and condition, and the rows' labels."""
    script, _ = encode(scripts)
    keys = stratum * (int(script.max(initial=0)) + 1) + script
    distinct, row = np.unique(keys, return_inverse=True)
    means = unit_means(table)
    rated = np.flatnonzero(~np.isnan(means))
    cells = row[rated] * k + condition[rated]
    size = len(distinct) * k
    total = np.bincount(cells, means[rated], size)
    count = np.bincount(cells, minlength=size)
    grid = ratio(total, count.astype(float)).reshape(len(distinct), k)
    cluster = np.zeros(len(distinct), dtype=np.intp)
    cluster[row] = table.cluster_index
    of_stratum = np.zeros(len(distinct), dtype=np.intp)
    of_stratum[row] = stratum
    return grid, of_stratum, cluster
