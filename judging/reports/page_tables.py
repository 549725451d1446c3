"""The tables of one dimension in words: figures as a reader meets them."""

from collections.abc import Iterable
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


def table_of(
    caption: str, columns: Iterable[str], rows: Iterable[Iterable[Any]], words: int = 1
) -> Table:
    """Return a table whose first `words` columns are words and the rest numbers.

    A last column called "Note" is words too; where it says the same in every row, that
    stands once below the table instead.
    """
    heads, lines = list(columns), [list(row) for row in rows]
    note = _("Note")
    below = ""
    if heads[-1] == note and len({row[-1] for row in lines}) <= 1:
        below = lines[0][-1] if lines else ""
        heads, lines = heads[:-1], [row[:-1] for row in lines]

    def cells(values: list[Any]) -> list[Cell]:
        return [
            Cell(
                NONE if text is None else str(text),
                at >= words and heads[at] != note,
            )
            for at, text in enumerate(values)
        ]

    below = below[:1].upper() + below[1:] + "." if below else ""
    return Table(caption, cells(heads), [cells(row) for row in lines], below)


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
    """Return why a number or its interval is missing, or what to beware of.

    Pairs of raters that a mean over pairs could not take in are counted here.
    """
    said = [found.get("note") or found.get("interval_note") or ""]
    said += [
        _("%(n)s %(reason)s left out") % {"n": n, "reason": reason}
        for reason, n in sorted(found.get("dropped", {}).items())
        if reason.startswith("pairs ")
    ]
    return "; ".join(filter(None, said))


def point_names(one: Figures) -> list[str]:
    """Return how each point of the scale is called, in ascending order."""
    ordered = sorted(one["points"], key=lambda point: point["value"])
    return [str(point.get("label") or point["value"]) for point in ordered]


def distribution_table(one: Figures) -> Table:
    names = point_names(one)
    spread = one["distribution"]
    rows = [[_("All people"), *_shares(spread)]]
    rows += [[rater, *_shares(own)] for rater, own in sorted(spread["raters"].items())]
    return table_of(
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
    return table_of(
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
            for name in NAMES
            if (found := one["coefficients"].get(name))
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
    return table_of(
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
    return table_of(
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
    return table_of(
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
    return table_of(
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
    return table_of(
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
