"""Read a study folder and find every fault in it, with file and line."""

import csv
import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotate.services.answers import is_storable

FILES: dict[str, tuple[str, ...]] = {
    "utterances": ("id", "audio"),
    "contexts": ("id", "text"),
    "instances": ("id", "utterance", "context", "branch", "group"),
    "systems": ("id", "name"),
    "responses": ("instance", "system"),
}
KNOWN: dict[str, set[str]] = {
    "utterances": {"id", "audio", "transcript"},
    "contexts": {"id", "text"},
    "instances": {
        *("id", "utterance", "context", "branch", "group", "subset", "use", "topic"),
        *("explanation", "reference_response"),
    },
    "systems": {"id", "name", "family", "outputs", "aliases"},
    "responses": {
        *("id", "instance", "system", "audio", "text", "transcript", "prompt"),
        *("sample", "metadata"),
    },
}
NEEDED = ("utterances", "contexts", "instances")
LONGEST = {
    **dict.fromkeys(("id", "group", "subset", "topic", "family"), 120),
    **{"use": 40, "name": 200, "prompt": 80},
}
MAX_SAMPLE = 32_767
MAX_LINE = 1_000_000


@dataclass(frozen=True)
class Row:
    """One line of one file."""

    file: str
    line: int
    cells: dict[str, Any]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def rest(self, kind: str) -> dict[str, Any]:
        """Return the keys that are ours to keep and not to understand."""
        return {k: v for k, v in self.cells.items() if k not in KNOWN[kind]}


@dataclass
class StudyFolder:
    """A study folder as read: its rows by kind, and what is wrong with it."""

    path: Path
    facts: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    bad: set[tuple[str, int]] = field(default_factory=set)

    def fault(self, row: Row, why: str) -> None:
        self.faults.append(f"{row.place}: {why}")
        self.bad.add((row.file, row.line))

    def good(self, kind: str) -> list[Row]:
        rows = self.rows.get(kind, [])
        return [row for row in rows if (row.file, row.line) not in self.bad]

    def audio(self, row: Row) -> Path:
        return self.path / row.cells["audio"]

    def sha256(self) -> str:
        """Return a digest of all rows and recordings, order of lines and keys apart."""
        lines = [json.dumps(self.facts, sort_keys=True, default=str)]
        for kind in FILES:
            cells = (
                json.dumps(
                    [kind, row.cells, self._audio_sha256(row)],
                    sort_keys=True,
                    default=str,
                )
                for row in self.rows.get(kind, [])
            )
            lines += sorted(cells)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def _audio_sha256(self, row: Row) -> str:
        """Return the digest of the row's recording, or nothing where there is none."""
        given = row.cells.get("audio")
        if not isinstance(given, str) or (row.file, row.line) in self.bad:
            return ""
        try:
            with self.audio(row).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):
            return ""


def read_folder(path: Path) -> StudyFolder:
    """Return the folder with all faults that can be found without decoding sound."""
    folder = StudyFolder(path)
    _read_facts(folder)
    for kind in FILES:
        folder.rows[kind] = list(_read_rows(folder, kind))
        if kind in NEEDED and not folder.rows[kind] and not _is_there(path, kind):
            folder.faults.append(f"{kind}.jsonl:1: the file is missing")
    for kind, needed in FILES.items():
        _check_keys(folder, kind, needed)
    _check_references(folder)
    return folder


def _is_there(path: Path, kind: str) -> bool:
    return any((path / f"{kind}{end}").is_file() for end in (".jsonl", ".csv"))


def _read_facts(folder: StudyFolder) -> None:
    file = folder.path / "study.toml"
    if not file.is_file():
        folder.faults.append("study.toml:1: the file is missing")
        return
    try:
        folder.facts = tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        folder.faults.append("study.toml:1: not UTF-8")
    except tomllib.TOMLDecodeError as error:
        folder.faults.append(f"study.toml:1: not TOML: {error}")
    title = folder.facts.get("title")
    if not folder.faults and (not isinstance(title, str) or not title.strip()):
        folder.faults.append("study.toml:1: title is missing")


def _read_rows(folder: StudyFolder, kind: str) -> Iterator[Row]:
    jsonl, table = folder.path / f"{kind}.jsonl", folder.path / f"{kind}.csv"
    if jsonl.is_file():
        yield from _read_jsonl(folder, jsonl)
    elif table.is_file():
        yield from _read_csv(folder, table)


def _read_jsonl(folder: StudyFolder, file: Path) -> Iterator[Row]:
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            row = Row(file.name, number, {})
            if not raw.strip():
                continue
            if len(raw) > MAX_LINE:
                folder.fault(row, f"the line is longer than {MAX_LINE:,} bytes")
                continue
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                cells = json.loads(text, parse_constant=_no_constant)
            except UnicodeDecodeError as error:
                folder.fault(row, f"not UTF-8 at byte {error.start + 1}")
                continue
            except (ValueError, RecursionError) as error:
                folder.fault(row, f"not JSON: {error}")
                continue
            if not isinstance(cells, dict):
                folder.fault(row, "a line is one JSON object")
                continue
            yield Row(file.name, number, cells)


def _no_constant(name: str) -> None:
    """Refuse NaN and Infinity, which are not JSON and no database stores them."""
    raise ValueError(f"{name} is not a number")


def _read_csv(folder: StudyFolder, file: Path) -> Iterator[Row]:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        folder.faults.append(f"{file.name}:1: not UTF-8 at byte {error.start + 1}")
        return
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    try:
        for cells in reader:
            given = {k: v for k, v in cells.items() if k and v not in ("", None)}
            yield Row(file.name, reader.line_num, given)
    except csv.Error as error:
        folder.faults.append(f"{file.name}:{reader.line_num}: not CSV: {error}")


def _check_keys(folder: StudyFolder, kind: str, needed: tuple[str, ...]) -> None:
    seen: dict[str, Row] = {}
    for row in folder.rows[kind]:
        for key in needed:
            value = row.cells.get(key)
            if value is None or value == "":
                folder.fault(row, f"{key} is missing")
            elif not isinstance(value, str):
                folder.fault(row, f"{key} must be text, not {value!r}")
        for key, longest in LONGEST.items():
            if key in KNOWN[kind] and len(str(row.cells.get(key) or "")) > longest:
                folder.fault(row, f"{key} is longer than {longest} characters")
        for key in _unstorable(row.cells):
            folder.fault(row, f"{key} holds a lone surrogate or a zero character")
        code = row.cells.get("id")
        if code is None:
            continue
        if not isinstance(code, str):
            folder.fault(row, f"id must be text, not {code!r}")
        elif code in seen:
            folder.fault(row, f"id {code!r} stands on line {seen[code].line} already")
        else:
            seen[code] = row


def _unstorable(value: Any, key: str = "") -> Iterator[str]:
    """Yield the keys whose text no database can store."""
    if isinstance(value, str):
        if not is_storable(value):
            yield key or "a value"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _unstorable(name, "a key")
            yield from _unstorable(inner, key or name)
    elif isinstance(value, list):
        for inner in value:
            yield from _unstorable(inner, key)


def _check_references(folder: StudyFolder) -> None:
    ids = {kind: _ids(folder, kind) for kind in FILES}
    root = folder.path.resolve()
    for kind in ("utterances", "responses"):
        for row in folder.rows[kind]:
            _check_audio(folder, row, root)
    for row in folder.rows["instances"]:
        _check_known(folder, row, "utterance", ids["utterances"])
        _check_known(folder, row, "context", ids["contexts"])
        if row.cells.get("branch") not in ("context", "tone"):
            folder.fault(
                row, f"branch must be context or tone, not {row.cells.get('branch')!r}"
            )
    keys: dict[tuple, Row] = {}
    for row in folder.rows["responses"]:
        _check_known(folder, row, "instance", ids["instances"])
        _check_known(folder, row, "system", ids["systems"])
        if not row.cells.get("audio") and not row.cells.get("text"):
            folder.fault(row, "a response has audio or text or both")
        cells = row.cells
        sample = str(cells.get("sample") or 0)
        key = (
            *(str(cells.get(k) or "") for k in ("instance", "system", "prompt")),
            sample,
        )
        if key in keys:
            folder.fault(row, f"the same response stands on line {keys[key].line}")
        keys.setdefault(key, row)
        if not (sample.isdecimal() and len(sample) < 9 and int(sample) <= MAX_SAMPLE):
            folder.fault(
                row,
                f"sample must be a whole number up to {MAX_SAMPLE},"
                f" not {cells['sample']!r}",
            )


def _ids(folder: StudyFolder, kind: str) -> set[str]:
    found = (row.cells.get("id") for row in folder.rows[kind])
    return {code for code in found if isinstance(code, str)}


def _check_known(folder: StudyFolder, row: Row, key: str, known: set[str]) -> None:
    value = row.cells.get(key)
    if isinstance(value, str) and value and value not in known:
        folder.fault(row, f"{key} {value!r} is not in this folder")


def _check_audio(folder: StudyFolder, row: Row, root: Path) -> None:
    given = row.cells.get("audio")
    if given is None or given == "":
        return
    if not isinstance(given, str):
        folder.fault(row, f"audio must be text, not {given!r}")
        return
    try:
        path = (root / given).resolve()
    except (OSError, ValueError):
        folder.fault(row, f"audio {given!r} is not a path")
        return
    if not path.is_relative_to(root):
        folder.fault(row, f"audio {given!r} leads out of the folder")
    elif not path.is_file():
        folder.fault(row, f"recording {given!r} is missing")
