"""Make `.venv` what a lock file says. Runs on a bare Python, before anything is there.

    python config/environment.py runtime|dev

A lock is installed again only when its text or the Python has changed: the stamp of
what was installed last lies inside `.venv`.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NEEDED_MB = {"runtime": 700, "dev": 1600}
INCLUDED = {"runtime": ["runtime"], "dev": ["dev", "runtime"]}  # dev holds runtime too


class Trouble(Exception):
    """The environment cannot be made; the message is for the terminal."""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in INCLUDED:
        say("usage: python config/environment.py runtime|dev")
        return 2
    try:
        ensure(arguments[0])
    except Trouble as trouble:
        say(f"Error: {trouble}")
        return 1
    except OSError as error:
        say(f"Error: cannot write {VENV}: {error.strerror or error}.")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def ensure(lock: str) -> None:
    """Install the lock unless its stamp says that it is installed already."""
    is_new = not (PYTHON.exists() and stamp_of(lock).is_file())
    if not is_new and stamp_of(lock).read_text() == fingerprint(lock):
        return
    free_mb = shutil.disk_usage(ROOT).free // 2**20
    if is_new and free_mb < NEEDED_MB[lock]:
        raise Trouble(
            f"the environment takes about {NEEDED_MB[lock]} MB and only {free_mb} MB"
            f" are free in {ROOT}."
        )
    if not PYTHON.exists() or run([PYTHON, "-m", "pip", "--version"]).returncode:
        make_venv()
    pinned = requirements(lock)
    say(f"Installing {pinned.read_text().count('==')} packages into .venv…")
    for name in INCLUDED[lock]:
        stamp_of(name).unlink(missing_ok=True)
    quietly = ["--quiet", "--no-input", "--disable-pip-version-check"]
    installed = run(
        [PYTHON, "-m", "pip", "install", *quietly, "--require-hashes", "-r", pinned]
    )
    if installed.returncode:
        raise Trouble(f"pip could not install {pinned.name}: {reason(installed)}")
    for name in INCLUDED[lock]:
        stamp_of(name).write_text(fingerprint(name))


def make_venv() -> None:
    made = run([sys.executable, "-m", "venv", "--clear", VENV])
    if made.returncode:
        raise Trouble(
            f"{sys.executable} cannot make a virtual environment (on Debian and Ubuntu:"
            f" apt install python3-venv): {reason(made)}"
        )


def requirements(lock: str) -> Path:
    return ROOT / "requirements" / f"{lock}.txt"


def stamp_of(lock: str) -> Path:
    return VENV / f".{lock}-lock"


def fingerprint(lock: str) -> str:
    """Return what the environment depends on: the Python beneath and the lock."""
    beneath = (VENV / "pyvenv.cfg").read_bytes()
    return hashlib.sha256(beneath + requirements(lock).read_bytes()).hexdigest()


def run(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the first line that names an error, or else the last line."""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    named = [line for line in lines if "error" in line.lower()]
    return (named or lines or ["no message"])[0 if named else -1].strip()


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
