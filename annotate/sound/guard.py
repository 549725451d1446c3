"""Runs the decoding of recordings in a child process that may fail.

The child is limited in memory, time, file size and open files, sees no environment
but what it needs, and decides by content what a file is. Whatever becomes of it, the
caller gets a result or an `UnusableRecording`.
"""

import contextlib
import json
import logging
import os
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from annotate.sound.outcome import (
    Limits,
    Prepared,
    Rendition,
    SoundUnavailable,
    UnusableRecording,
    prepared_from_json,
    rendition_from_json,
)

log = logging.getLogger(__name__)

FILES_PER_CHILD = 200
START_S = 60.0
_ENDING_S = 2.0
_ANSWER_BYTES = 2**20
_SIGNS_OF_MEMORY = (
    *("MemoryError", "bad_alloc", "allocate memory"),
    "failed to map segment",  # by the loader of shared libraries
)
_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")
_ROOT = Path(__file__).resolve().parents[2]


def prepare_recording(
    source: Path, out_folder: Path, limits: Limits | None = None
) -> Prepared:
    """Return what `source` is, with its rendition `as_is` written to `out_folder`.

    For more than one recording, a `SoundWorker` saves half a second each.

    Raises
    ------
    UnusableRecording
    SoundUnavailable
    """
    with SoundWorker(limits) as worker:
        return worker.prepare(source, out_folder)


def match_loudness(
    rendition_in: Path, out: Path, gain_db: float, limits: Limits | None = None
) -> Rendition:
    """Write the rendition `match` (mono, raised by `gain_db`) to `out`.

    Raises
    ------
    UnusableRecording
        "clips": the gain would push a sample above full scale; "silent": its channels
        cancel each other. Nothing is written.
    SoundUnavailable
    """
    with SoundWorker(limits) as worker:
        return worker.match(rendition_in, out, gain_db)


class SoundWorker:
    """A context in which recordings are prepared, by one child at a time.

    The child starts with the first recording and is replaced when it crashed, took
    too long, ran out of memory or has done 200 files. One worker serves one thread.

    Examples
    --------
    >>> with SoundWorker() as worker:  # doctest: +SKIP
    ...     prepared = worker.prepare(Path("reply.mp3"), Path("renditions"))
    """

    def __init__(
        self, limits: Limits | None = None, files_per_child: int = FILES_PER_CHILD
    ) -> None:
        self.limits = limits or Limits()
        self._files_per_child = files_per_child
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._n_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def child_pid(self) -> int | None:
        """Return the process that decodes now, if there is one."""
        return self._child.pid if self._child else None

    def prepare(self, source: Path, out_folder: Path) -> Prepared:
        """Return what `source` is, with its rendition `as_is` in `out_folder`.

        The rendition's name is random: it tells nothing of the recording.

        Raises
        ------
        UnusableRecording
        SoundUnavailable
        """
        n_bytes = _size_of(source)
        if n_bytes == 0:
            raise UnusableRecording("empty", "The file is empty (0 bytes).")
        if n_bytes > self.limits.max_bytes:
            raise UnusableRecording(
                "too_large",
                f"The file has {n_bytes / 1e6:,.1f} MB; the most allowed is "
                f"{self.limits.max_bytes / 1e6:,.1f} MB.",
            )
        out = out_folder / f"{uuid.uuid4().hex}.flac"
        return prepared_from_json(self._ask("as_is", source, out, n_bytes))

    def match(self, rendition_in: Path, out: Path, gain_db: float) -> Rendition:
        """Write the rendition `match` (mono, raised by `gain_db`) to `out`.

        Raises
        ------
        UnusableRecording
            "clips": the gain would push a sample above full scale; "silent": its
            channels cancel each other. Nothing is written.
        SoundUnavailable
        """
        n_bytes = _size_of(rendition_in)
        done = self._ask("match", rendition_in, out, n_bytes, gain_db=gain_db)
        return rendition_from_json(done)

    def close(self) -> None:
        """End the child, if there is one."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, self._errors):
            if pipe is not None:
                # What could not be delivered to a dead child is of no use to it.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _ask(
        self, wanted: str, source: Path, out: Path, n_bytes: int, **more: float
    ) -> dict[str, Any]:
        seconds = self.limits.time_for(n_bytes)
        request = {
            "wanted": wanted,
            "source": str(source.resolve()),
            "out": str(out.resolve()),
            "seconds": seconds,
            **more,
        }
        part = out.with_name(out.name + ".part")
        try:
            self._send(request)
            answer = self._answer_within(seconds)
        finally:
            part.unlink(missing_ok=True)
        self._n_done += 1
        fault = answer.get("fault")
        if fault:
            if fault["reason"] == "memory":
                self.close()
            raise UnusableRecording(fault["reason"], fault["message"])
        done: dict[str, Any] = answer["done"]
        return done

    def _send(self, request: dict[str, Any]) -> None:
        if self._n_done >= self._files_per_child:
            self.close()
        line = json.dumps(request).encode() + b"\n"
        # A child that was ended from outside while it waited is nobody's fault.
        for _ in range(2):
            child = self._child or self._start()
            assert child.stdin is not None
            try:
                child.stdin.write(line)
                child.stdin.flush()
            except BrokenPipeError:
                self.close()
            else:
                return
        raise SoundUnavailable("the child that decodes sound ends before its work")

    def _start(self) -> subprocess.Popen[bytes]:
        self._n_done = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        environment = {
            name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ
        }
        self._child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "annotate.sound.child",
                json.dumps(asdict(self.limits)),
            ],
            cwd=_ROOT,
            env={
                **environment,
                "LANG": "C.UTF-8",
                # Each thread of a linear algebra pool reserves address space.
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        try:
            self._answer_within(START_S)
        except UnusableRecording as fault:
            raise SoundUnavailable(
                f"the child that decodes sound does not start: {fault.message}"
            ) from None
        return self._child

    def _answer_within(self, seconds: float) -> dict[str, Any]:
        """Return the child's next answer; end the child where none comes."""
        assert self._child is not None
        assert self._child.stdout is not None
        pipe = self._child.stdout.fileno()
        deadline = time.monotonic() + seconds
        answer = b""
        try:
            while not answer.endswith(b"\n"):
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([pipe], [], [], left)[0]:
                    raise _took_too_long(seconds)
                received = os.read(pipe, 2**16)
                if not received or len(answer) > _ANSWER_BYTES:
                    raise self._ended(seconds)
                answer += received
        except BaseException:
            # Also when the caller is interrupted: a late answer must not be taken
            # for that to the next request.
            self.close()
            raise
        found: dict[str, Any] = json.loads(answer)
        return found

    def _ended(self, seconds: float) -> UnusableRecording:
        """Return the fault that explains how the child ended."""
        assert self._child is not None
        try:
            code = self._child.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            code = self._child.wait()
        said = self._said()
        log.warning("the child that decodes sound ended with %s: %s", code, said)
        if code == -signal.SIGXCPU:
            return _took_too_long(seconds)
        if any(sign in said for sign in _SIGNS_OF_MEMORY):
            return UnusableRecording(
                "memory",
                "Decoding it takes more memory than is allowed "
                f"({self.limits.memory_bytes // 2**20} MiB).",
            )
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return UnusableRecording(
            "crash", f"The decoder crashed on it ({how}); it may be damaged."
        )

    def _said(self) -> str:
        """Return the end of what the child wrote to standard error."""
        assert self._errors is not None
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 2000))
        return self._errors.read().decode(errors="replace").strip()


def _took_too_long(seconds: float) -> UnusableRecording:
    return UnusableRecording(
        "timeout", f"Decoding it took longer than the {seconds:.0f} s allowed."
    )


def _size_of(path: Path) -> int:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise UnusableRecording("missing", "There is no such file.") from None
    if not stat.S_ISREG(found.st_mode):
        raise UnusableRecording("missing", "It is not a file.")
    return found.st_size
