"""What holds for the whole house: lengths, names, migrations, templates, documents."""

import ast
import hashlib
import json
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("annotate", "judging", "config", "stats", "templates", "static", "tests")
MAX_LINES = 400
BANNED = {"utils", "helpers", "common", "base", "manager", "handler"}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
INLINE = {
    "a script in the page": re.compile(
        r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", re.IGNORECASE
    ),
    "a style in the page": re.compile(r"<style\b", re.IGNORECASE),
    "a style on an element": re.compile(r"<[a-z][^>]*\sstyle\s*=", re.IGNORECASE),
    "a handler on an element": re.compile(r"<[a-z][^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "an address that is code": re.compile(r"javascript:", re.IGNORECASE),
}
# A report that is sent as one file, as an attachment with a policy of its own.
SELF_CONTAINED = {"report_file.html": {"a style in the page"}}


def sources(*endings):
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.suffix in endings and not {"migrations", "vendor"} & set(parts):
                yield path


def test_no_file_is_too_long():
    long = {
        str(path.relative_to(ROOT)): n
        for path in sources(".py", ".js", ".css", ".html")
        if (n := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_no_module_is_named_after_nothing():
    named = [p.name for p in sources(".py", ".js") if p.stem.lower() in BANNED]
    assert named == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_migration_says_what_it_does():
    names = [path.name for path in ROOT.glob("*/migrations/*.py")]
    assert len(names) > 2
    assert [name for name in names if "_auto_" in name] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_no_inline_code(path):
    text = re.sub(
        r"{#.*?#}|{% comment.*?endcomment %}", "", path.read_text(), flags=re.S
    )
    allowed = SELF_CONTAINED.get(path.name, set())
    assert {what for what, found in INLINE.items() if found.search(text)} == allowed


def test_the_inline_patterns_find_what_they_seek():
    bad = {
        "a script in the page": "<script>x</script>",
        "a style in the page": "<style>b{}</style>",
        "a style on an element": '<p class="a" style="x">',
        "a handler on an element": '<button onclick="x()">',
        "an address that is code": '<a href="javascript:x">',
    }
    assert all(INLINE[what].search(text) for what, text in bad.items())
    fine = '<script type="module" src="a.js"></script><p data-on="1">'
    assert not any(found.search(fine) for found in INLINE.values())


def test_the_vocabulary_names_every_table():
    text = (ROOT / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    models = [
        model.__name__
        for app in ("annotate", "judging")
        for model in apps.get_app_config(app).get_models()
    ]
    missing = [n for n in models if not re.search(rf"\b{n}s?\b", text, re.IGNORECASE)]
    assert missing == []


def read_variables():
    """Return every environment variable that the settings ask for."""
    for path in (ROOT / "config").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            first = node.args[0]
            of_env = ast.unparse(node.func).startswith(("env.", "os.environ.get"))
            if of_env and isinstance(first, ast.Constant):
                yield first.value


def test_the_readme_explains_every_setting():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    # The supervisor gives this one to its own children.
    variables = set(read_variables()) - {"EARWITNESS_DEMO_KEY"}
    assert len(variables) > 8
    assert sorted(name for name in variables if name not in text) == []


def test_vendored_files_are_the_ones_that_were_checked():
    folder = ROOT / "static" / "vendor"
    listed = {}
    for package in json.loads((folder / "vendored.json").read_text()):
        listed |= package["files"]
    there = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "vendored.json"
    }
    assert there == listed
