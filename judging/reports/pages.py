"""A stored report as tables of words: what the page and the HTML file both show."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

Figures = dict[str, Any]
NONE = "—"
NAMES = {
    "exact": "Exact agreement",
    "within_one": "Within one point",
    "alpha_ordinal": "Ordinal alpha",
    "kappa_quadratic": "Quadratic kappa",
    "ac2_quadratic": "AC2, quadratic",
    "kappa_cohen": "Cohen's kappa",
    "alpha_nominal": "Nominal alpha",
    "ac1": "AC1",
    "strict": "Same order, strict",
    "tolerant": "Same order, tie-tolerant",
}


@dataclass
class Cell:
    text: str
    is_number: bool = True


@dataclass
class Table:
    """A table ready to be written: the first cell of a row is its head."""

    caption: str
    columns: list[Cell]
    rows: list[list[Cell]] = field(default_factory=list)
    note: str = ""


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


def _table(
    caption: str, columns: Iterable[str], rows: Iterable[Iterable[Any]], words: int = 1
) -> Table:
    """Return a table whose first `words` columns are words and the rest numbers.

    A last column called "Note" is words too.
    """
    heads = list(columns)
    note = _("Note")

    def cells(values: Iterable[Any]) -> list[Cell]:
        return [
            Cell(
                NONE if text is None else str(text),
                at >= words and heads[at] != note,
            )
            for at, text in enumerate(values)
        ]

    return Table(caption, cells(heads), [cells(row) for row in rows])


def number(value: float | None, digits: int = 2) -> str:
    """Return a number as the page shows it, a dash where there is none."""
    return NONE if value is None else f"{value:.{digits}f}"


def interval(found: Figures) -> str:
    if found.get("low") is None:
        return NONE
    return _("%(low)s to %(high)s") % {
        "low": number(found["low"]),
        "high": number(found["high"]),
    }


def why(found: Figures) -> str:
    """Return why a number or its interval is missing, or what to beware of."""
    return found.get("note") or found.get("interval_note") or ""


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
    return _table(
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
    return Section(
        one["key"],
        label,
        lede,
        one["note"] or one.get("paradox", ""),
        [plots[name] for name in ("distribution", "systems") if plots.get(name)],
        [table for table in tables if table is not None],
    )


def point_names(one: Figures) -> list[str]:
    """Return how each point of the scale is called, in ascending order."""
    ordered = sorted(one["points"], key=lambda point: point["value"])
    return [str(point.get("label") or point["value"]) for point in ordered]


def distribution_table(one: Figures) -> Table:
    names = point_names(one)
    spread = one["distribution"]
    rows = [[_("All people"), *_shares(spread)]]
    rows += [[rater, *_shares(own)] for rater, own in spread["raters"].items()]
    return _table(
        _("How often each point was given: %s") % one["label"],
        [_("Rater"), *names],
        rows,
    )


def _shares(found: Figures) -> list[str]:
    return [
        f"{count} ({share:.0%})" if share is not None else f"{count}"
        for count, share in zip(found["counts"], found["shares"], strict=True)
    ]


def coefficient_table(caption: str, one: Figures) -> Table:
    return _table(
        caption,
        [
            _("Coefficient"),
            _("Value"),
            _("95 % interval"),
            _("By chance"),
            _("Units"),
            _("Ratings"),
            _("Note"),
        ],
        [
            [
                _(NAMES[name]),
                number(found["value"]),
                interval(found),
                number(found["expected"]),
                found["n_units"],
                found["n_ratings"],
                why(found),
            ]
            for name, found in one["coefficients"].items()
        ],
    )


def ranking_table(one: Figures) -> Table:
    """Return pair ranking among people, and of each judge with people."""
    compared = [(_("People"), one["pair_ranking"])]
    compared += [
        (judge["rater"], judge.get("pair_ranking", {"note": judge["note"]}))
        for judge in one["judges"]
    ]
    rows = []
    for who, found in compared:
        for kind in ("strict", "tolerant"):
            rows.append([who, _(NAMES[kind]), *_ranked(found, kind)])
    return _table(
        _("Do raters order the two replies alike? %s") % one["label"],
        [
            _("With people"),
            _("Figure"),
            _("Agreement A"),
            _("95 % interval"),
            _("Expected E"),
            _("(A − E) / (1 − E)"),
            _("Tie share"),
            _("Note"),
        ],
        rows,
        words=2,
    )


def _ranked(found: Figures, kind: str) -> list[str]:
    if kind not in found:
        return [NONE] * 5 + [found.get("note", "")]
    figure, corrected = found[kind], found[f"{kind}_corrected"]
    return [
        number(figure["value"]),
        interval(figure),
        number(figure["expected"]),
        number(corrected["value"]),
        number(found["tie_share"]["value"]),
        why(figure) or corrected["note"],
    ]


def judge_table(one: Figures) -> Table | None:
    """Return each judge's agreement with people beside people's with each other."""
    rows = []
    for judge in one["judges"]:
        if judge["note"]:
            rows.append([judge["rater"], NONE, NONE, NONE, NONE, NONE, judge["note"]])
            continue
        for name in ("exact", "within_one", "kappa_cohen", "kappa_quadratic"):
            mine, theirs = judge["judge"][name], judge["people"][name]
            rows.append(
                [
                    judge["rater"],
                    _(NAMES[name]),
                    number(mine["value"]),
                    interval(mine),
                    number(theirs["value"]),
                    interval(theirs),
                    why(mine) or theirs["note"],
                ]
            )
        bias = judge["profile"]["bias"]
        rows.append(
            [
                judge["rater"],
                _("Bias: judge less people"),
                number(bias["value"]),
                interval(bias),
                NONE,
                NONE,
                why(bias),
            ]
        )
    if not rows:
        return None
    return _table(
        _("Judges with people, on the replies both rated: %s") % one["label"],
        [
            _("Judge"),
            _("Figure"),
            _("Judge with people"),
            _("95 % interval"),
            _("People with each other"),
            _("95 % interval"),
            _("Note"),
        ],
        rows,
        words=2,
    )


def confusion_table(one: Figures) -> Table | None:
    names = point_names(one)
    rows = [
        [judge["rater"], name, *counts]
        for judge in one["judges"]
        if "confusion" in judge
        for name, counts in zip(names, judge["confusion"], strict=True)
    ]
    if not rows:
        return None
    return _table(
        _("People's point (rows) where the judge gave (columns): %s") % one["label"],
        [_("Judge"), _("People gave"), *names],
        rows,
        words=2,
    )


def system_table(one: Figures) -> Table | None:
    """Return the mean of each system by people, and apart by each judge."""
    compared = [(_("People"), one["systems"])]
    compared += [
        (judge["rater"], judge["systems"])
        for judge in one["judges"]
        if "systems" in judge
    ]
    rows = []
    for who, found in compared:
        if not found["means"]:
            rows.append([NONE, who, NONE, NONE, 0, 0, found["note"]])
        for mean in found["means"]:
            rows.append(
                [
                    mean["system"],
                    who,
                    number(mean["value"]),
                    interval(mean),
                    mean["n_units"],
                    mean["n_ratings"],
                    why(mean),
                ]
            )
    return _table(
        _("Systems' means: %s") % one["label"],
        [
            _("System"),
            _("Rated by"),
            _("Mean"),
            _("95 % interval"),
            _("Replies"),
            _("Ratings"),
            _("Note"),
        ],
        rows,
        words=2,
    )


def difference_table(one: Figures) -> Table | None:
    rows = []
    for gap in one["systems"]["differences"]:
        found = gap["difference"]
        rows.append(
            [
                f"{gap['first']} − {gap['second']}",
                number(found["value"]),
                interval(found),
                interval(gap),
                number(gap["p_holm"], 3),
                f"{gap['wins']} / {gap['ties']} / {gap['losses']}",
                found["n_units"],
                why(found),
            ]
        )
    if not rows:
        return None
    return _table(
        _("Differences within the instance, by people: %s") % one["label"],
        [
            _("Systems"),
            _("Difference"),
            _("95 % interval"),
            _("All pairs at once"),
            _("p (Holm)"),
            _("Better / equal / worse"),
            _("Instances"),
            _("Note"),
        ],
        rows,
    )


def rater_table(raters: list[Figures]) -> Table:
    def side(one: Figures, show: Callable[[Figures], str]) -> str:
        return show(one["sides"]) if one["sides"] else NONE

    return _table(
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
    table = _table(
        _("What is left out, and why"),
        [_("What"), _("Reason"), _("Number")],
        rows,
        words=2,
    )
    if not rows:
        table.note = _("Nothing was left out.")
    return table
