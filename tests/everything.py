"""Run every test there is: `make test`.

The whole suite runs on PostgreSQL; what promises to hold on both databases runs once
more on SQLite. Scripts that need no browser run under Node.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests import services

PYTEST = [sys.executable, "-m", "pytest"]
NO_TESTS = 5
SETTINGS = "DJANGO_SETTINGS_MODULE"


def main() -> int:
    failed = []
    # tests/conftest.py names the settings, after it has set what they read.
    env = {key: os.environ[key] for key in os.environ.keys() - {SETTINGS}}
    if (code := scripts()) != 0:
        failed.append(f"node ({code})")
    sqlite = services.new_folder("sqlite") / "earwitness.sqlite3"
    for name, options, url in (
        ("on SQLite", ["-m", "both_databases"], f"sqlite:///{sqlite}"),
        ("on PostgreSQL", [], os.environ.get("DATABASE_URL", "")),
    ):
        say(f"--- {name} ---")
        code = subprocess.run(
            [*PYTEST, *options], env=env | {"DATABASE_URL": url}, check=False
        ).returncode
        if code not in (0, NO_TESTS):
            failed.append(f"pytest {name} ({code})")
    if failed:
        say(f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


def scripts() -> int:
    """Run the tests of scripts, where Node is there to run them."""
    tests = sorted(map(str, Path("tests/js").rglob("*.test.js")))
    if not tests:
        return 0
    node = shutil.which("node")
    if node is None:
        say("NO NODE HERE: the tests in tests/js did not run.")
        return 1 if services.in_ci() else 0
    say("--- scripts, under Node ---")
    return subprocess.run([node, "--test", *tests], check=False).returncode


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
