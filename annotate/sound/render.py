"""Surveys a recording and makes its rendition `as_is`. Child process only."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from annotate.sound.decode import BLOCK_SAMPLES, Samples, Source, open_source
from annotate.sound.loudness import LoudnessMeter, decibels
from annotate.sound.outcome import (
    RATE_HZ,
    Caution,
    Level,
    Limits,
    Prepared,
    Rendition,
    UnusableRecording,
)
from annotate.sound.served import Writer, mixed, waveform_peaks

FULL_SCALE = 32767 / 32768
STEP = 2**-15
"""One step of a 16-bit sample."""

MOST_ABOVE_DB = 190.0
"""Float files that hold whole 32-bit numbers reach 187 dB above full scale."""

LENGTH_TOLERANCE_S = 0.1


@dataclass(frozen=True)
class Survey:
    """What one reading of a recording shows, before anything is written.

    Attributes
    ----------
    n_frames : int
    peak : float
        Largest absolute sample, full scale at 1.
    is_mono : bool
        Whether one channel is served: not for two that differ somewhere by more
        than a 16-bit step.
    """

    n_frames: int
    peak: float
    is_mono: bool


def prepare(path: Path, out: Path, limits: Limits) -> Prepared:
    """Write the rendition `as_is` of the recording at `path` to `out`.

    It is read twice: once to find every fault, once to write. Whatever is not full
    scale is not touched: a 16-bit recording at 48 kHz comes out sample for sample.
    A recording above full scale (float files, and what resampling or a lossy codec
    adds to a peak) is turned down by as much as it takes, never clipped; the gain
    is kept in the result. More than two channels become their mean.

    Raises
    ------
    UnusableRecording
    """
    source = open_source(path, limits)
    try:
        found = survey(source, limits)
    finally:
        source.close()
    level, mono_level, gain = _write_as_is(path, out, found, limits)
    peaks, n_written, channels = waveform_peaks(out)
    duration_s = found.n_frames / source.rate_hz
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        n_bytes = file.tell()
    return Prepared(
        sha256=sha256,
        n_bytes=n_bytes,
        container=source.container,
        codec=source.codec,
        sample_rate_hz=source.rate_hz,
        channels=source.channels,
        duration_s=duration_s,
        declared_s=source.declared_s,
        level=level,
        mono_level=mono_level,
        as_is=Rendition(
            path=out,
            duration_s=n_written / RATE_HZ,
            channels=channels,
            gain_db=decibels(gain),
            peak_db=level.peak_db,
            peaks=peaks,
        ),
        cautions=[
            *source.cautions,
            *_cautions(source, duration_s, gain, level, mono_level),
        ],
    )


def survey(source: Source, limits: Limits) -> Survey:
    """Read the whole recording once and refuse what cannot be used.

    Raises
    ------
    UnusableRecording
    """
    max_frames = limits.max_duration_s * source.rate_hz
    n_frames, peak, widest = 0, 0.0, 0.0
    for block in source.blocks():
        n_frames += len(block)
        if n_frames > max_frames:
            raise UnusableRecording(
                "too_long",
                f"It is longer than the {_spoken(limits.max_duration_s)} allowed.",
            )
        block_peak = float(np.abs(block).max())
        if not np.isfinite(block_peak):
            broken = int(np.argmax(~np.isfinite(block).all(axis=1)))
            at_s = (n_frames - len(block) + broken) / source.rate_hz
            raise UnusableRecording(
                "not_finite",
                "It holds samples that are no numbers (NaN or infinite), the first at "
                f"{at_s:.2f} s.",
            )
        peak = max(peak, block_peak)
        if source.channels == 2:
            widest = max(widest, float(np.abs(block[:, 0] - block[:, 1]).max()))
    _refuse(source, n_frames, peak, limits)
    return Survey(n_frames, peak, source.channels != 2 or widest <= STEP)


def _refuse(source: Source, n_frames: int, peak: float, limits: Limits) -> None:
    if n_frames == 0:
        raise UnusableRecording("no_audio", "It has a header but no sound in it.")
    duration_s = n_frames / source.rate_hz
    declared_s = source.declared_s if source.is_declared_exact else None
    missing_s = (declared_s or 0.0) - duration_s
    if declared_s and missing_s > max(LENGTH_TOLERANCE_S, min(1.0, 0.1 * declared_s)):
        raise UnusableRecording(
            "truncated",
            f"It is cut short or damaged: it promises {declared_s:.2f} s, and only "
            f"{duration_s:.2f} s could be decoded.",
        )
    if duration_s < limits.min_duration_s:
        raise UnusableRecording(
            "too_short",
            f"It lasts {duration_s * 1000:.0f} ms, less than the "
            f"{limits.min_duration_s * 1000:.0f} ms needed.",
        )
    if decibels(peak) > MOST_ABOVE_DB:
        raise UnusableRecording(
            "not_finite",
            f"It holds samples {decibels(peak):.0f} dB above full scale, which in a "
            "float recording is 1: it is damaged, or no sound.",
        )
    if decibels(peak) < limits.silence_db:
        raise UnusableRecording(
            "silent",
            f"It is silent: no sample comes within {-limits.silence_db:.0f} dB of "
            "full scale.",
        )


def _cautions(
    source: Source, duration_s: float, gain: float, level: Level, mono: Level
) -> Iterator[Caution]:
    declared_s = source.declared_s
    if declared_s and abs(declared_s - duration_s) > LENGTH_TOLERANCE_S:
        yield Caution(
            "length_differs",
            f"Its header says {declared_s:.2f} s, decoded it lasts {duration_s:.2f} s; "
            "the decoded length is used.",
        )
    if source.channels > 2:
        yield Caution(
            "mixed_down", f"Its {source.channels} channels are averaged into one."
        )
    if decibels(gain) < -0.5:
        yield Caution(
            "turned_down",
            f"It goes above full scale and is turned down by {-decibels(gain):.1f} dB "
            "instead of being clipped.",
        )
    if mono.ungated_lufs < level.ungated_lufs - 12:
        yield Caution(
            "channels_cancel",
            "Its two channels cancel each other: mixed to one, as replies that are "
            "matched in loudness are, it nearly vanishes.",
        )


def _write_as_is(
    path: Path, out: Path, found: Survey, limits: Limits
) -> tuple[Level, Level, float]:
    """Write the rendition; return its level, that of its mono mix, and the gain."""
    gain = 1.0 if found.peak <= 1 else FULL_SCALE / found.peak
    while True:
        source = open_source(path, limits)
        try:
            channels = 1 if found.is_mono else 2
            meter, mono_meter = LoudnessMeter(channels), LoudnessMeter(1)
            with Writer(out, channels) as writer:
                for block in at_served_rate(_laid_out(source, channels), source):
                    block *= np.float32(gain)
                    meter.take(block)
                    if channels == 2:
                        mono_meter.take(mixed(block))
                    writer.write(block)
        finally:
            source.close()
        if meter.peak <= 1:
            break
        # Resampling can lift a peak above full scale; a little less gain is exact.
        gain *= FULL_SCALE / meter.peak
    level = meter.level()
    return level, mono_meter.level() if channels == 2 else level, gain


def _laid_out(source: Source, channels: int) -> Iterator[Samples]:
    """Yield blocks of as many channels as are served.

    Two equal channels become their first; more than two become their mean, which
    keeps what any single microphone or speaker carried.
    """
    for block in source.blocks():
        if channels == 2:
            yield block
        elif source.channels > 2:
            yield mixed(block)
        else:
            yield np.ascontiguousarray(block[:, :1])


def at_served_rate(blocks: Iterator[Samples], source: Source) -> Iterator[Samples]:
    """Yield blocks at 48 kHz, new arrays that the caller may change."""
    if source.rate_hz == RATE_HZ:
        for block in blocks:
            yield np.array(block)
        return
    stream = None
    for block in blocks:
        if stream is None:
            stream = soxr.ResampleStream(
                source.rate_hz, RATE_HZ, block.shape[1], dtype="float32"
            )
            n_channels = block.shape[1]
        # A low rate makes a block many times longer.
        n_at_once = max(1, BLOCK_SAMPLES * source.rate_hz // RATE_HZ)
        for start in range(0, len(block), n_at_once):
            yield stream.resample_chunk(block[start : start + n_at_once])
    if stream is not None:
        yield stream.resample_chunk(np.zeros((0, n_channels), np.float32), last=True)


def _spoken(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:g} s"
    return f"{seconds / 60:g} minutes"
