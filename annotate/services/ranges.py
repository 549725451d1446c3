"""What part of a file a Range header asks for (RFC 9110, section 14)."""

import re

_ONE = re.compile(r"bytes=(\d*)-(\d*)\Z")


class Unsatisfiable(ValueError):
    """The range lies outside of the file: answer 416."""


def parse_range(header: str, n_bytes: int) -> tuple[int, int] | None:
    """Return the first and last byte asked for, or None for the whole file.

    A header that is malformed or names several ranges is ignored, as the RFC allows.

    Raises
    ------
    Unsatisfiable
        The range starts behind the end of the file.
    """
    match = _ONE.match(header.replace(" ", "").lower())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if len(first) > 18 or len(last) > 18:
        raise Unsatisfiable
    if not first:
        length = min(int(last), n_bytes)
        if length == 0:
            raise Unsatisfiable
        return n_bytes - length, n_bytes - 1
    start = int(first)
    end = min(int(last), n_bytes - 1) if last else n_bytes - 1
    if last and int(last) < start:
        return None
    if start >= n_bytes:
        raise Unsatisfiable
    return start, end
