"""Corrections of p-values for asking many questions at once."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rule = Callable[[Floats, int], Floats]


def holm(p_values: npt.ArrayLike) -> Floats:
    """Return p-values adjusted by Holm's step-down, which holds the family-wise error.

    Parameters
    ----------
    p_values : array_like of float, shape (n,)
        NaN where there was no test; those stay NaN and do not count.

    Returns
    -------
    array of float, shape (n,)
        At most 1 and never below the p-value itself.

    References
    ----------
    Holm, S. (1979). A Simple Sequentially Rejective Multiple Test Procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    return _adjust(p_values, _step_down)


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Return p-values adjusted by Benjamini and Hochberg: the false discovery rate.

    Parameters
    ----------
    p_values : array_like of float, shape (n,)
        NaN where there was no test.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Benjamini, Y. and Hochberg, Y. (1995). Controlling the False Discovery Rate.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    return _adjust(p_values, lambda ordered, n: _step_up(ordered, n, 1.0))


def benjamini_yekutieli(p_values: npt.ArrayLike) -> Floats:
    """Return p-values adjusted by Benjamini and Yekutieli, for any dependence.

    Parameters
    ----------
    p_values : array_like of float, shape (n,)
        NaN where there was no test.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Benjamini, Y. and Yekutieli, D. (2001). The Control of the False Discovery Rate in
    Multiple Testing under Dependency. Annals of Statistics 29(4), 1165-1188.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04]).round(3).tolist()
    [0.03, 0.06]
    """
    return _adjust(
        p_values,
        lambda ordered, n: _step_up(ordered, n, (1 / np.arange(1, n + 1)).sum()),
    )


def _adjust(p_values: npt.ArrayLike, rule: Rule) -> Floats:
    given = np.asarray(p_values, dtype=float)
    adjusted = np.full(given.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(given))
    if len(tested):
        order = tested[np.argsort(given[tested], kind="stable")]
        adjusted[order] = np.minimum(rule(given[order], len(order)), 1)
    return adjusted


def _step_down(ordered: Floats, n: int) -> Floats:
    return np.maximum.accumulate(ordered * np.arange(n, 0, -1))


def _step_up(ordered: Floats, n: int, factor: float) -> Floats:
    raised = ordered * factor * n / np.arange(1, n + 1)
    return np.minimum.accumulate(raised[::-1])[::-1]
