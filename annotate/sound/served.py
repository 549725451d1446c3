"""Renditions as files: writing, matching, reading for peaks. Child process only."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from annotate.sound.decode import BLOCK_SAMPLES, Samples
from annotate.sound.loudness import amplitude_of, decibels
from annotate.sound.outcome import RATE_HZ, Rendition, UnusableRecording

PEAKS_PER_S = 20
MIN_PEAKS, MAX_PEAKS = 200, 1200


class Writer:
    """Writes FLAC, 16 bit, 48 kHz, without tags; the file appears when it is whole."""

    def __init__(self, out: Path, channels: int) -> None:
        self.n_frames = 0
        self._out = out
        self._part = part_of(out)
        self._file = soundfile.SoundFile(
            self._part, "w", RATE_HZ, channels, subtype="PCM_16", format="FLAC"
        )

    def __enter__(self) -> "Writer":
        return self

    def write(self, block: Samples) -> None:
        """Write samples with full scale at 1; 1 itself becomes the largest step."""
        self.n_frames += len(block)
        steps = np.rint(block * np.float32(32768))
        try:
            self._file.write(np.clip(steps, -32768, 32767).astype(np.int16))
        except soundfile.LibsndfileError as error:
            raise not_written(error.error_string) from None

    def __exit__(self, error_type: object, *_: object) -> None:
        self._file.close()
        if error_type is None:
            # Closing reports no full disk; the length that can be read back does.
            if soundfile.info(self._part).frames != self.n_frames:
                raise not_written("it is shorter than it should be")
            self._part.replace(self._out)


def not_written(why: str) -> UnusableRecording:
    """Return the fault of a rendition that could not be stored."""
    return UnusableRecording(
        "not_written",
        f"Its playable copy could not be written ({why}); is the disk full?",
    )


def part_of(out: Path) -> Path:
    """Return where a rendition grows before it is whole."""
    return out.with_name(out.name + ".part")


def match(rendition: Path, out: Path, gain_db: float) -> Rendition:
    """Write the mono mix of a rendition, raised by `gain_db`, to `out`.

    Raises
    ------
    UnusableRecording
        "clips": the gain would push a sample above full scale; "silent": its channels
        cancel each other. Nothing is written.
    """
    factor = np.float32(amplitude_of(gain_db))
    peak = 0.0
    with Writer(out, 1) as writer:
        for block in served_blocks(rendition):
            mono = mixed(block.astype(np.float32)) * (factor / np.float32(32768))
            peak = max(peak, float(np.abs(mono).max()))
            if peak > 1:
                raise UnusableRecording(
                    "clips",
                    f"A gain of {gain_db:+.1f} dB would clip it: its peak would be "
                    f"{decibels(peak):.1f} dB above full scale.",
                )
            writer.write(mono)
        if peak == 0:
            raise UnusableRecording(
                "silent",
                "Its two channels cancel each other: mixed to one, it is silent.",
            )
    peaks, n_frames, _ = waveform_peaks(out)
    return Rendition(out, n_frames / RATE_HZ, 1, gain_db, decibels(peak), peaks)


def served_blocks(path: Path) -> Iterator[npt.NDArray[np.int16]]:
    """Yield the samples of a rendition, shape (n_frames, n_channels)."""
    with soundfile.SoundFile(path) as file:
        if (file.format, file.samplerate) != ("FLAC", RATE_HZ):
            raise UnusableRecording("unknown_format", "It is not a rendition.")
        while len(
            block := file.read(
                BLOCK_SAMPLES // file.channels, dtype="int16", always_2d=True
            )
        ):
            yield block


def waveform_peaks(path: Path) -> tuple[list[int], int, int]:
    """Return the peaks of a rendition as it is served, its frames and channels.

    Bucket i of n holds the frames from i * n_frames // n up to the next bucket's.
    """
    with soundfile.SoundFile(path) as file:
        n_frames, channels = file.frames, file.channels
    n_buckets = min(MAX_PEAKS, max(MIN_PEAKS, n_frames * PEAKS_PER_S // RATE_HZ))
    edges = np.arange(n_buckets) * n_frames // n_buckets
    largest = np.zeros(n_buckets, dtype=np.int64)
    at = 0
    for block in served_blocks(path):
        loud = np.abs(block.astype(np.int32)).max(axis=1)
        first = int(np.searchsorted(edges, at, side="right")) - 1
        last = int(np.searchsorted(edges, at + len(loud), side="left"))
        starts = np.maximum(edges[first:last] - at, 0)
        found = np.maximum.reduceat(loud, starts)
        largest[first:last] = np.maximum(largest[first:last], found)
        at += len(loud)
    scaled = np.rint(largest * (255 / 32768)).astype(int).tolist()
    return scaled, n_frames, channels


def mixed(block: Samples) -> Samples:
    """Return the mean of the channels, shape (n_frames, 1)."""
    if block.shape[1] == 1:
        return block
    mean: Samples = block.mean(axis=1, keepdims=True, dtype=np.float32)
    return mean
