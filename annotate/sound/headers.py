"""How long a file says it is. Standard library only.

libsndfile corrects a header that promises more than the file holds, and so hides that
a file was cut short; here the header is read as it stands.
"""

import os
import struct
from dataclasses import dataclass
from typing import BinaryIO

from annotate.sound.sniff import AIFF, WAV, Kind, id3_length

_UNKNOWN_LENGTHS = range(0x7FFF_0000, 0x1_0000_0000)
"""Data sizes written by programs that stream and do not know the length."""

_ADPCM_TAGS = (0x0002, 0x0011)
_ADPCM_BLOCK_S = 0.3
_MAX_CHUNKS = 1000


@dataclass(frozen=True)
class Declared:
    """What a header says of the recording's length.

    Attributes
    ----------
    seconds : float or None
        None where the header says nothing or nonsense.
    n_frames : int or None
        Where decoding must stop although the decoder has more to give: ADPCM fills
        its last block up, and only the header tells where the recording ends.
    """

    seconds: float | None = None
    n_frames: int | None = None


def declared_length(file: BinaryIO, kind: Kind) -> Declared | None:
    """Return what the header of `file` says; None for kinds not read here."""
    readers = {WAV: _of_wav, AIFF: _of_aiff}
    if kind not in readers:
        return None
    try:
        return readers[kind](file)
    except (struct.error, ZeroDivisionError, OverflowError):
        return Declared()
    finally:
        file.seek(0)


def mp3_length(file: BinaryIO) -> float | None:
    """Return the seconds that an MP3's Xing, Info or VBRI header states, if it has one.

    What an encoder added before and after the recording is included: up to 0.15 s.
    Without such a header players guess from the bit rate, and drift.
    """
    file.seek(0)
    head = file.read(10)
    file.seek(id3_length(head) if head.startswith(b"ID3") else 0)
    frame = file.read(4096).lstrip(b"\0")[:200]
    file.seek(0)
    if len(frame) < 60:
        return None
    version, rate_index = frame[1] >> 3 & 3, frame[2] >> 2 & 3
    if rate_index == 3:
        return None
    # Version 3 is MPEG 1, 2 is MPEG 2 (half the rates), 0 is MPEG 2.5 (a quarter).
    rate = (44_100, 48_000, 32_000)[rate_index] >> {3: 0, 2: 1}.get(version, 2)
    per_frame = 1152 if version == 3 else 576
    for mark, offset in ((b"Xing", 8), (b"Info", 8), (b"VBRI", 14)):
        at = frame.find(mark)
        if at >= 0:
            (n_frames,) = struct.unpack_from(">I", frame, at + offset)
            has_count = mark == b"VBRI" or frame[at + 7] & 1
            return n_frames * per_frame / rate if has_count else None
    return None


def _of_wav(file: BinaryIO) -> Declared:
    file.seek(0)
    order = ">" if file.read(4) == b"RIFX" else "<"
    tag, rate, bytes_per_s, fact, long_size = 0, 0, 0, 0, 0
    file.seek(12)
    for _ in range(_MAX_CHUNKS):
        name, size = struct.unpack(f"{order}4sI", file.read(8))
        if name == b"data":
            break
        body = file.read(min(size, 64))
        if name == b"fmt ":
            tag, _, rate, bytes_per_s = struct.unpack(f"{order}HHII", body[:12])
        elif name == b"fact":
            (fact,) = struct.unpack(f"{order}I", body[:4])
        elif name == b"ds64":
            (long_size,) = struct.unpack(f"{order}Q", body[8:16])
        file.seek(size - len(body) + size % 2, os.SEEK_CUR)
    else:
        return Declared()
    if long_size and size == 0xFFFF_FFFF:
        size = long_size
    elif size == 0 or size in _UNKNOWN_LENGTHS:
        return Declared()
    seconds = size / bytes_per_s
    # Some programs count each channel's samples; such a count is of no use.
    if tag in _ADPCM_TAGS and abs(fact / rate - seconds) < _ADPCM_BLOCK_S:
        return Declared(fact / rate, n_frames=fact)
    return Declared(seconds)


def _of_aiff(file: BinaryIO) -> Declared:
    file.seek(12)
    for _ in range(_MAX_CHUNKS):
        name, size = struct.unpack(">4sI", file.read(8))
        if name == b"COMM":
            _, n_frames, _, exponent, mantissa = struct.unpack(">hIhHQ", file.read(18))
            rate = mantissa * 2.0 ** ((exponent & 0x7FFF) - 16383 - 63)
            return Declared(n_frames / rate) if 0 < rate < 1e9 else Declared()
        file.seek(size + size % 2, os.SEEK_CUR)
    return Declared()
