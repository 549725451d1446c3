"""What preparing a recording takes and gives: limits, results, faults."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEBIBYTE = 2**20
RATE_HZ = 48_000
"""The one sample rate of everything that is served."""


class UnusableRecording(Exception):
    """The recording cannot be used; the text says why in plain words.

    The text never holds the file's name or path: the caller adds the name it knows
    the recording by.

    Attributes
    ----------
    reason : str
        A stable key for tests, counts and translations: "missing", "empty",
        "too_large", "unknown_format", "undecodable", "no_audio", "truncated",
        "corrupt", "not_finite", "silent", "too_short", "too_long", "bad_rate",
        "bad_channels", "clips", "not_written", "timeout", "memory" or "crash".
    message : str
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class SoundUnavailable(RuntimeError):
    """The child process does not start: a fault of the installation, not of a file."""


@dataclass(frozen=True)
class Limits:
    """What a recording, and the child that decodes it, may take.

    Attributes
    ----------
    min_duration_s, max_duration_s : float
    max_bytes : int
        Size of the original file.
    silence_db : float
        A recording whose largest sample (dBFS) is below this is silent.
    min_rate_hz, max_rate_hz, max_channels : int
        Outside these a header is taken to be nonsense.
    memory_bytes : int
        Address space of the child. About 360 MiB of it is libraries, mapped and
        mostly never touched.
    timeout_s, timeout_s_per_mebibyte, max_timeout_s : float
        Wall clock (and processor) time for one file: the first plus the second for
        every mebibyte of the file, at most the third.
    """

    min_duration_s: float = 0.1
    max_duration_s: float = 7200.0
    max_bytes: int = 1024 * MEBIBYTE
    silence_db: float = -70.0
    min_rate_hz: int = 4_000
    max_rate_hz: int = 384_000
    max_channels: int = 32
    memory_bytes: int = 1024 * MEBIBYTE
    timeout_s: float = 60.0
    timeout_s_per_mebibyte: float = 2.0
    max_timeout_s: float = 1200.0

    def time_for(self, n_bytes: int) -> float:
        """Return the seconds a file of `n_bytes` may take."""
        scaled = self.timeout_s + self.timeout_s_per_mebibyte * n_bytes / MEBIBYTE
        return min(scaled, self.max_timeout_s)


@dataclass(frozen=True)
class Caution:
    """Something a person should know about a recording that can be used.

    Attributes
    ----------
    key : {"length_differs", "video", "several_streams", "mixed_down", "turned_down",
           "channels_cancel"}
    text : str
    """

    key: str
    text: str


@dataclass(frozen=True)
class Level:
    """How loud a signal is.

    Attributes
    ----------
    lufs : float or None
        Integrated loudness, ITU-R BS.1770-5, gated. None when no block of 400 ms
        passes the gate at -70 LUFS: the recording is too short or too quiet.
    ungated_lufs : float
        The same weighting, averaged over every sample without any gate. Defined for
        every signal that is not digital silence, which has -200 here and as peak.
    peak_db : float
        Largest sample at 48 kHz in dBFS, not an oversampled true peak: the waveform
        between samples may reach higher, mostly by less than 1 dB.
    """

    lufs: float | None
    ungated_lufs: float
    peak_db: float

    @property
    def matching(self) -> tuple[float, float]:
        """Return (loudness, peak) as `matching_gains` takes them.

        Where there is no gated loudness the ungated one stands in; on speech without
        long pauses the two differ by little.
        """
        return (
            self.ungated_lufs if self.lufs is None else self.lufs,
            self.peak_db,
        )


@dataclass(frozen=True)
class Rendition:
    """A file made for serving: FLAC, 16 bit, 48 kHz, no tags.

    Attributes
    ----------
    path : Path
    duration_s : float
    channels : {1, 2}
    gain_db : float
        What the samples were multiplied by, against the file it was made from.
    peak_db : float
        Largest sample of this file, dBFS.
    peaks : list of int
        For the waveform: 200 to 1,200 buckets of equal length that cover the whole
        file, each its largest absolute sample, 0..255.
    """

    path: Path
    duration_s: float
    channels: int
    gain_db: float
    peak_db: float
    peaks: list[int]


@dataclass(frozen=True)
class Prepared:
    """A recording that can be used, and its rendition `as_is`.

    Attributes
    ----------
    sha256 : str
        Of the original's bytes.
    n_bytes : int
        Size of the original.
    container, codec : str
        What the original's content is ("WAV", "PCM_16"), whatever it is called.
    sample_rate_hz, channels : int
        Of the original, as decoded.
    duration_s : float
        True duration: decoded frames over sample rate.
    declared_s : float or None
        What the header says; None where it says nothing.
    level : Level
        Of the rendition `as_is`.
    mono_level : Level
        Of its mono mix, which is what `match` is made of: gains between replies are
        computed from this. It equals `level` when the rendition is mono.
    as_is : Rendition
    cautions : list of Caution
    """

    sha256: str
    n_bytes: int
    container: str
    codec: str
    sample_rate_hz: int
    channels: int
    duration_s: float
    declared_s: float | None
    level: Level
    mono_level: Level
    as_is: Rendition
    cautions: list[Caution]


def rendition_from_json(found: dict[str, Any]) -> Rendition:
    """Rebuild a rendition from the child's answer."""
    return Rendition(**{**found, "path": Path(found["path"])})


def prepared_from_json(found: dict[str, Any]) -> Prepared:
    """Rebuild a prepared recording from the child's answer."""
    return Prepared(
        **{
            **found,
            "level": Level(**found["level"]),
            "mono_level": Level(**found["mono_level"]),
            "as_is": rendition_from_json(found["as_is"]),
            "cautions": [Caution(**caution) for caution in found["cautions"]],
        }
    )
