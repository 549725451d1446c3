"""Fit the Davidson-Beaver model to many tables of votes at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MOST_STEPS = 60
CLOSE_ENOUGH = 1e-7  # the error is then the square of that
NUISANCE_PRIOR_SD = 10.0
FURTHEST_STEP = 3.0


@dataclass(frozen=True)
class Model:
    """What is fitted.

    Attributes
    ----------
    n_systems : int
    ties : bool
        A parameter for ties; without it a tie is half a win for each.
    order_effect : bool
    prior_sd : float
        Of the normal prior on centred log strengths; inf for none. The order and tie
        effects have Normal(0, 10), so that a resample without ties still has an end.
    """

    n_systems: int
    ties: bool
    order_effect: bool
    prior_sd: float


def fit(counts: Floats, model: Model, start: Floats | None = None) -> Floats:
    """Return the parameters that make each table of votes most likely.

    Parameters
    ----------
    counts : array of float, shape (n, k, k, 3)
        Votes by first system, second system, and outcome (second won, tie, first won).
    model : Model
    start : array of float, shape (1, k + 2), optional
        Where to begin.

    Returns
    -------
    array of float, shape (n, k + 2)
        Log strengths with mean 0, the order effect, the log tie effect; an effect that
        is not fitted is 0.

    Notes
    -----
    The likelihood is that of an exponential family: at the maximum each system's wins
    plus half its ties, the wins of the first, and the ties equal what the model
    expects. A step of Newton's method is cut to length 3 in any parameter.
    """
    k = model.n_systems
    ties = counts[..., 1]
    scores = counts[..., 2] + ties / 2
    other = counts[..., 0] + ties / 2
    met = scores + other
    observed = np.concatenate(
        [
            scores.sum(axis=2) + other.sum(axis=1),
            _first_wins(counts, model).sum(axis=(1, 2))[:, None],
            ties.sum(axis=(1, 2))[:, None],
        ],
        axis=1,
    )
    anchored = np.eye(k) - 1 / k
    prior = np.zeros((k + 2, k + 2))
    precision = 0.0 if np.isinf(model.prior_sd) else model.prior_sd**-2
    prior[:k, :k] = anchored * precision
    nuisance = 0.0 if np.isinf(model.prior_sd) else NUISANCE_PRIOR_SD**-2
    prior[k, k] = nuisance if model.order_effect else 1
    prior[k + 1, k + 1] = nuisance if model.ties else 1
    anchor = np.zeros((k + 2, k + 2))
    anchor[:k, :k] = 1 / k
    found = (
        np.zeros((len(counts), k + 2))
        if start is None
        else np.repeat(start, len(counts), axis=0)
    )
    active = np.arange(len(counts))
    for _ in range(MOST_STEPS):
        expected, information = _moments(found[active], met[active], model)
        pull = observed[active] - expected
        pull[:, k] *= model.order_effect
        pull[:, k + 1] *= model.ties
        pull -= found[active] @ prior
        step = np.linalg.solve(information + prior + anchor, pull[..., None])[..., 0]
        largest = np.abs(step).max(axis=1)
        step *= np.minimum(1, FURTHEST_STEP / np.maximum(largest, 1e-300))[:, None]
        found[active] += step
        found[active, :k] -= found[active, :k].mean(axis=1, keepdims=True)
        active = active[largest > CLOSE_ENOUGH]
        if len(active) == 0:
            break
    return found


def _first_wins(counts: Floats, model: Model) -> Floats:
    """Return what the order effect is read from: wins of the first."""
    return counts[..., 2] if model.ties else counts[..., 2] + counts[..., 1] / 2


def _moments(found: Floats, met: Floats, model: Model) -> tuple[Floats, Floats]:
    """Return expected statistics (n, k + 2) and their covariance (n, k + 2, k + 2)."""
    k = model.n_systems
    gap = found[:, :k, None] - found[:, None, :k] + found[:, k, None, None]
    half = np.exp(np.clip(gap, -60, 60) / 2)
    # Divided by the geometric mean of both strengths, a tie weighs the same everywhere.
    first, second = half, 1 / half
    if model.ties:
        # The order effect favours the first only, so a tie lacks half of it.
        tie = np.exp(found[:, k + 1] - found[:, k] / 2)[:, None, None]
        total = first + second + tie
        won, drawn = first / total, tie / total
    else:
        won = first / (first + second)
        drawn = np.zeros(())
    score = won + drawn / 2
    expected_score = met * score
    expected_won, expected_ties = met * won, met * drawn
    # Per vote, the first's score s has variance v; the second's is 1 - s.
    variance = met * (won + drawn / 4 - score**2)
    information = np.zeros((len(found), k + 2, k + 2))
    both = variance + variance.transpose(0, 2, 1)
    information[:, :k, :k] = -both
    diagonal = np.arange(k)
    information[:, diagonal, diagonal] += both.sum(axis=2)
    with_first = met * (won - score * won)
    with_tie = met * (drawn / 2 - score * drawn)
    for column, cross in ((k, with_first), (k + 1, with_tie)):
        edge = cross.sum(axis=2) - cross.sum(axis=1)
        information[:, :k, column] = edge
        information[:, column, :k] = edge
    information[:, k, k] = (met * won * (1 - won)).sum(axis=(1, 2))
    information[:, k + 1, k + 1] = (met * drawn * (1 - drawn)).sum(axis=(1, 2))
    mixed = -(met * won * drawn).sum(axis=(1, 2))
    information[:, k, k + 1] = information[:, k + 1, k] = mixed
    for column, fitted in ((k, model.order_effect), (k + 1, model.ties)):
        if not fitted:
            information[:, column, :] = 0
            information[:, :, column] = 0
    expected = np.concatenate(
        [
            expected_score.sum(axis=2) + (met - expected_score).sum(axis=1),
            expected_won.sum(axis=(1, 2))[:, None],
            np.broadcast_to(expected_ties, met.shape).sum(axis=(1, 2))[:, None],
        ],
        axis=1,
    )
    return expected, information
