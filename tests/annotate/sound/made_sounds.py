"""Sounds made for the tests, and files of every kind that hold them."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import soundfile

Signal = npt.NDArray[np.float64]


def tone(
    duration_s: float = 1.0,
    rate_hz: int = 48_000,
    frequency_hz: float = 997.0,
    amplitude: float = 0.25,
) -> Signal:
    """Return a sine, shape (n_frames,), full scale at 1."""
    at_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return amplitude * np.sin(2 * np.pi * frequency_hz * at_s)


def speechlike(duration_s: float = 3.0, rate_hz: int = 24_000, seed: int = 1) -> Signal:
    """Return noise that swells and pauses four times a second, shape (n_frames,)."""
    drawn = np.random.default_rng(seed).standard_normal(round(duration_s * rate_hz))
    smooth = np.convolve(drawn, np.hanning(12) / 12, mode="same")
    swell = np.clip(np.sin(2 * np.pi * 4 * np.arange(len(drawn)) / rate_hz), 0, 1)
    return 0.4 * smooth * (0.05 + swell)


def written(path: Path, signal: Signal, rate_hz: int = 48_000, **how: str) -> Path:
    """Write `signal` by libsndfile and return the path."""
    soundfile.write(path, signal, rate_hz, **how)
    return path


def encoded(
    path: Path,
    signal: Signal,
    rate_hz: int,
    codec: str,
    container: str,
    tags: dict[str, str] | None = None,
    n_pictures: int = 0,
    n_tracks: int = 1,
) -> Path:
    """Write `signal` by FFmpeg, beside black pictures where they are asked for."""
    with av.open(str(path), "w", format=container) as file:
        file.metadata.update(tags or {})
        pictures = None
        if n_pictures:
            pictures = file.add_stream("mpeg4", rate=25)
            pictures.width = pictures.height = 64
            pictures.pix_fmt = "yuv420p"
        tracks = [file.add_stream(codec, rate=rate_hz) for _ in range(n_tracks)]
        for track in tracks:
            track.layout = "mono"
        for i in range(n_pictures):
            picture = av.VideoFrame(64, 64, "yuv420p")
            picture.pts, picture.time_base = i, Fraction(1, 25)
            file.mux(pictures.encode(picture))
        if pictures:
            file.mux(pictures.encode(None))
        for track in tracks:
            _encode(file, track, signal, rate_hz)
    return path


def _encode(file, track, signal: Signal, rate_hz: int) -> None:
    resampler = av.AudioResampler(
        format=track.codec_context.format, layout="mono", rate=rate_hz
    )
    for start in range(0, len(signal), 960):
        block = signal[start : start + 960].astype(np.float32)[None, :]
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = rate_hz, start
        frame.time_base = Fraction(1, rate_hz)
        for fitting in resampler.resample(frame):
            file.mux(track.encode(fitting))
    file.mux(track.encode(None))


def rewrapped(path: Path, source: Path, container: str) -> Path:
    """Copy the sound of `source` unchanged into another container."""
    with av.open(str(source)) as old, av.open(str(path), "w", format=container) as new:
        track = new.add_stream_from_template(old.streams.audio[0])
        for packet in old.demux(old.streams.audio[0]):
            if packet.dts is not None:
                packet.stream = track
                new.mux(packet)
    return path


def with_bytes(path: Path, content: bytes) -> Path:
    """Write `content` and return the path."""
    path.write_bytes(content)
    return path
