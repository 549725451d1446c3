"""Ratings and reports as files: CSV as a stream, JSON, and HTML that stands alone."""

import json
import re
from collections.abc import Iterator

from django.template.loader import render_to_string

from annotate.models import Study
from judging.models import Report
from judging.reports.pages import page_of
from judging.reports.tables import COLUMNS, RatingRow, rating_rows

BYTE_ORDER_MARK = "\ufeff"
STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
A_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
MUST_BE_QUOTED = re.compile('[",\r\n]')


def ratings_csv(study: Study, *, spreadsheet: bool = False) -> Iterator[str]:
    """Yield `ratings.csv` line by line: columns as pinned, LF, numbers plain.

    Parameters
    ----------
    study : Study
    spreadsheet : bool
        For Excel and its like: a byte order mark first, and an apostrophe before text
        that would be taken for a formula. Otherwise every cell is as it is stored.

    Yields
    ------
    str
    """
    yield (BYTE_ORDER_MARK if spreadsheet else "") + ",".join(COLUMNS) + "\n"
    for row in rating_rows(study):
        yield csv_line(row, spreadsheet=spreadsheet)


def csv_line(row: RatingRow, *, spreadsheet: bool = False) -> str:
    """Return one row of `ratings.csv`, its end included."""
    return ",".join(_cell(value, spreadsheet) for value in row) + "\n"


def _cell(value: str | float | None, spreadsheet: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return plain_number(value)
    if spreadsheet and value.startswith(STARTS_A_FORMULA):
        value = value if A_NUMBER.fullmatch(value) else f"'{value}"
    if MUST_BE_QUOTED.search(value):
        return '"' + value.replace('"', '""') + '"'
    return value


def plain_number(number: float) -> str:
    """Return a number without a needless point.

    Examples
    --------
    >>> plain_number(3.0), plain_number(-0.25)
    ('3', '-0.25')
    """
    return str(int(number)) if number == int(number) else repr(number)


def report_json(report: Report) -> str:
    """Return a report's figures and method; undefined ones are null with a note."""
    figures = {key: value for key, value in report.body.items() if key != "plots"}
    figures["inputs_sha256"] = report.inputs_sha256
    text = json.dumps(
        figures, ensure_ascii=False, indent=2, allow_nan=False, sort_keys=True
    )
    return text + "\n"


def report_html(report: Report) -> str:
    """Return a report as one page that needs nothing else, without any script."""
    page = page_of(report.body) | {"title": report.body["study"]["title"]}
    context = {"report": report, "page": page}
    return render_to_string("judging/report_file.html", context)
