"""What a file is by its first bytes, whatever it is called. Standard library only.

Only what is recognised here ever reaches a decoder, and the decoder is told which
format to read: a playlist or a script named .mp3 is refused, not followed.
"""

from dataclasses import dataclass
from typing import BinaryIO

from annotate.sound.outcome import UnusableRecording

HEAD_BYTES = 4096
READABLE = "WAV, FLAC, Ogg (Vorbis, Opus), MP3, AIFF, AU, CAF, AAC, M4A/MP4, WebM"

_OTHER_FILES = (
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a Windows Media (WMA) file"),
    (b"#!AMR", "an AMR file"),
    (b"MThd", "a MIDI file"),
    (b"FLV\x01", "a Flash video"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"#EXTM3U", "a playlist"),
    (b"version https://git-lfs", "a Git LFS pointer, not the recording itself"),
)


@dataclass(frozen=True)
class Kind:
    """A container format and who reads it.

    Attributes
    ----------
    container : str
    soundfile : bool
        Whether libsndfile is tried first.
    av_format : str or None
        FFmpeg's demuxer, used where libsndfile is not or cannot; None where only
        libsndfile will do.
    """

    container: str
    soundfile: bool
    av_format: str | None


WAV = Kind("WAV", True, "wav")
W64 = Kind("W64", True, "w64")
AIFF = Kind("AIFF", True, "aiff")
FLAC = Kind("FLAC", True, None)
OGG = Kind("OGG", True, "ogg")
# libsndfile stops where the length it guessed from the bit rate ends.
MP3 = Kind("MP3", False, "mp3")
AU = Kind("AU", True, None)
CAF = Kind("CAF", True, "caf")
ADTS = Kind("AAC", False, "aac")
MP4 = Kind("MP4", False, "mov")
WEBM = Kind("WebM", False, "matroska")


def kind_of(file: BinaryIO) -> Kind:
    """Return what kind of recording `file` holds, and leave it at its start.

    Raises
    ------
    UnusableRecording
        "unknown_format": it is none of the formats that are read.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    if head.startswith(b"ID3") and len(head) >= 10:
        file.seek(id3_length(head))
        head = file.read(HEAD_BYTES)
    file.seek(0)
    kind = _kind_of_head(head)
    if kind is None:
        raise UnusableRecording("unknown_format", _what_instead(head))
    return kind


def id3_length(head: bytes) -> int:
    """Return the length in bytes of the ID3v2 tag that `head` starts with."""
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size


def _kind_of_head(head: bytes) -> Kind | None:
    if head[:4] in (b"RIFF", b"RIFX", b"RF64") and head[8:12] == b"WAVE":
        return WAV
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return AIFF
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide"):
        return MP4
    for magic, kind in (
        (b"riff\x2e\x91\xcf\x11", W64),
        (b"fLaC", FLAC),
        (b"OggS", OGG),
        (b".snd", AU),
        (b"caff", CAF),
        (b"\x1a\x45\xdf\xa3", WEBM),
    ):
        if head.startswith(magic):
            return kind
    return _kind_of_frame(head.lstrip(b"\0"))


def _kind_of_frame(head: bytes) -> Kind | None:
    """Tell MPEG audio and ADTS AAC, which have no header but each frame's own."""
    if len(head) < 4 or head[0] != 0xFF:
        return None
    if head[1] & 0xF6 == 0xF0:
        return ADTS
    is_mpeg = head[1] & 0xE0 == 0xE0 and head[1] & 0x18 != 0x08
    has_layer = head[1] & 0x06 != 0
    has_rates = head[2] & 0xF0 not in (0x00, 0xF0) and head[2] & 0x0C != 0x0C
    return MP3 if is_mpeg and has_layer and has_rates else None


def _what_instead(head: bytes) -> str:
    for magic, name in _OTHER_FILES:
        if head.startswith(magic):
            return f"This is {name}. Recordings can be {READABLE}."
    if head[:4] == b"RIFF" and head[8:11] == b"AVI":
        return f"This is an AVI video. Recordings can be {READABLE}."
    if not any(head):
        return "The file holds only zero bytes: it was not copied in full."
    if not any(byte < 9 for byte in head):
        return f"This is text, not a recording. Recordings can be {READABLE}."
    return f"This is not a recording that can be read. They can be {READABLE}."
