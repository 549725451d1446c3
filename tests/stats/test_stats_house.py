"""What holds for the package as a whole."""

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import stats
from stats.agreement import COEFFICIENTS, FURTHER_COEFFICIENTS

ROOT = Path(stats.__file__).parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(stats.__path__, "stats.")
    if not module.name.endswith("__main__")
)
ALLOWED = {"numpy", "scipy", "stats", "pyarrow"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.name)
def test_a_module_imports_numbers_only_and_is_not_too_long(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    standard = __import__("sys").stdlib_module_names

    assert not imported - ALLOWED - standard
    assert text.count("\n") <= 400
    assert ast.get_docstring(tree)


def test_every_coefficient_is_explained():
    text = (ROOT.parent / "docs" / "statistics.md").read_text(encoding="utf-8")

    for name in COEFFICIENTS + FURTHER_COEFFICIENTS:
        assert f"`{name}`" in text, name
