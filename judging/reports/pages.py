"""A stored report as tables of words: what the page and the HTML file both show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from judging.reports.page_tables import (
    NAMES,
    NONE,
    Table,
    coefficient_table,
    confusion_table,
    difference_table,
    distribution_table,
    interval,
    judge_table,
    number,
    ranking_table,
    system_table,
    table_of,
    why,
)

Figures = dict[str, Any]


@dataclass
class Section:
    """One dimension's part of the report."""

    key: str
    label: str
    lede: str
    note: str
    plots: list[str]
    tables: list[Table]


def page_of(body: Figures) -> Figures:
    """Return what a template needs of a stored report, in reading order.

    Parameters
    ----------
    body : dict
        `Report.body`.

    Returns
    -------
    dict
        `headline`, `plot` and `overview` of agreement, `sections` by dimension,
        `raters`, `counts`, `left_out` and `method`.
    """
    plots = body.get("plots", {})
    return {
        "headline": body["headline"],
        "plot": plots.get("agreement", ""),
        "overview": overview(body["dimensions"]),
        "sections": [
            _section(one, plots.get("dimensions", {}).get(one["key"], {}))
            for one in body["dimensions"]
        ],
        "raters": rater_table(body["raters"]),
        "facts": _facts(body),
        "left_out": left_out(body["counts"]),
        "method": body["method"],
    }


def overview(dimensions: list[Figures]) -> Table:
    names = ("exact", "within_one", "alpha_ordinal", "kappa_quadratic", "ac2_quadratic")
    rows = []
    for one in dimensions:
        found = one.get("coefficients", {})
        cells = [number(found.get(name, {}).get("value")) for name in names]
        alpha = found.get("alpha_ordinal", {"note": one["note"]})
        cells.insert(3, interval(alpha))
        rows.append([one["label"], one.get("n_units", 0), *cells, why(alpha)])
    heads = [_(NAMES[name]) for name in names]
    heads.insert(3, _("95 % interval of alpha"))
    return table_of(
        _("Agreement among people, by dimension"),
        [_("Dimension"), _("Units"), *heads, _("Note")],
        rows,
    )


def _section(one: Figures, plots: dict[str, str]) -> Section:
    label = one["label"]
    tables: list[Table | None] = []
    if "coefficients" in one:
        tables += [
            distribution_table(one),
            coefficient_table(_("Agreement among people: %s") % label, one),
            ranking_table(one),
            judge_table(one),
            confusion_table(one),
            system_table(one),
            difference_table(one),
        ]
    lede = _(
        "%(ratings)s ratings by %(raters)s people of %(units)s replies in %(groups)s"
        " groups."
    ) % {
        "ratings": one.get("n_ratings", 0),
        "raters": one.get("n_raters", 0),
        "units": one.get("n_units", 0),
        "groups": one.get("n_groups", 0),
    }
    few = one.get("coefficients", {}).get("exact", {}).get("dropped", {})
    if few.get("units with one rating"):
        lede += " " + _("%(n)s replies have one rating and enter no agreement.") % {
            "n": few["units with one rating"]
        }
    return Section(
        one["key"],
        label,
        lede,
        one["note"] or one.get("paradox", ""),
        [plots[name] for name in ("distribution", "systems") if plots.get(name)],
        [table for table in tables if table is not None],
    )


def rater_table(raters: list[Figures]) -> Table:
    def side(one: Figures, show: Callable[[Figures], str]) -> str:
        return show(one["sides"]) if one["sides"] else NONE

    return table_of(
        _("Each rater"),
        [
            _("Rater"),
            _("Kind"),
            _("Items"),
            _("Ratings"),
            _("Mean"),
            _("Severity"),
            _("Agreement with the others"),
            _("First side better"),
            _("p"),
            _("q over raters"),
            _("Tie rate"),
            _("Minutes an item"),
        ],
        [
            [
                one["rater"],
                one["kind"],
                one["n_items"],
                one["n_ratings"],
                number(one["mean"]),
                number(one["severity"]),
                number(one["exact"]),
                side(one, lambda found: number(found["first_rate"])),
                side(one, lambda found: number(found["p_value"], 3)),
                side(one, lambda found: number(found["q_value"], 3)),
                side(one, lambda found: number(found["tie_rate"])),
                number(one["minutes_per_item"], 1),
            ]
            for one in raters
        ],
        words=2,
    )


def _facts(body: Figures) -> list[tuple[str, Any]]:
    found = body["counts"]
    return [
        (_("People"), body["n_people"]),
        (_("Ratings by people"), found["n_ratings_of_people"]),
        (_("Assigned"), found["n_assigned"]),
        (_("Submitted"), found["n_submitted"]),
        (_("Skipped"), found["n_skipped"]),
        (_("Surplus"), found["n_surplus"]),
    ]


def left_out(found: Figures) -> Table:
    """Return all that was dealt and does not count, by reason."""
    rows = [
        [_("Excluded"), f"{one['reason']} ({one['of']})", one["n"]]
        for one in found["exclusions"]
    ]
    if found["n_surplus"]:
        rows.append(
            [_("Surplus"), _("submitted beyond the overlap"), found["n_surplus"]]
        )
    rows += [
        [_("Skipped"), one["reason"] or _("no reason given"), one["n"]]
        for one in found["skipped"]
    ]
    rows += [
        [_("Ended"), one["reason"], one["n"]]
        for one in found["n_ended"]
        if one["reason"] != "skipped"
    ]
    table = table_of(
        _("What is left out, and why"),
        [_("What"), _("Reason"), _("Number")],
        rows,
        words=2,
    )
    if not rows:
        table.note = _("Nothing was left out.")
    return table
