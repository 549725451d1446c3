"""The command `plan`."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from stats.cli.tables import read_groups
from stats.errors import StatsError
from stats.planning import (
    PlanRow,
    plan_agreement,
    plan_means,
    power_of_difference,
    price_next,
)
from stats.results import as_plain
from stats.variance import variance_split


def plan_command(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return designs and what they would give, as JSON and as lines.

    Raises
    ------
    StatsError
        Neither a pilot nor what to expect is given, or it is not as described.
    """
    units, per_unit = _whole(args.units, "--units"), _whole(args.per_unit, "--per-unit")
    if args.effect is not None:
        return _power(args, units)
    if not args.file:
        if args.shares is None or args.agreement is None:
            raise StatsError("give a pilot, or --shares and --agreement")
        rows = plan_agreement(
            _shares(args.shares),
            args.agreement,
            coefficient=args.coefficient,
            units=units,
            per_unit=per_unit,
            half_width=args.half_width,
            seconds_per_rating=args.seconds,
            seed=args.seed,
            level=args.confidence,
        )
        found = {"all": {"rows": as_plain(rows)}}
        return found, [f"{args.coefficient} of {args.agreement:g}", *_lines(rows)]
    if not (args.unit and args.rater and args.value and args.system):
        raise StatsError("a pilot needs --unit, --rater, --value and --system")
    pilot: dict[str, Any] = {}
    lines: list[str] = []
    further = [args.instance] if args.instance else []
    for group in read_groups(args, further, in_unit=[args.system]):
        table = group.table
        instances = (
            group.labels[args.instance]
            if args.instance
            else [unit.rsplit("\x1f", 1)[0] for unit in table.units]
        )
        try:
            split = variance_split(table, group.labels[args.system], instances)
        except StatsError as error:
            raise StatsError(f"{args.file}: {error}") from None
        rows = plan_means(
            split,
            groups=units,
            per_unit=per_unit,
            n_raters=max(table.n_raters, 1),
            half_width=args.half_width,
            seconds_per_rating=args.seconds,
            level=args.confidence,
        )
        n_groups = len(set(table.clusters))
        spent = price_next(
            split,
            n_groups=n_groups,
            instances_per_group=max(1, round(len(set(instances)) / n_groups)),
            per_unit=table.n_ratings / max(table.n_units, 1),
            n_raters=max(table.n_raters, 1),
            level=args.confidence,
        )
        pilot[group.name] = {
            "variance": {**as_plain(split), "shares": split.shares()},
            "rows": as_plain(rows),
            "next_100": as_plain(spent),
        }
        shares = ", ".join(f"{k} {v:.0%}" for k, v in split.shares().items())
        lines += [f"{group.name}: variance of one rating: {shares}"]
        lines += [f"  {split.note}"] if split.note else []
        lines += ["  difference of two systems on the same instances", *_lines(rows)]
        lines.append(
            f"  the next 100 ratings: {spent.now:.3f} now, {spent.as_items:.3f} as"
            f" items, {spent.as_raters:.3f} as raters"
        )
    return pilot, lines


def _power(args: Namespace, clusters: list[int]) -> tuple[dict[str, Any], list[str]]:
    if args.sd is None:
        raise StatsError("--effect needs --sd")
    power = power_of_difference(args.effect, args.sd, clusters)
    rows = [
        {"n_clusters": n, "power": one} for n, one in zip(clusters, power, strict=True)
    ]
    lines = [f"power to find a difference of {args.effect:g}, sd {args.sd:g}"]
    lines += [f"  {row['n_clusters']:6d} clusters  {row['power']:.3f}" for row in rows]
    return {"all": {"rows": rows}}, lines


def _lines(rows: Sequence[PlanRow]) -> list[str]:
    lines = ["   units  a unit  ratings    hours  half-width"]
    for row in rows:
        lines.append(
            f"  {row.n_units:6d}  {row.per_unit:6d}  {row.n_ratings:7d}"
            f"  {row.hours:7.1f}  {row.half_width:10.3f}"
            f"{'  enough' if row.enough else ''}"
        )
    return lines


def _whole(text: str, option: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise StatsError(f"{option} {text} is not a list of whole numbers") from None


def _shares(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise StatsError(f"--shares {text} is not a list of numbers") from None
