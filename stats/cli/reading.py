"""Read columns of a CSV, JSONL or Parquet file."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from stats.errors import StatsError

Columns = dict[str, list[Any]]


def read_columns(path: str, wanted: Sequence[str]) -> Columns:
    """Return the wanted columns of a file, one value a row.

    Parameters
    ----------
    path : str
        Ends in .csv, .tsv, .jsonl, .ndjson or .parquet.
    wanted : sequence of str

    Returns
    -------
    dict of str to list
        Text from CSV; whatever the file holds from JSONL and Parquet. An empty cell, a
        null, and a key that is not there are None.

    Raises
    ------
    StatsError
        The file is missing, empty, of another kind or malformed, or lacks a column.
    """
    file = Path(path)
    if not file.is_file():
        raise StatsError(f"{path}: no such file")
    kind = file.suffix.lower()
    readers = {
        ".csv": _read_csv,
        ".tsv": _read_csv,
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".parquet": _read_parquet,
    }
    if kind not in readers:
        raise StatsError(f"{path}: not a .csv, .tsv, .jsonl or .parquet file")
    if file.stat().st_size == 0:
        raise StatsError(f"{path}: the file is empty")
    try:
        columns = readers[kind](file, list(dict.fromkeys(wanted)))
    except UnicodeDecodeError:
        raise StatsError(f"{path}: not UTF-8 text") from None
    if columns and not next(iter(columns.values())):
        raise StatsError(f"{path}: the file has no rows")
    return columns


def _missing(path: Path, column: str, there: Iterable[str]) -> StatsError:
    return StatsError(f"{path}: no column {column!r}; there are {', '.join(there)}")


def _read_csv(path: Path, wanted: list[str]) -> Columns:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            header = next(reader, [])
            for column in wanted:
                if column not in header:
                    raise _missing(path, column, header)
                if header.count(column) > 1:
                    raise StatsError(f"{path}: column {column!r} stands twice")
            rows = [row for row in reader if row]
        except csv.Error as error:
            raise StatsError(f"{path}: line {reader.line_num}: {error}") from None
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise StatsError(
                f"{path}: row {number} has {len(row)} cells, the header {len(header)}"
            )
    places = [header.index(column) for column in wanted]
    return {
        column: [row[place].strip() or None for row in rows]
        for column, place in zip(wanted, places, strict=True)
    }


def _read_jsonl(path: Path, wanted: list[str]) -> Columns:
    found: Columns = {column: [] for column in wanted}
    there: dict[str, None] = {}
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise StatsError(f"{path}: line {number}: {error.msg}") from None
            if not isinstance(row, dict):
                raise StatsError(f"{path}: line {number}: not an object")
            there |= dict.fromkeys(row)
            for column in wanted:
                found[column].append(row.get(column))
    for column in wanted:
        if there and column not in there:
            raise _missing(path, column, there)
    return found


def _read_parquet(path: Path, wanted: list[str]) -> Columns:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise StatsError(f"{path}: reading Parquet needs pyarrow") from None
    try:
        there = parquet.read_schema(path).names
        for column in wanted:
            if column not in there:
                raise _missing(path, column, there)
        return dict(parquet.read_table(path, columns=wanted).to_pydict())
    except pyarrow.ArrowException as error:
        first = str(error).splitlines()[0] if str(error) else "unreadable"
        raise StatsError(f"{path}: {first}") from None
