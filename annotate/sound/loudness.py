"""Integrated loudness of a signal that arrives in blocks. Child process only."""

import math

import numpy as np
import numpy.typing as npt
from scipy.signal import sosfilt

from annotate.sound.outcome import RATE_HZ, Level

HOP_FRAMES = RATE_HZ // 10
"""A gating block of 400 ms starts every 100 ms (75 % overlap)."""

# BS.1770-5, annex 1, tables 1 and 2: the two stages of K-weighting at 48 kHz.
_K_WEIGHTING = np.array(
    [
        [
            1.53512485958697,
            -2.69169618940638,
            1.19839281085285,
            1.0,
            -1.69065929318241,
            0.73248077421585,
        ],
        [1.0, -2.0, 1.0, 1.0, -1.99004745483398, 0.99007225036621],
    ]
)
SILENCE_DB = -200.0
"""Stands for no signal at all; the smallest step of 24 bits is at -138 dBFS."""

_OFFSET = -0.691
_ABSOLUTE_GATE = -70.0
_RELATIVE_GATE = -10.0


class LoudnessMeter:
    """Measures a signal at 48 kHz of one or two channels, block by block.

    Memory grows by one number for each 100 ms.

    Notes
    -----
    Loudness of a mean square z, summed over channels of weight 1, is
    -0.691 + 10 log10(z). Blocks of 400 ms below -70 LUFS are left out, then those
    10 LU below the mean of the rest; what remains is averaged in z.

    References
    ----------
    ITU-R BS.1770-5 (2023), Algorithms to measure audio programme loudness and
    true-peak audio level, annex 1. https://www.itu.int/rec/R-REC-BS.1770
    """

    def __init__(self, channels: int) -> None:
        self._state = np.zeros((len(_K_WEIGHTING), channels, 2))
        self._pending = np.zeros(0)
        self._hops: list[float] = []
        self._total = 0.0
        self._n_frames = 0
        self._peak = 0.0

    def take(self, block: npt.NDArray[np.float32]) -> None:
        """Add `block`, shape (n_frames, n_channels), to what is measured."""
        if not len(block):
            return
        self._peak = max(self._peak, float(np.abs(block).max()))
        weighted, self._state = sosfilt(
            _K_WEIGHTING, block.T.astype(np.float64), axis=1, zi=self._state
        )
        squares = np.square(weighted).sum(axis=0)
        self._total += float(squares.sum())
        self._n_frames += len(squares)
        squares = np.concatenate([self._pending, squares])
        n_hops = len(squares) // HOP_FRAMES
        hops = squares[: n_hops * HOP_FRAMES].reshape(n_hops, HOP_FRAMES)
        self._hops.extend(hops.mean(axis=1).tolist())
        self._pending = squares[n_hops * HOP_FRAMES :].copy()

    @property
    def peak(self) -> float:
        """Return the largest absolute sample, full scale at 1."""
        return self._peak

    def level(self) -> Level:
        """Return the level of all that was taken.

        Digital silence has -200 in place of `ungated_lufs` and `peak_db`: a level
        is always a number that JSON can hold.
        """
        mean = self._total / self._n_frames if self._n_frames else 0.0
        return Level(
            self._gated(),
            max(SILENCE_DB, _lufs(mean)),
            max(SILENCE_DB, decibels(self._peak)),
        )

    def _gated(self) -> float | None:
        hops = np.array(self._hops)
        if len(hops) < 4:
            return None
        blocks = (hops[:-3] + hops[1:-2] + hops[2:-1] + hops[3:]) / 4
        loud = blocks[blocks > _mean_square(_ABSOLUTE_GATE)]
        if not len(loud):
            return None
        gate = _lufs(float(loud.mean())) + _RELATIVE_GATE
        return _lufs(float(loud[loud > _mean_square(gate)].mean()))


def decibels(amplitude: float) -> float:
    """Return an amplitude in dB re 1; -inf for 0."""
    return 20 * math.log10(amplitude) if amplitude > 0 else -math.inf


def amplitude_of(gain_db: float) -> float:
    """Return the factor that a gain in dB stands for."""
    return float(10.0 ** (gain_db / 20))


def _lufs(mean_square: float) -> float:
    return _OFFSET + 10 * math.log10(mean_square) if mean_square > 0 else -math.inf


def _mean_square(lufs: float) -> float:
    return float(10.0 ** ((lufs - _OFFSET) / 10))
