"""From columns of a file to tables, one for each group of `--by`."""

import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stats.cli.reading import Columns, read_columns
from stats.errors import StatsError
from stats.table import RatingTable

ALL = "all"
JOIN = "\x1f"


@dataclass(frozen=True, eq=False)
class Group:
    """The ratings of one group.

    Attributes
    ----------
    name : str
        The value of `--by`, or "all".
    table : RatingTable
    categories : tuple of str
        The names of the points where values are no numbers; empty where they are.
    labels : dict of str to list of str
        Further columns, one label a unit.
    """

    name: str
    table: RatingTable
    categories: tuple[str, ...]
    labels: dict[str, list[str]]


def read_groups(
    args: Namespace, further: Sequence[str] = (), *, in_unit: Sequence[str] = ()
) -> list[Group]:
    """Return the table of each group of the file in `args`.

    Parameters
    ----------
    args : Namespace
        With `file`, `unit`, `rater`, `value`, `cluster`, `by`, `points`, `level`.
    further : sequence of str
        Columns that hold one label a unit.
    in_unit : sequence of str
        Columns that are part of what a unit is, such as the system.

    Returns
    -------
    list of Group
        In ascending order of their names.

    Raises
    ------
    StatsError
        The file or a value in it is not as described.
    """
    names = [args.unit, args.rater, args.value, *further, *in_unit]
    names += [name for name in (args.cluster, args.by) if name]
    columns = read_columns(args.file, names)
    columns[args.value] = [_known(value) for value in columns[args.value]]
    n_rows = len(columns[args.unit])
    for name in dict.fromkeys(names):
        if name != args.value and None in columns[name]:
            row = columns[name].index(None) + 1
            raise StatsError(f"{args.file}: rating {row} has no {name}")
    groups = [ALL] * n_rows if not args.by else list(map(_text, columns[args.by]))
    rows_of: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        rows_of.setdefault(group, []).append(row)
    return [
        _group(args, name, rows_of[name], columns, further, in_unit)
        for name in sorted(rows_of)
    ]


def _group(
    args: Namespace,
    name: str,
    rows: list[int],
    columns: Columns,
    further: Sequence[str],
    in_unit: Sequence[str],
) -> Group:
    def of(column: str) -> list[Any]:
        values = columns[column]
        return [values[row] for row in rows]

    parts = [list(map(_text, of(column))) for column in (args.unit, *in_unit)]
    units = [JOIN.join(part) for part in zip(*parts, strict=True)]
    values, points, categories = scale_of(args, of(args.value))
    where = "" if name == ALL and not args.by else f"{args.by} {name}: "
    try:
        table = RatingTable.from_long(
            units,
            list(map(_text, of(args.rater))),
            values,
            points=points,
            clusters=list(map(_text, of(args.cluster))) if args.cluster else None,
        )
    except StatsError as error:
        text = str(error).replace(JOIN, " / ")
        raise StatsError(f"{args.file}: {where}{text}") from None
    labels = {
        column: _one_a_unit(args, table, units, list(map(_text, of(column))), column)
        for column in dict.fromkeys((*further, *in_unit))
    }
    return Group(name, table, categories, labels)


def _one_a_unit(
    args: Namespace,
    table: RatingTable,
    units: list[str],
    labels: list[str],
    column: str,
) -> list[str]:
    found = dict(zip(units, labels, strict=True))
    for unit, label in zip(units, labels, strict=True):
        if found[unit] != label:
            shown = unit.replace(JOIN, " / ")
            raise StatsError(f"{args.file}: unit {shown} has two values of {column}")
    return [found[unit] for unit in table.units]


def scale_of(
    args: Namespace, given: list[Any]
) -> tuple[list[float], tuple[float, ...], tuple[str, ...]]:
    """Return values as numbers, the scale, and the names of its points if any.

    Without `--points` the scale is made of the values in use. Values that are no
    numbers are categories, which `--level nominal` alone allows.

    Returns
    -------
    values : list of float
        NaN where missing.
    points : tuple of float
    categories : tuple of str

    Raises
    ------
    StatsError
        A value is no number although the level asks for one.
    """
    numbers = [_number(value) for value in given]
    wanted = None if not args.points else args.points.split(",")
    wanted_numbers = None if wanted is None else [_number(point) for point in wanted]
    no_number = [
        value
        for value, number in zip(given, numbers, strict=True)
        if number is None and value is not None
    ]
    categorical = bool(no_number) or (
        wanted_numbers is not None and None in wanted_numbers
    )
    if not categorical:
        values = [math.nan if number is None else number for number in numbers]
        if wanted_numbers is not None:
            return (
                values,
                tuple(point for point in wanted_numbers if point is not None),
                (),
            )
        used = sorted({number for number in numbers if number is not None})
        return values, tuple(used or [0.0]), ()
    if args.level != "nominal":
        shown = no_number[0] if no_number else args.points
        raise StatsError(
            f"{args.file}: value {shown!r} is not a number;"
            " for categories say --level nominal"
        )
    texts = [None if value is None else _text(value) for value in given]
    names = (
        [point.strip() for point in wanted]
        if wanted is not None
        else sorted({text for text in texts if text is not None})
    )
    place = {point: float(at) for at, point in enumerate(names)}
    for text in texts:
        if text is not None and text not in place:
            raise StatsError(
                f"{args.file}: value {text} is not on the scale ({', '.join(names)})"
            )
    values = [math.nan if text is None else place[text] for text in texts]
    return values, tuple(place.values()), tuple(names)


def _known(value: Any) -> Any:
    """Return a value, or None where it is NaN, which is how tables write a gap."""
    if isinstance(value, str):
        return None if value.lower() == "nan" else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _number(value: Any) -> float | None:
    """Return a value as a finite number, or None."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def _text(value: Any) -> str:
    """Return a label as text; a whole number reads the same from every format."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
