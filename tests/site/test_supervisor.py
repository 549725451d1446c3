"""The demo under one parent: it starts, heals, refuses, and leaves nothing behind."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from config import ports
from config.supervisor import ROOT

SUPERVISOR = [sys.executable, "-m", "config.supervisor"]
OF_TESTS = {"DATABASE_URL", "SECRET_KEY", "ALLOWED_HOSTS", "REDIS_URL"}
OF_MAKE = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}


def environment(home: Path, **more: str) -> dict[str, str]:
    given = {key: os.environ[key] for key in os.environ.keys() - OF_TESTS - OF_MAKE}
    return given | {"EARWITNESS_HOME": str(home)} | more


def say_of(*command: str, env: dict[str, str]) -> tuple[int, list[str]]:
    """Run a command to its end; return its exit code and what it said."""
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


class Demo:
    """One supervisor in a process of its own."""

    def __init__(self, home: Path, port: int | None = None, **more: str) -> None:
        self.port = port or ports.free_port()
        self.output = home.with_suffix(f".{time.monotonic_ns()}.txt")
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [*SUPERVISOR, "--port", str(self.port)],
                cwd=ROOT,
                env=environment(home, **more),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> list[str]:
        return self.output.read_text().splitlines()

    def wait_until_ready(self) -> "Demo":
        ready = f"Earwitness is ready: http://127.0.0.1:{self.port}/"
        eventually(lambda: ready in self.said() or self.process.poll() is not None, 120)
        assert self.said()[-1] == ready
        return self

    def processes(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process | None:
        for process in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):  # or a zombie
                if word in process.cmdline():
                    return process
        return None


def eventually(condition: Callable[[], object], patience_s: float = 40) -> None:
    patience_ends = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < patience_ends, "waited in vain"
        time.sleep(0.05)


def all_gone(processes: list[psutil.Process]) -> bool:
    return not any(
        process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        for process in processes
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("a home with blanks") / "demo"


@pytest.fixture(scope="module")
def demo(home: Path) -> Iterator[Demo]:
    running = Demo(home).wait_until_ready()
    yield running
    running.process.terminate()
    running.process.wait(30)


def test_a_second_supervisor_refuses_the_same_home(demo: Demo, home: Path):
    second = Demo(home)

    assert second.process.wait(20) == 1
    assert len(second.said()) == 1
    assert "already runs" in second.said()[0]


def test_a_port_in_use_is_one_clear_line(demo: Demo, tmp_path: Path):
    second = Demo(tmp_path / "other", demo.port)

    assert second.process.wait(20) == 1
    assert second.said() == [
        f"Error: Port {demo.port} is in use; choose another:"
        f" make demo PORT={demo.port + 1}"
    ]


def test_a_reset_waits_for_the_end(demo: Demo, home: Path):
    code, said = say_of(*SUPERVISOR, "--reset", env=environment(home))

    assert code == 1
    assert len(said) == 1
    assert "already runs" in said[0]
    assert (home / "demo.key").is_file()


def test_a_reset_removes_nothing_that_is_not_a_demo(tmp_path: Path):
    precious = tmp_path / "thesis.tex"
    precious.touch()

    code, said = say_of(*SUPERVISOR, "--reset", env=environment(tmp_path))

    assert (code, len(said)) == (0, 1)
    assert precious.exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--data", "no such folder"], "no such folder"),
        (["--port", "http"], "PORT"),
        (["--port", "0"], "PORT"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(
    tmp_path: Path, arguments: list[str], word: str
):
    home = tmp_path / "demo"

    code, said = say_of(*SUPERVISOR, *arguments, env=environment(home))

    assert (code, len(said)) == (1, 1)
    assert word in said[0]
    assert not home.exists()


def test_a_wrong_python_is_one_clear_line(tmp_path: Path):
    code, said = say_of(
        *("make", "demo", "PYTHON=/bin/false"), env=environment(tmp_path)
    )

    assert code == 2
    assert "needs Python 3.11 or newer" in said[0]


def test_a_foreign_host_is_refused(demo: Demo):
    connection = http.client.HTTPConnection("127.0.0.1", demo.port)
    connection.request("GET", "/healthz/", headers={"Host": "earwitness.example.org"})

    assert connection.getresponse().status == 400
    connection.close()


def test_only_this_machine_reaches_the_site(demo: Demo):
    listening = {
        (at.laddr.ip, at.laddr.port)
        for process in demo.processes()
        for at in process.net_connections("inet")
        if at.status == psutil.CONN_LISTEN
    }

    assert listening == {("127.0.0.1", demo.port)}


@pytest.mark.parametrize("word", ["granian", "worker", "beat"])
def test_a_killed_child_comes_back(demo: Demo, word: str):
    killed = demo.child(word)
    family = [killed, *killed.children(recursive=True)]
    said = len(demo.said())

    killed.kill()

    eventually(lambda: all_gone(family))
    eventually(lambda: demo.child(word))
    eventually(lambda: ports.status_of(demo.port, "/healthz/") == 200)
    assert len(demo.said()) == said + 1
    assert "stopped (-9); again in" in demo.said()[-1]


def test_a_killed_grandchild_comes_back(demo: Demo):
    eventually(lambda: demo.child("granian").children())
    grandchild = demo.child("granian").children()[0]

    grandchild.kill()

    eventually(lambda: all_gone([grandchild]))
    eventually(lambda: ports.status_of(demo.port, "/healthz/") == 200)


def test_nothing_outlives_a_killed_supervisor_and_data_stays(demo: Demo, home: Path):
    key = (home / "demo.key").read_text()
    eventually(lambda: len(demo.processes()) >= 7)
    family = demo.processes()

    demo.process.kill()

    eventually(lambda: all_gone(family))

    again = Demo(home)
    started = time.monotonic()
    again.wait_until_ready()
    assert time.monotonic() - started < 10
    assert (home / "demo.key").read_text() == key

    family = again.processes()
    again.process.terminate()
    assert again.process.wait(20) == 0
    assert all_gone(family)

    assert say_of(*SUPERVISOR, "--reset", env=environment(home))[0] == 0
    assert not home.exists()


def test_production_settings_are_refused(tmp_path: Path):
    refused = Demo(tmp_path / "demo", DATABASE_URL="postgresql:///earwitness")
    family = refused.processes()

    assert refused.process.wait(30) == 1
    assert len(refused.said()) == 1
    assert "exclude each other" in refused.said()[0]
    assert all_gone(family)
