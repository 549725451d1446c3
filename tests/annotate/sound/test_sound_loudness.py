"""Loudness agrees with the standard's own cases and with pyloudnorm."""

import numpy as np
import pyloudnorm
import pytest

from annotate.sound.loudness import LoudnessMeter
from annotate.sound.outcome import Level
from tests.annotate.sound.made_sounds import speechlike, tone


def measured(signal, block: int = 7001) -> Level:
    """Return the level of `signal`, given in blocks that fit no hop."""
    signal = np.asarray(signal, dtype=np.float32)
    signal = signal[:, None] if signal.ndim == 1 else signal
    meter = LoudnessMeter(signal.shape[1])
    for start in range(0, len(signal), block):
        meter.take(signal[start : start + block])
    return meter.level()


def steps(*parts: tuple[float, float]):
    """Return a stereo 1 kHz sine in parts of (peak dBFS, seconds)."""
    mono = np.concatenate(
        [tone(seconds, 48_000, 1000.0, 10 ** (db / 20)) for db, seconds in parts]
    )
    return np.stack([mono, mono], axis=1)


def test_a_full_scale_sine_in_one_channel_is_minus_3_01():
    # BS.1770-5, annex 1: "if a 0 dB FS, 997 Hz sine wave is applied to the left,
    # centre or right channel input, the indicated loudness will equal -3.01 LKFS".
    found = measured(tone(5.0, amplitude=1.0))

    assert found.lufs == pytest.approx(-3.01, abs=0.01)
    assert found.ungated_lufs == pytest.approx(-3.01, abs=0.01)
    assert found.peak_db == pytest.approx(0, abs=0.01)


def test_the_same_sine_in_both_channels_is_0():
    mono = tone(5.0, amplitude=1.0)

    found = measured(np.stack([mono, mono], axis=1))

    assert found.lufs == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize(
    ("signal", "lufs"),
    [
        (steps((-23, 20)), -23.0),
        (steps((-33, 20)), -33.0),
        (steps((-36, 10), (-23, 60), (-36, 10)), -23.0),
        (steps((-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)), -23.0),
        (steps((-26, 20), (-20, 20.1), (-26, 20)), -23.0),
    ],
)
def test_the_cases_of_ebu_tech_3341_hold(signal, lufs):
    # EBU Tech 3341 (2016), table 1, cases 1 to 5, each to 0.1 LU.
    assert measured(signal).lufs == pytest.approx(lufs, abs=0.1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("channels", [1, 2])
def test_it_agrees_with_pyloudnorm(seed, channels):
    drawn = np.random.default_rng(seed)
    signal = np.stack(
        [
            np.concatenate(
                [
                    speechlike(2.0, 48_000, seed + 10 * channel),
                    0.001 * drawn.standard_normal(60_000),
                    drawn.uniform(0.05, 1) * speechlike(1.3, 48_000, seed + 99),
                ]
            )
            for channel in range(channels)
        ],
        axis=1,
    )

    theirs = pyloudnorm.Meter(48_000).integrated_loudness(signal)

    assert measured(signal).lufs == pytest.approx(theirs, abs=0.1)


def test_the_size_of_the_blocks_does_not_matter():
    signal = speechlike(3.0, 48_000)

    levels = [measured(signal, block) for block in (100, 4800, 10**6)]

    for level in levels[1:]:
        assert level.lufs == pytest.approx(levels[0].lufs, abs=1e-6)
        assert level.peak_db == levels[0].peak_db


@pytest.mark.parametrize("signal", [tone(0.3), tone(2.0, amplitude=10 ** (-80 / 20))])
def test_too_short_or_too_quiet_for_the_gate_falls_back_to_ungated(signal):
    found = measured(signal)

    assert found.lufs is None
    # The filter settles within the shorter one.
    rms_db = 20 * np.log10(np.sqrt(np.mean(np.square(signal))))
    assert found.ungated_lufs == pytest.approx(rms_db, abs=0.2)
    assert found.matching == (found.ungated_lufs, found.peak_db)


def test_silence_and_nothing_have_no_loudness():
    for signal in (np.zeros(48_000), np.zeros(0)):
        assert measured(signal) == Level(None, -200.0, -200.0)
