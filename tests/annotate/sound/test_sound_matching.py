"""Competing replies are made equally loud, as far as their peaks allow."""

import itertools

import numpy as np
import pytest
import soundfile

from annotate.sound import UnusableRecording, matching_gains
from tests.annotate.sound.made_sounds import speechlike, tone, written

APPROX_DB = 0.15


def test_all_reach_the_target_where_peaks_allow():
    target, gains, residuals = matching_gains([(-20.0, -3.0), (-30.0, -12.0)])

    assert target == -26.0
    assert gains == [-6.0, 4.0]
    assert residuals == [0.0, 0.0]


def test_the_target_falls_for_all_where_one_peak_binds():
    target, gains, residuals = matching_gains([(-20.0, -3.0), (-34.0, -5.0)])

    assert target == -30.0
    assert gains == [-10.0, 4.0]
    assert residuals == [0.0, 0.0]


def test_the_target_stops_at_the_floor_and_the_rest_is_recorded():
    target, gains, residuals = matching_gains([(-20.0, -3.0), (-50.0, -4.0)])

    assert target == -36.0
    assert gains == [-16.0, 3.0]
    assert residuals == [0.0, -11.0]


def test_a_peak_above_the_ceiling_is_brought_down():
    _, gains, residuals = matching_gains([(-35.0, 0.0)])

    assert gains == [-1.0]
    assert residuals == [0.0]


def test_unknown_loudness_is_only_kept_under_the_ceiling():
    target, gains, residuals = matching_gains(
        [(-20.0, -3.0), (None, -8.0), (None, 0.0), (-np.inf, -90.0)]
    )

    assert target == -26.0
    assert gains == [-6.0, 0.0, -1.0, 0.0]
    assert residuals == [0.0, None, None, None]


def test_an_empty_set_has_the_wanted_target():
    assert matching_gains([]) == (-26.0, [], [])


def test_the_order_of_recordings_does_not_matter():
    levels = [(-20.0, -3.0), (-40.0, -20.0), (-50.0, -4.0), (None, -1.0)]

    answers = set()
    for order in itertools.permutations(range(4)):
        target, gains, residuals = matching_gains([levels[i] for i in order])
        back = np.argsort(order)
        answers.add((target, *(gains[i] for i in back), *(residuals[i] for i in back)))

    assert len(answers) == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_peak_passes_the_ceiling_and_no_residual_is_positive(seed):
    drawn = np.random.default_rng(seed)
    levels = [
        (float(drawn.uniform(-60, -5)), float(drawn.uniform(-40, 0))) for _ in range(5)
    ]

    target, gains, residuals = matching_gains(levels)

    assert -36 <= target <= -26
    for (lufs, peak_db), gain, residual in zip(levels, gains, residuals, strict=True):
        assert peak_db + gain <= -1 + 1e-9
        assert residual == pytest.approx(lufs + gain - target)
        assert residual <= 1e-9


@pytest.mark.parametrize(
    ("levels", "floor"), [([(-20.0, np.nan)], -36.0), ([(-20.0, -3.0)], -10.0)]
)
def test_nonsense_is_refused(levels, floor):
    with pytest.raises(ValueError, match=r"peak|floor"):
        matching_gains(levels, floor_lufs=floor)


def test_matched_recordings_measure_equally_loud(worker, tmp_path):
    signals = [
        speechlike(3.0, 24_000, seed=1),
        0.05 * speechlike(2.0, 24_000, seed=2),
        np.stack([speechlike(seed=3), 0.3 * speechlike(seed=4)], axis=1),
        tone(0.3, 24_000),
    ]
    found = [
        worker.prepare(written(tmp_path / f"{i}.wav", signal, 24_000), tmp_path)
        for i, signal in enumerate(signals)
    ]

    target, gains, residuals = matching_gains(
        [prepared.mono_level.matching for prepared in found]
    )
    matched = [
        worker.match(prepared.as_is.path, tmp_path / f"{i}.flac", gain)
        for i, (prepared, gain) in enumerate(zip(found, gains, strict=True))
    ]

    assert residuals == pytest.approx([0, 0, 0, 0], abs=1e-9)
    for rendition, gain in zip(matched, gains, strict=True):
        again = worker.prepare(rendition.path, tmp_path)
        assert again.level.matching[0] == pytest.approx(target, abs=APPROX_DB)
        assert rendition.peak_db == pytest.approx(again.level.peak_db, abs=0.01)
        assert rendition.gain_db == gain
        assert rendition.peaks == again.as_is.peaks
        info = soundfile.info(rendition.path)
        assert (info.format, info.subtype) == ("FLAC", "PCM_16")
        assert (info.samplerate, info.channels) == (48_000, rendition.channels)
        assert rendition.channels == 1
        assert rendition.duration_s == info.duration


def test_a_gain_that_would_clip_is_refused_and_nothing_is_written(worker, tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0, amplitude=0.5))
    found = worker.prepare(source, tmp_path)

    with pytest.raises(UnusableRecording) as caught:
        worker.match(found.as_is.path, tmp_path / "match.flac", 6.2)

    assert caught.value.reason == "clips"
    assert "0.2 dB above" in caught.value.message
    assert sorted(tmp_path.glob("match*")) == []


def test_only_a_rendition_can_be_matched(worker, tmp_path):
    source = written(tmp_path / "a.flac", tone(1.0, 16_000), 16_000)

    with pytest.raises(UnusableRecording, match="not a rendition"):
        worker.match(source, tmp_path / "match.flac", 0.0)


@pytest.mark.parametrize(
    ("duration_s", "n_peaks"), [(0.2, 200), (9.0, 200), (30.0, 600), (90.0, 1200)]
)
def test_there_are_20_peaks_a_second_within_bounds(
    worker, tmp_path, duration_s, n_peaks
):
    source = written(tmp_path / "a.wav", tone(duration_s, 8_000), 8_000)

    assert len(worker.prepare(source, tmp_path).as_is.peaks) == n_peaks


def test_peaks_are_the_largest_samples_of_what_is_served(worker, tmp_path):
    signal = np.zeros((480_007, 2))
    signal[123_456, 1] = -0.5
    signal[480_006, 0] = 1.0
    signal[0, 0] = 0.25
    source = written(tmp_path / "a.wav", signal)

    found = worker.prepare(source, tmp_path).as_is

    served, _ = soundfile.read(found.path, dtype="int16", always_2d=True)
    loud = np.abs(served.astype(int)).max(axis=1)
    n = len(found.peaks)
    edges = [i * len(loud) // n for i in range(n + 1)]
    wanted = [
        round(loud[start:end].max() * 255 / 32768)
        for start, end in itertools.pairwise(edges)
    ]
    assert found.peaks == wanted
    assert (found.peaks[0], max(found.peaks[1:-1]), found.peaks[-1]) == (64, 128, 255)
