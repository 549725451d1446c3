"""Recordings read by FFmpeg: what libsndfile cannot. Child process only."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition

from annotate.sound.decode import Samples, broken_frame, undecodable
from annotate.sound.outcome import Caution, UnusableRecording
from annotate.sound.sniff import ADTS, Kind

_CODECS = ("aac", "alac", "flac", "mp3", "mp2", "opus", "vorbis", "pcm_", "adpcm_")
_CODECS += ("speex",)


class AvSource:
    """A recording read by FFmpeg: the first audio stream of its container."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self._kind = kind
        self._file = path.open("rb")
        try:
            self._open()
        except FFmpegError as error:
            self._file.close()
            raise undecodable(kind, error.strerror or "invalid data") from None
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
        codec = stream.codec_context.name if stream.codec_context else "unknown"
        if not codec.startswith(_CODECS):
            raise UnusableRecording(
                "undecodable", f"Its sound is in {codec!r}, which is not read here."
            )
        stream.codec_context.thread_count = 1
        self.container = self._kind.container
        self.codec = codec
        self.cautions = _cautions(container)
        self.is_declared_exact = self._kind != ADTS
        self.is_cut = False
        self.declared_s = _declared_s(container, stream)
        # The header of an AAC file may give half the rate it is decoded at (HE-AAC),
        # so rate and channels are those of the first frame.
        self._frames = self._decoded(stream)
        first = next(self._frames, None)
        if first is None:
            raise UnusableRecording("no_audio", "Its sound track is empty.")
        self._first = first
        self.rate_hz = first.sample_rate
        self.channels = first.layout.nb_channels

    def _decoded(self, stream: AudioStream) -> Iterator[AudioFrame]:
        try:
            for packet in self._container.demux(stream):
                for frame in packet.decode():
                    if frame.is_corrupt:
                        raise broken_frame("a damaged frame")
                    if frame.samples:
                        yield frame
        except FFmpegError as error:
            raise broken_frame(error.strerror or "invalid data") from None

    def blocks(self) -> Iterator[Samples]:
        """Yield the recording from start to end; raise "corrupt" at a broken frame."""
        for frame in chain([self._first], self._frames):
            if (frame.sample_rate, frame.layout.nb_channels) != (
                self.rate_hz,
                self.channels,
            ):
                raise UnusableRecording(
                    "corrupt", "It changes its sample rate or channels on the way."
                )
            yield _samples(frame)

    def close(self) -> None:
        """Let go of the file."""
        self._container.close()
        self._file.close()


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
    found = frame.to_ndarray()
    if frame.format.is_planar:
        found = found.T
    else:
        found = found.reshape(-1, frame.layout.nb_channels)
    if found.dtype == np.uint8:
        return (found.astype(np.float32) - 128) / 128
    if np.issubdtype(found.dtype, np.integer):
        return (found / -float(np.iinfo(found.dtype).min)).astype(np.float32)
    return found.astype(np.float32)
