"""Recordings as blocks of samples, by libsndfile or FFmpeg. Child process only."""

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import soundfile

from annotate.sound.headers import declared_length
from annotate.sound.ogg import refuse_broken_ogg
from annotate.sound.outcome import Caution, Limits, UnusableRecording
from annotate.sound.sniff import OGG, Kind, kind_of

Samples = npt.NDArray[np.float32]
"""Shape (n_frames, n_channels), full scale at 1."""

BLOCK_SAMPLES = 2**16
"""Samples of all channels together that are in memory at once."""

_LONGEST_ADPCM_BLOCK = 8192


class Source(Protocol):
    """An opened recording; `blocks` can be taken once.

    Attributes
    ----------
    container, codec : str
    rate_hz, channels : int
    declared_s : float or None
        What the header says; None where it says nothing.
    is_declared_exact : bool
        Whether a shorter decoded length means that something is missing. False where
        the length is a guess from the bit rate.
    cautions : list of Caution
    """

    container: str
    codec: str
    rate_hz: int
    channels: int
    declared_s: float | None
    is_declared_exact: bool
    cautions: list[Caution]

    def blocks(self) -> Iterator[Samples]:
        """Yield the recording from start to end; raise "corrupt" at a broken frame."""

    def close(self) -> None:
        """Let go of the file."""


def open_source(path: Path, limits: Limits) -> Source:
    """Open the recording at `path` by its content, whatever its name is.

    Raises
    ------
    UnusableRecording
        It is not audio, cannot be decoded, or its header is nonsense.
    """
    with path.open("rb") as file:
        kind = kind_of(file)
        if kind == OGG:
            refuse_broken_ogg(file)
    source = _opened(path, kind)
    try:
        if not limits.min_rate_hz <= source.rate_hz <= limits.max_rate_hz:
            raise UnusableRecording(
                "bad_rate",
                f"Its header gives a sample rate of {source.rate_hz:,} Hz; it must lie "
                f"between {limits.min_rate_hz:,} and {limits.max_rate_hz:,} Hz.",
            )
        if not 1 <= source.channels <= limits.max_channels:
            raise UnusableRecording(
                "bad_channels",
                f"Its header gives {source.channels} channels; it must have 1 to "
                f"{limits.max_channels}.",
            )
    except UnusableRecording:
        source.close()
        raise
    return source


def _opened(path: Path, kind: Kind) -> Source:
    if kind.soundfile:
        try:
            source = SoundFileSource(path, kind)
            # A header that was never finished promises no frames; FFmpeg reads on.
            if source.n_promised or kind.av_format is None:
                return source
            source.close()
        except soundfile.LibsndfileError as error:
            if kind.av_format is None:
                raise undecodable(kind, error.error_string) from None
    # FFmpeg costs 50 ms and 40 MB to load, and most files do not need it.
    from annotate.sound.decode_av import AvSource

    return AvSource(path, kind)


def undecodable(kind: Kind, why: str) -> UnusableRecording:
    """Return the fault of a file that no decoder opens."""
    return UnusableRecording(
        "undecodable",
        f"It looks like {kind.container} but cannot be decoded: {_as_clause(why)}.",
    )


def _as_clause(why: str) -> str:
    """Return a library's message without its full stop and its opening capital.

    Raises
    ------
    MemoryError
        That is what the message is about: the limit ended it, not the file.
    """
    if "malloc" in why or "allocate memory" in why:
        raise MemoryError(why)
    why = " ".join(why.split()).rstrip(".")
    return why[:1].lower() + why[1:]


class SoundFileSource:
    """A recording read by libsndfile."""

    def __init__(self, path: Path, kind: Kind) -> None:
        with path.open("rb") as file:
            declared = declared_length(file, kind)
        # Opened by number, so that the file's name cannot decide what it is.
        descriptor = os.open(path, os.O_RDONLY)
        try:
            self._file = soundfile.SoundFile(descriptor, closefd=False)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self.container = kind.container
        self.codec = self._file.subtype
        self.rate_hz = self._file.samplerate
        self.channels = self._file.channels
        self.is_declared_exact = True
        self.cautions: list[Caution] = []
        self.n_promised: int = self._file.frames
        self._n_wanted: float = math.inf
        self.declared_s: float | None = None
        if declared is None:
            # libsndfile gives 2**63 - 1 where it does not know.
            if 0 < self.n_promised < 2**62 and self.rate_hz > 0:
                self.declared_s = self.n_promised / self.rate_hz
        else:
            self.declared_s = declared.seconds
            surplus = self.n_promised - (declared.n_frames or 0)
            if declared.n_frames and 0 <= surplus < _LONGEST_ADPCM_BLOCK:
                self._n_wanted = declared.n_frames

    def blocks(self) -> Iterator[Samples]:
        """Yield the recording from start to end."""
        n_block = max(1, BLOCK_SAMPLES // self.channels)
        n_left = self._n_wanted
        while n_left > 0:
            try:
                block = self._file.read(
                    int(min(n_block, n_left)), dtype="float32", always_2d=True
                )
            except soundfile.LibsndfileError as error:
                raise broken_frame(error.error_string) from None
            if not len(block):
                return
            n_left -= len(block)
            yield block

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        os.close(self._descriptor)


def broken_frame(why: str) -> UnusableRecording:
    """Return the fault of a decoder that met bytes it cannot read."""
    return UnusableRecording(
        "corrupt",
        "It is damaged or cut short: the decoder stopped in the middle "
        f"({_as_clause(why)}).",
    )
