"""What the commands take, and how their errors are told."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from stats.chance_corrected import LEVELS
from stats.cli import comparing, measuring, planning, ranking
from stats.errors import StatsError

Command = Callable[[argparse.Namespace], tuple[dict[str, Any], list[str]]]


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        raise StatsError(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Left out, those of the process.

    Returns
    -------
    int
        0; or 2 after one line on the error stream where the input is not as described.
    """
    try:
        args = _parser().parse_args(arguments)
        command: Command = args.command
        found, lines = command(args)
        text = (
            json.dumps(found, indent=2, allow_nan=False, ensure_ascii=False)
            if args.json
            else "\n".join(lines)
        )
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except StatsError as error:
        sys.stderr.write(f"stats: {' '.join(str(error).split())}\n")
        return 2
    except BrokenPipeError:
        # The reader has seen enough; without this the interpreter complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m stats", description="Statistics of ratings, from a file."
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    add = commands.add_parser

    agreement = add("agreement", help="agreement of raters, with intervals")
    _ratings(agreement)
    agreement.set_defaults(command=measuring.agreement_command)

    compare = add("compare", help="a judge against people")
    _ratings(compare)
    compare.add_argument("--judge", action="append", required=True, metavar="RATER")
    compare.add_argument("--people", metavar="A,B", help="left out: all but the judges")
    compare.add_argument("--system", metavar="COLUMN")
    compare.add_argument("--family", metavar="COLUMN")
    compare.add_argument("--epsilon", type=float, default=0.2)
    compare.add_argument(
        "--measure", choices=("exact", "within_one", "distance"), default="distance"
    )
    compare.set_defaults(command=comparing.compare_command)

    rank = add("rank", help="systems by ratings, or by votes")
    _ratings(rank, required=False)
    rank.add_argument("--system", metavar="COLUMN")
    rank.add_argument("--instance", metavar="COLUMN", help="left out: the unit")
    rank.add_argument("--first", metavar="COLUMN", help="votes: the system heard first")
    rank.add_argument("--second", metavar="COLUMN")
    rank.add_argument("--outcome", metavar="COLUMN", help="first, tie or second")
    rank.add_argument("--ties", choices=("davidson", "half"), default="davidson")
    rank.add_argument("--prior", type=float, default=2.0, metavar="SD")
    rank.add_argument("--no-order-effect", action="store_true")
    rank.set_defaults(command=ranking.rank_command)

    contrast = add("contrast", help="conditions compared within the script")
    _ratings(contrast)
    contrast.add_argument("--condition", required=True, metavar="COLUMN")
    contrast.add_argument("--script", required=True, metavar="COLUMN")
    contrast.add_argument("--stratum", action="append", default=[], metavar="COLUMN")
    contrast.add_argument(
        "--contrast", action="append", required=True, metavar="TARGET:NEUTRAL"
    )
    contrast.set_defaults(command=ranking.contrast_command)

    plan = add("plan", help="how many ratings a wished precision needs")
    _ratings(plan, required=False, file=False)
    plan.add_argument("file", nargs="?", help="a pilot; left out, state what to expect")
    plan.add_argument("--system", metavar="COLUMN")
    plan.add_argument("--instance", metavar="COLUMN")
    plan.add_argument("--shares", metavar="P,P,P", help="how often each point comes")
    plan.add_argument("--agreement", type=float, metavar="VALUE")
    plan.add_argument("--effect", type=float, help="a difference to find, for power")
    plan.add_argument("--sd", type=float, help="of differences between clusters")
    plan.add_argument("--coefficient", default="alpha_ordinal")
    plan.add_argument("--units", default="50,100,200,400,800", metavar="N,N")
    plan.add_argument("--per-unit", default="2,3,5", metavar="N,N")
    plan.add_argument("--half-width", type=float, default=0.05)
    plan.add_argument("--seconds", type=float, default=30.0, help="for one rating")
    plan.set_defaults(command=planning.plan_command)
    return parser


def _ratings(
    parser: argparse.ArgumentParser, *, required: bool = True, file: bool = True
) -> None:
    if file:
        parser.add_argument("file", help=".csv, .tsv, .jsonl or .parquet")
    parser.add_argument("--unit", required=required, metavar="COLUMN")
    parser.add_argument("--rater", required=required, metavar="COLUMN")
    parser.add_argument("--value", required=required, metavar="COLUMN")
    parser.add_argument("--by", metavar="COLUMN", help="a table for each of its values")
    parser.add_argument(
        "--cluster", metavar="COLUMN", help="the group to resample; left out: the unit"
    )
    parser.add_argument("--level", choices=LEVELS, default="ordinal")
    parser.add_argument("--points", metavar="1,2,3", help="left out: values in use")
    parser.add_argument("--bootstrap", type=_resamples, default=1000, metavar="N")
    parser.add_argument("--seed", type=_seed, default=0)
    parser.add_argument("--confidence", type=_confidence, default=0.95)
    parser.add_argument("--json", action="store_true")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number") from None


def _resamples(text: str) -> int:
    number = _whole(text)
    if number < 0 or number > 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1000000")
    return number


def _seed(text: str) -> int:
    number = _whole(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def _confidence(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number
