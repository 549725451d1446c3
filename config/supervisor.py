"""The demo site under one parent: web server, worker, beat and Valkey.

    python -m config.supervisor --port 8000 [--data FOLDER]
    python -m config.supervisor --reset

Everything lives in EARWITNESS_HOME (`var/demo`). The parent imports nothing heavy, and
says one line where something is wrong.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from config import ports
from config.processes import (
    Child,
    Guard,
    follow_parent,
    last_words,
    signal_group,
    stop_groups,
    valkey_command,
)

ROOT = Path(__file__).resolve().parent.parent
NEEDED_MB = 200
PATIENCE_S = 60  # for the site to answer
PREPARING_S = 3600  # for a large study to come in
HEALTH = "/healthz/"


class Trouble(Exception):
    """The site cannot run; the message is for the terminal."""


class Stopped(Exception):
    """Somebody asked for the end."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="config.supervisor", description=__doc__)
    parser.add_argument("--port", default="8000")
    parser.add_argument("--data", default="", help="a study folder to import")
    parser.add_argument("--reset", action="store_true", help="remove the demo's data")
    parser.add_argument("--with-parent", action="store_true", help="end with make")
    given = parser.parse_args(arguments)
    home = Path(os.environ.get("EARWITNESS_HOME") or ROOT / "var" / "demo").absolute()
    if given.with_parent:
        follow_parent()
    try:
        if given.reset:
            reset(home)
        else:
            run(home, port_number(given.port), data_folder(given.data))
    except Trouble as trouble:
        say(f"Error: {trouble}")
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        say(f"Error: {error.strerror or error}{where}.")
        return 1
    return 0


def run(home: Path, port: int, data: Path | None) -> None:
    """Hold the home's lock and keep the site up until somebody asks for the end."""
    if reason := ports.why_not(port):
        raise Trouble(f"{reason}; choose another: make demo PORT={port + 1}")
    home.mkdir(parents=True, exist_ok=True)
    check_space(home)
    with locked(home):
        site = Site(home, port)
        try:
            site.start(data)
            say(f"Earwitness is ready: http://{ports.HOST}:{port}/")
            site.watch()
        except Stopped:
            say("Stopping…")
        finally:
            site.stop()


class Site:
    """The processes of one demo site."""

    def __init__(self, home: Path, port: int) -> None:
        self.home = home
        self.port = port
        self.stopping = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
            signal.signal(signal.SIGHUP, self._ask_to_stop)
        self.folder = private_folder()
        self.socket = self.folder / "valkey.sock"
        self.guard = Guard(self.folder)
        self.logs = fresh_logs(home)
        self.env = os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "EARWITNESS_DEMO": "1",
            "EARWITNESS_HOME": str(home),
            "EARWITNESS_DEMO_KEY": demo_key(home),
            "REDIS_URL": f"redis+socket://{self.socket}",
        }
        self.children: list[Child] = []

    def start(self, data: Path | None) -> None:
        """Start everything in order; return when the site answers."""
        is_new = not (self.home / "earwitness.sqlite3").exists()
        queue = self.home / "queue"
        queue.mkdir(exist_ok=True)
        self._start("queue", valkey_command(self.socket, *kept_in(queue)))
        self._prepare("migrate", "--noinput")
        self._collect_static()
        if is_new:
            say("Loading the demo: this once, it takes about half a minute…")
        self._prepare("load_demo")
        self._start("web", web_command(self.port))
        self._start("worker", worker_command())
        self._start("beat", beat_command())
        if data is not None:
            say(f"Importing {data}…")
            self._prepare("import_study", str(data))
        self._until(self._is_ready, PATIENCE_S, "the site did not answer")

    def watch(self) -> None:
        """Keep every child alive until somebody asks for the end."""
        self._until(lambda: False, float("inf"), "")

    def stop(self) -> None:
        """Stop every child: the queue last, since the worker hands its work back."""
        for part in (self.children[1:], self.children[:1]):
            stop_groups(child.process.pid for child in part if child.process)
        self.guard.close()

    def _collect_static(self) -> None:
        stamp = self.home / "static.stamp"
        wanted = static_fingerprint()
        if stamp.is_file() and stamp.read_text() == wanted:
            return
        self._prepare("collectstatic", "--noinput", "--clear")
        stamp.write_text(wanted)

    def _start(self, name: str, command: list[str]) -> None:
        child = Child(name, command, self.logs / f"{name}.log", self.env)
        self.children.append(child)
        child.start(self.guard)

    def _prepare(self, *command: str) -> None:
        """Run one management command to its end."""
        name = command[0]
        child = Child(
            name,
            [sys.executable, str(ROOT / "manage.py"), *command],
            self.logs / f"{name}.log",
            self.env,
        )
        child.start(self.guard)
        started = child.process
        if started is None:
            raise Trouble(f"{name} did not start.")
        try:
            self._until(
                lambda: started.poll() is not None, PREPARING_S, f"{name} did not end"
            )
        finally:
            signal_group(started.pid, signal.SIGTERM)
            self.guard.forget(started.pid)
        if started.returncode:
            raise Trouble(f"{name}: {last_words(child.log)} (log: {child.log})")

    def _until(self, done: Callable[[], bool], patience_s: float, lament: str) -> None:
        """Wait, and meanwhile start dead children again."""
        patience_ends = time.monotonic() + patience_s
        while not done():
            if self.stopping:
                raise Stopped
            self._revive()
            if time.monotonic() > patience_ends:
                raise Trouble(f"{lament} within {patience_s} s; see {self.logs}.")
            time.sleep(0.1)

    def _revive(self) -> None:
        for child in self.children:
            if child.is_running:
                continue
            if child.process is not None:
                code = child.process.returncode
                pause_s = child.note_death(self.guard)
                if child.keeps_dying:
                    raise Trouble(
                        f"the {child.name} stopped five times within a minute:"
                        f" {last_words(child.log)} (log: {child.log})"
                    )
                say(f"The {child.name} stopped ({code}); again in {pause_s:g} s.")
            if child.due <= time.monotonic():
                child.start(self.guard)

    def _is_ready(self) -> bool:
        return ports.status_of(self.port, HEALTH) == 200 and worker_waits(self.socket)

    def _ask_to_stop(self, number: int, frame: object) -> None:
        self.stopping = True


def web_command(port: int) -> list[str]:
    """Return the web server's command: one process, several threads."""
    address = ["--host", ports.HOST, "--port", str(port), "--http", "1", "--no-ws"]
    size = ["--workers", "1", "--blocking-threads", "8", "--workers-kill-timeout", "3"]
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi"),
        *(*address, *size, "--log-level", "warning", "config.wsgi:application"),
    ]


def worker_command() -> list[str]:
    """Return the worker's command: one job at a time, no talk with other workers."""
    celery = [sys.executable, "-m", "celery", "-A", "config", "worker"]
    alone = ["--without-mingle", "--without-gossip", "--without-heartbeat"]
    return [*celery, "--pool", "prefork", "--concurrency", "1", *alone, "-l", "warning"]


def beat_command() -> list[str]:
    celery = [sys.executable, "-m", "celery", "-A", "config", "beat"]
    return [*celery, "--pidfile", "", "-l", "warning"]


def kept_in(folder: Path) -> list[str]:
    """Return the options by which queued messages outlive a restart."""
    return ["--dir", str(folder), "--appendonly", "yes", "--loglevel", "warning"]


def worker_waits(queue: Path) -> bool:
    """Whether somebody stands at the queue and waits for work."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect(str(queue))
            line.sendall(b"CLIENT LIST\r\n")
            return b"cmd=brpop" in line.recv(65536)
    except OSError:
        return False


@contextlib.contextmanager
def locked(home: Path) -> Iterator[None]:
    """Hold the home for this process and its guard, which may outlive it a little."""
    with (home / "lock").open("a+") as lock:
        patience_ends = time.monotonic() + 15
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                lock.seek(0)
                if is_alive(lock.read()) or time.monotonic() > patience_ends:
                    raise Trouble(
                        f"Earwitness already runs on {home}; stop it first, or set"
                        " EARWITNESS_HOME to another folder."
                    ) from None
                time.sleep(0.1)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def reset(home: Path) -> None:
    """Remove the demo's data, and nothing that is not a demo's."""
    if not (home / "demo.key").is_file():
        say(f"There is no demo data in {home}.")
        return
    with locked(home):
        shutil.rmtree(home)
    say(f"Removed {home}.")


def check_space(home: Path) -> None:
    free_mb = shutil.disk_usage(home).free // 2**20
    if free_mb < NEEDED_MB:
        raise Trouble(
            f"only {free_mb} MB are free in {home}; the demo needs {NEEDED_MB} MB."
        )


def private_folder() -> Path:
    """Make a folder of our own whose path is short enough for a socket in it."""
    short = "/tmp" if os.access("/tmp", os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="earwitness-", dir=short))


def fresh_logs(home: Path) -> Path:
    """Return the folder of logs, with the last run's set aside."""
    logs = home / "logs"
    logs.mkdir(exist_ok=True)
    for log in logs.glob("*.log"):
        log.replace(log.with_suffix(".log.1"))
    return logs


def demo_key(home: Path) -> str:
    """Return this home's secret key, drawn once and readable by its owner only."""
    path = home / "demo.key"
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as new:
            new.write(secrets.token_urlsafe(50))
    return path.read_text()


def static_fingerprint() -> str:
    """Return a hash of all that the collected static files are made from."""
    digest = hashlib.sha256()
    ours = sorted(path for path in (ROOT / "static").rglob("*") if path.is_file())
    makers = [ROOT / "requirements" / "runtime.txt", ROOT / "config" / "storage.py"]
    for path in [*ours, *makers]:
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def port_number(given: str) -> int:
    if given.isdecimal() and 0 < int(given) < 65536:
        return int(given)
    raise Trouble(f"PORT must be a number from 1 to 65535, not {given!r}.")


def data_folder(given: str) -> Path | None:
    """Return the study folder as the caller means it, or None where none is given."""
    if not given:
        return None
    for start in (".", os.environ.get("CALLED_FROM") or "."):
        path = Path(start, given).expanduser()
        if path.exists():
            return path.resolve()
    raise Trouble(f"DATA: there is no folder {given}.")


def say(line: str) -> None:
    """Write a line to the terminal, if it is still there."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
