"""Recordings read by FFmpeg: what libsndfile cannot. Child process only."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition

from annotate.sound.decode import BLOCK_SAMPLES, Samples, broken_frame, undecodable
from annotate.sound.headers import mp3_length
from annotate.sound.outcome import Caution, UnusableRecording
from annotate.sound.sniff import ADTS, MP3, Kind

_FAILURES = (FFmpegError, OSError, ValueError, OverflowError)
"""FFmpeg's own, and those of a file object sent to a place that cannot be."""

_CODECS = (
    *("aac", "alac", "flac", "mp2", "mp3", "opus", "speex", "vorbis"),
    *("adpcm_", "pcm_"),
)


class AvSource:
    """A recording read by FFmpeg: the first audio stream of its container."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self._kind = kind
        self._file = path.open("rb")
        self._mp3_length_s = mp3_length(self._file) if kind == MP3 else None
        try:
            self._open()
        except _FAILURES as error:
            self._file.close()
            raise undecodable(kind, _why(error)) from None
        except BaseException:
            self._file.close()
            raise

    def _open(self) -> None:
        # FFmpeg gets a file object and the format by name: it neither sees a path nor
        # guesses, and so cannot be led to open anything else.
        container = av.open(
            self._file,
            mode="r",
            format=self._kind.av_format,
            metadata_errors="ignore",
        )
        assert isinstance(container, InputContainer)
        self._container = container
        if not container.streams.audio:
            raise UnusableRecording("no_audio", "It holds no sound track.")
        stream = container.streams.audio[0]
        codec = (
            stream.codec_context.codec.canonical_name
            if stream.codec_context
            else "unknown"
        )
        if not codec.startswith(_CODECS):
            raise UnusableRecording(
                "undecodable", f"Its sound is in {codec!r}, which is not read here."
            )
        stream.codec_context.thread_count = 1
        self.container = self._kind.container
        self.codec = codec
        self.cautions = _cautions(container)
        self.declared_s = _declared_s(container, stream)
        self.is_declared_exact = self._kind != ADTS
        if self._kind == MP3:
            # FFmpeg guesses where the header seems wrong to it.
            self.is_declared_exact = (
                self._mp3_length_s is not None
                and self.declared_s is not None
                and abs(self._mp3_length_s - self.declared_s) < 0.2
            )
        # The header of an AAC file may give half the rate it is decoded at (HE-AAC),
        # so rate and channels are those of the first frame.
        self._frames = self._decoded(stream)
        first = next(self._frames, None)
        if first is None:
            raise UnusableRecording("no_audio", "No sound could be decoded from it.")
        self._first = first
        self.rate_hz = first.sample_rate
        self.channels = first.layout.nb_channels

    def _decoded(self, stream: AudioStream) -> Iterator[AudioFrame]:
        has_begun, fault = False, None
        try:
            for packet in self._container.demux(stream):
                try:
                    frames = packet.decode()
                except _FAILURES as error:
                    # Junk before or after the frames of an MP3 is common and harmless,
                    # between them it is damage.
                    if self._kind != MP3:
                        raise
                    fault = broken_frame(_why(error)) if has_begun else None
                    continue
                for frame in frames:
                    if fault:
                        raise fault
                    if frame.is_corrupt:
                        raise broken_frame("a damaged frame")
                    if frame.samples:
                        has_begun = True
                        yield frame
        except _FAILURES as error:
            if not has_begun:
                raise undecodable(self._kind, _why(error)) from None
            raise broken_frame(_why(error)) from None

    def blocks(self) -> Iterator[Samples]:
        """Yield the recording from start to end; raise "corrupt" at a broken frame."""
        gathered: list[Samples] = []
        n_gathered = 0
        for frame in chain([self._first], self._frames):
            if (frame.sample_rate, frame.layout.nb_channels) != (
                self.rate_hz,
                self.channels,
            ):
                raise UnusableRecording(
                    "corrupt", "It changes its sample rate or channels on the way."
                )
            # A frame lasts 20 ms or so; handed on singly, most of the time would go
            # into calls.
            gathered.append(_samples(frame))
            n_gathered += gathered[-1].size
            if n_gathered >= BLOCK_SAMPLES:
                yield np.concatenate(gathered)
                gathered, n_gathered = [], 0
        if gathered:
            yield np.concatenate(gathered)

    def close(self) -> None:
        """Let go of the file."""
        self._container.close()
        self._file.close()


def _why(error: Exception) -> str:
    """Return the reason without the name of the file or the call."""
    return getattr(error, "strerror", None) or "invalid data"


def _cautions(container: InputContainer) -> list[Caution]:
    cautions = []
    moving = [
        stream
        for stream in container.streams.video
        if not stream.disposition & Disposition.attached_pic
    ]
    if moving:
        cautions.append(
            Caution("video", "It is a video; only its sound track is used.")
        )
    n_audio = len(container.streams.audio)
    if n_audio > 1:
        cautions.append(
            Caution(
                "several_streams",
                f"It holds {n_audio} sound tracks; only the first is used.",
            )
        )
    return cautions


def _declared_s(container: InputContainer, stream: AudioStream) -> float | None:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    if container.duration is not None:
        return container.duration / av.time_base
    return None


def _samples(frame: AudioFrame) -> Samples:
    """Return a frame's samples, shape (n_frames, n_channels), full scale at 1."""
    found: npt.NDArray[Any] = frame.to_ndarray()
    if frame.format.is_planar:
        found = found.T
    else:
        found = found.reshape(-1, frame.layout.nb_channels)
    if found.dtype == np.uint8:
        return (found.astype(np.float32) - np.float32(128)) / np.float32(128)
    if found.dtype.kind == "i":
        full_scale = 2.0 ** (8 * found.dtype.itemsize - 1)
        return (found / full_scale).astype(np.float32)
    return found.astype(np.float32)
