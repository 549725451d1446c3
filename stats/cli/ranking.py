"""The commands `rank` and `contrast`."""

from argparse import Namespace
from typing import Any

from stats.bradley_terry import bradley_terry
from stats.cli.printing import described, estimate_lines
from stats.cli.reading import read_columns
from stats.cli.tables import ALL, Group, read_groups
from stats.contrasts import contrasts
from stats.errors import StatsError
from stats.rank_sets import RankSets
from stats.results import as_plain
from stats.systems import compare_systems, system_means
from stats.votes import VoteTable

SPELLINGS = {
    "first": "first",
    "left": "first",
    "a": "first",
    "second": "second",
    "right": "second",
    "b": "second",
    "tie": "tie",
    "draw": "tie",
}


def rank_command(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return systems in order, by votes or by ratings, as JSON and as lines.

    Raises
    ------
    StatsError
        The file is not as described, or it is not clear which columns to use.
    """
    votes = (args.first, args.second, args.outcome)
    ratings = (args.unit, args.rater, args.value, args.system)
    if all(votes):
        return _by_votes(args)
    if any(votes):
        raise StatsError("votes need --first, --second and --outcome")
    if not all(ratings):
        raise StatsError(
            "ratings need --unit, --rater, --value and --system;"
            " votes need --first, --second and --outcome"
        )
    found: dict[str, Any] = {}
    lines: list[str] = []
    further = [args.instance] if args.instance else []
    for group in read_groups(args, further, in_unit=[args.system]):
        systems = group.labels[args.system]
        instances = (
            group.labels[args.instance]
            if args.instance
            else [unit.rsplit("\x1f", 1)[0] for unit in group.table.units]
        )
        means = system_means(
            group.table,
            systems,
            bootstrap=args.bootstrap,
            seed=args.seed,
            level=args.confidence,
        )
        try:
            compared = compare_systems(
                group.table,
                systems,
                instances,
                bootstrap=args.bootstrap,
                seed=args.seed,
                level=args.confidence,
            )
        except StatsError as error:
            raise StatsError(f"{args.file}: {error}") from None
        found[group.name] = {
            "means": as_plain(means),
            "differences": as_plain(compared.differences),
            "ranking": as_plain(compared.ranking),
        }
        lines += [group.name, *_lettered(compared.ranking)]
        lines += ["  means", *(f"    {line}" for line in estimate_lines(means))]
        lines.append("  paired differences")
        for one in compared.differences:
            p_holm = "-" if one.p_holm is None else f"{one.p_holm:.4f}"
            lines.append(
                f"    {one.first} - {one.second}: {described(one.difference)};"
                f" {one.wins} won, {one.ties} tied, {one.losses} lost; Holm p {p_holm}"
            )
    return found, lines


def _lettered(ranking: RankSets) -> list[str]:
    width = max((len(name) for name in ranking.systems), default=0)
    return [
        f"  {name:<{width}}  {letters:<4} rank {low}"
        + (f" to {high}" if high > low else "")
        for name, letters, (low, high) in zip(
            ranking.systems, ranking.letters, ranking.ranks, strict=True
        )
    ]


def _by_votes(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    names = [args.first, args.second, args.outcome]
    names += [name for name in (args.cluster, args.by) if name]
    columns = read_columns(args.file, names)
    for name in names:
        if None in columns[name]:
            row = columns[name].index(None) + 1
            raise StatsError(f"{args.file}: vote {row} has no {name}")
    groups = columns[args.by] if args.by else [ALL] * len(columns[args.first])
    found: dict[str, Any] = {}
    lines: list[str] = []
    for group in sorted({str(name) for name in groups}):
        rows = [row for row, name in enumerate(groups) if str(name) == group]
        taken = {name: [str(columns[name][row]) for row in rows] for name in names}
        outcomes = [SPELLINGS.get(said.lower(), said) for said in taken[args.outcome]]
        try:
            votes = VoteTable.from_long(
                taken[args.first],
                taken[args.second],
                outcomes,
                clusters=taken[args.cluster] if args.cluster else None,
            )
            fitted = bradley_terry(
                votes,
                ties=args.ties,
                order_effect=not args.no_order_effect,
                prior_sd=args.prior,
                bootstrap=args.bootstrap,
                seed=args.seed,
                level=args.confidence,
            )
        except StatsError as error:
            raise StatsError(f"{args.file}: {error}") from None
        found[group] = as_plain(fitted)
        lines += [f"{group}  ({fitted.note})", *_lettered(fitted.ranking)]
        lines += [f"    {line}" for line in estimate_lines(fitted.strengths)]
        effects = {"order": fitted.order_effect, "tie": fitted.tie_effect}
        lines += [f"    {line}" for line in estimate_lines(effects)]
    return found, lines


def contrast_command(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return contrasts between conditions in each group, as JSON and as lines.

    Raises
    ------
    StatsError
        The file is not as described, or a condition does not occur.
    """
    pairs = [tuple(text.split(":")) for text in args.contrast]
    wrong = [text for text in args.contrast if len(text.split(":")) != 2]
    if wrong:
        raise StatsError(f"--contrast {wrong[0]} is not of the form target:neutral")
    found: dict[str, Any] = {}
    lines: list[str] = []
    in_unit = [args.condition, *args.stratum]
    for group in read_groups(args, [args.script], in_unit=in_unit):
        try:
            rows = contrasts(
                group.table,
                group.labels[args.condition],
                group.labels[args.script],
                [(pair[0], pair[1]) for pair in pairs],
                strata=_strata(args, group),
                bootstrap=args.bootstrap,
                seed=args.seed,
                level=args.confidence,
            )
        except StatsError as error:
            raise StatsError(f"{args.file}: {error}") from None
        found[group.name] = as_plain(rows)
        lines.append(group.name)
        for row in rows:
            p_holm = "-" if row.p_holm is None else f"{row.p_holm:.4f}"
            lines.append(
                f"  {row.stratum} {row.condition} - {row.reference}:"
                f" {described(row.difference)}; Holm p {p_holm}"
            )
    return found, lines


def _strata(args: Namespace, group: Group) -> list[str] | None:
    if not args.stratum:
        return None
    labels = [group.labels[column] for column in args.stratum]
    return [" / ".join(parts) for parts in zip(*labels, strict=True)]
