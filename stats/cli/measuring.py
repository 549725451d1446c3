"""The command `agreement`."""

from argparse import Namespace
from dataclasses import replace
from typing import Any

from stats.agreement import COEFFICIENTS, agreement
from stats.cli.printing import estimate_lines
from stats.cli.tables import read_groups
from stats.distribution import distribution, kappa_paradox
from stats.results import CONDITIONAL_ON_RATERS, Estimate

FOR_CATEGORIES = (
    "exact",
    "alpha_nominal",
    "kappa_fleiss",
    "kappa_cohen",
    "ac1",
    "brennan_prediger",
)
NEEDS_NUMBERS = "values are categories"


def agreement_command(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return every coefficient of each group, as JSON and as lines.

    Raises
    ------
    StatsError
        The file is not as described.
    """
    found: dict[str, Any] = {}
    lines: list[str] = []
    for group in read_groups(args):
        estimates = agreement(
            group.table, bootstrap=args.bootstrap, seed=args.seed, level=args.confidence
        )
        if group.categories:
            estimates = {
                name: one if name in FOR_CATEGORIES else without_value(one)
                for name, one in estimates.items()
            }
        found[group.name] = {name: estimates[name].as_dict() for name in COEFFICIENTS}
        given = distribution(group.table)
        lines.append(f"{group.name}  (level: {args.level})")
        names = group.categories or tuple(f"{point:g}" for point in given.points)
        shares = zip(names, given.counts.tolist(), strict=True)
        if len(names) <= 12:
            lines.append("  " + "  ".join(f"{name}: {count}" for name, count in shares))
        if not args.points:
            lines.append("  The scale is taken from the values in use (--points).")
        first = f"alpha_{args.level}"
        ordered = {first: estimates[first], **estimates}
        lines += [f"  {line}" for line in estimate_lines(ordered)]
        if given.counts.sum():
            kappa = estimates["kappa_fleiss"]
            said = kappa_paradox(estimates["exact"], kappa, estimates["ac1"], given)
            lines += [f"  {said}"] if said else []
    if args.bootstrap:
        lines.append(CONDITIONAL_ON_RATERS)
    return found, lines


def without_value(one: Estimate) -> Estimate:
    """Return the estimate as undefined, because it would need numbers."""
    return replace(
        one,
        value=None,
        low=None,
        high=None,
        note=one.note or NEEDS_NUMBERS,
        interval_note="",
        expected=None,
    )
