"""The command `compare`."""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from stats.cli.printing import described, estimate_lines
from stats.cli.tables import Group, read_groups
from stats.errors import StatsError
from stats.judges import (
    alt_test,
    ceiling,
    confusion,
    family_preference,
    judge_profile,
    leave_one_out,
    system_correlations,
)
from stats.results import CONDITIONAL_ON_RATERS, Estimate, as_plain


def compare_command(args: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return each judge against people in each group, as JSON and as lines.

    Raises
    ------
    StatsError
        The file is not as described, or a rater is not in it.
    """
    further = [name for name in (args.system, args.family) if name]
    found: dict[str, Any] = {}
    lines: list[str] = []
    for group in read_groups(args, further):
        people = _people(args, group)
        found[group.name] = {}
        for judge in dict.fromkeys(args.judge):
            figures, said = _one_judge(args, group, judge, people)
            found[group.name][judge] = figures
            lines += [f"{group.name}: {judge} against {len(people)} people", *said]
    lines.append(CONDITIONAL_ON_RATERS)
    return found, lines


def _people(args: Namespace, group: Group) -> list[str]:
    if not args.people:
        return [label for label in group.table.raters if label not in args.judge]
    people = [name.strip() for name in args.people.split(",")]
    unknown = [name for name in people if name not in group.table.raters]
    if unknown:
        raise StatsError(f"{args.file}: no rater {unknown[0]}")
    return people


def _one_judge(
    args: Namespace, group: Group, judge: str, people: list[str]
) -> tuple[dict[str, Any], list[str]]:
    table = group.table
    bootstrap, seed, level = args.bootstrap, args.seed, args.confidence
    both = ceiling(table, judge, people, bootstrap=bootstrap, seed=seed, level=level)
    left = leave_one_out(
        table,
        judge,
        people,
        measure=args.measure,
        bootstrap=bootstrap,
        seed=seed,
        level=level,
    )
    profile = judge_profile(
        table, judge, people, bootstrap=bootstrap, seed=seed, level=level
    )
    tested = alt_test(table, judge, people, epsilon=args.epsilon, measure=args.measure)
    sides = {"judge": left.judge, "person": left.person, "difference": left.difference}
    figures: dict[str, Any] = {
        "agreement": as_plain(both),
        "leave_one_out": {
            "measure": args.measure,
            **as_plain(sides),
            "by_person": {
                name: dict(zip(("judge", "person", "n_units"), row, strict=True))
                for name, row in left.by_person.items()
            },
        },
        "profile": as_plain(profile),
        "alternative_annotator_test": as_plain(tested),
        "confusion": {
            "points": list(table.points),
            "people_by_judge": confusion(table, judge, people).tolist(),
        },
    }
    lines = ["  judge with people", *_indented(both.judge)]
    lines += ["  people with each other, on the same units", *_indented(both.people)]
    lines += [f"  leave one out ({args.measure})", *_indented(sides)]
    lines += ["  profile", *_indented(profile)]
    if tested.winning_rate is None:
        lines.append(f"  alternative annotator test: {tested.note}")
    else:
        lines.append(
            f"  alternative annotator test: winning rate {tested.winning_rate:.2f},"
            f" advantage {tested.advantage:.2f}, epsilon {tested.epsilon:g}:"
            f" {'passed' if tested.passed else 'not passed'}"
        )
    if args.system:
        systems = system_correlations(
            table,
            judge,
            group.labels[args.system],
            people,
            bootstrap=bootstrap,
            seed=seed,
            level=level,
        )
        figures["systems"] = as_plain(systems)
        lines += ["  over systems", *_indented(systems)]
    if args.family:
        families = family_preference(
            table,
            judge,
            group.labels[args.family],
            people,
            bootstrap=bootstrap,
            seed=seed,
            level=level,
        )
        figures["families"] = as_plain(families)
        lines += ["  preference by family"]
        lines += [f"    {name}: {described(one)}" for name, one in families.items()]
    return figures, lines


def _indented(found: Mapping[str, Estimate]) -> list[str]:
    return [f"    {line}" for line in estimate_lines(found)]
