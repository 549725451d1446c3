"""The guarded child: reads one JSON request a line, answers one JSON line each.

Started by `annotate.sound.guard` with the limits as its only argument. It limits itself
before it loads a decoder, and a fault it does not know ends it: the guard then tells
from how it ended what happened, and starts another.
"""

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from annotate.sound.outcome import RATE_HZ, Limits, UnusableRecording

_OPEN_FILES = 64
_BYTES_PER_S = 2 * 2 * RATE_HZ
"""Of a stereo rendition if FLAC saved nothing."""


def main() -> None:
    """Answer requests until standard input ends."""
    limits = Limits(**json.loads(sys.argv[1]))
    requests, answers = _private_channels()
    _limit_self(limits)
    _answer(answers, {"ready": True})
    for line in requests:
        request = json.loads(line)
        _limit_processor_time(request["seconds"])
        _answer(answers, _fulfilled(request, limits))


def _private_channels() -> tuple[BinaryIO, TextIO]:
    """Move the conversation away from descriptors 0 and 1.

    A decoder that reads standard input finds it empty, and one that prints does not
    garble an answer.
    """
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return requests, answers


def _limit_self(limits: Limits) -> None:
    largest = int(1.1 * limits.max_duration_s * _BYTES_PER_S) + 2**20
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, largest),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(what, (most, most))
    os.nice(5)
    # Loading the decoders now makes "ready" mean ready, and shows what is missing.
    import annotate.sound.render  # noqa: F401


def _limit_processor_time(seconds: float) -> None:
    """Allow `seconds` more; the soft limit alone is moved, and ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(used.ru_utime + used.ru_stime + seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or allowed <= hard:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def _fulfilled(request: dict[str, Any], limits: Limits) -> dict[str, Any]:
    from annotate.sound import render, served

    source, out = Path(request["source"]), Path(request["out"])
    try:
        if request["wanted"] == "as_is":
            done = asdict(render.prepare(source, out, limits))
        else:
            done = asdict(served.match(source, out, request["gain_db"]))
    except UnusableRecording as fault:
        return {"fault": {"reason": fault.reason, "message": fault.message}}
    except MemoryError:
        return {
            "fault": {
                "reason": "memory",
                "message": "Decoding it takes more memory than is allowed "
                f"({limits.memory_bytes // 2**20} MiB).",
            }
        }
    return {"done": done}


def _answer(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer, default=str, allow_nan=False) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
