"""Whether an Ogg file is whole. Standard library only.

Every page carries a checksum and the last one a mark, and decoders make nothing of
either: libsndfile fills what a damaged page held with silence, and takes the last
page it finds for the end.
"""

import zlib
from typing import BinaryIO

from annotate.sound.outcome import UnusableRecording

_HEAD = 27
_LAST_PAGE = 4
_BITS_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def refuse_broken_ogg(file: BinaryIO) -> None:
    """Read all pages of `file` and leave it at its start.

    Bytes that follow the last page are let pass.

    Raises
    ------
    UnusableRecording
        "corrupt" where a page is damaged or missing, "truncated" where the file ends
        before the page marked as the last.
    """
    file.seek(0)
    flags = 0
    while True:
        head = file.read(_HEAD)
        if head[:4] != b"OggS" or len(head) < _HEAD:
            if flags & _LAST_PAGE:
                file.seek(0)
                return
            if b"OggS".startswith(head[:4]) or head.startswith(b"OggS"):
                raise _cut_short()
            raise _damaged()
        flags = head[5]
        lacing = file.read(head[26])
        body = file.read(sum(lacing))
        if len(lacing) < head[26] or len(body) < sum(lacing):
            raise _cut_short()
        unsigned = head[:22] + bytes(4) + head[26:] + lacing + body
        if _checksum(unsigned) != int.from_bytes(head[22:26], "little"):
            raise _damaged()


def _checksum(page: bytes) -> int:
    """Return Ogg's CRC-32: that of zlib with the bits of every byte the other way.

    RFC 3533, section 6: polynomial 0x04c11db7, first and last value 0.
    """
    reflected = zlib.crc32(page.translate(_BITS_REVERSED), 0xFFFF_FFFF) ^ 0xFFFF_FFFF
    return int(f"{reflected:032b}"[::-1], 2)


def _cut_short() -> UnusableRecording:
    return UnusableRecording("truncated", "It is cut short: its last part is missing.")


def _damaged() -> UnusableRecording:
    return UnusableRecording(
        "corrupt", "It is damaged: a part in the middle does not match its checksum."
    )
