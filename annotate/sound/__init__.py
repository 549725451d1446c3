"""Recordings made playable, measured and matched, in a guarded child process.

Importing this package is light: numpy and the decoders are imported by the child only.
"""

from annotate.sound.guard import SoundWorker, match_loudness, prepare_recording
from annotate.sound.matching import matching_gains
from annotate.sound.outcome import (
    Caution,
    Level,
    Limits,
    Prepared,
    Rendition,
    SoundUnavailable,
    UnusableRecording,
)

__all__ = [
    "Caution",
    "Level",
    "Limits",
    "Prepared",
    "Rendition",
    "SoundUnavailable",
    "SoundWorker",
    "UnusableRecording",
    "match_loudness",
    "matching_gains",
    "prepare_recording",
]
