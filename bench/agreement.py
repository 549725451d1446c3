"""Time the statistics, and print ratios against the floors.

    python bench/agreement.py [--ratings 1000000] [--quick] [--floors DIRECTORY]

The floors are short numpy scripts beside the project (`../shared/bench`); without them
only the own figures are printed. Ratios of one run on one machine can be compared,
seconds of different machines cannot. Exits 1 where a target is missed.
"""

import argparse
import importlib.util
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from stats.agreement import agreement  # noqa: E402
from stats.bradley_terry import bradley_terry  # noqa: E402
from stats.category import specific_agreement  # noqa: E402
from stats.distribution import distribution  # noqa: E402
from stats.judges import (  # noqa: E402
    alt_test,
    ceiling,
    confusion,
    family_preference,
    judge_profile,
    leave_one_out,
    sensitivity,
    system_correlations,
)
from stats.pair_ranking import PairTable, pair_ranking  # noqa: E402
from stats.raters import rater_panel  # noqa: E402
from stats.systems import compare_systems, system_means  # noqa: E402
from stats.table import RatingTable  # noqa: E402
from stats.votes import VoteTable  # noqa: E402

ALPHAS = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
missed: list[str] = []


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def verdict(what: str, figure: float, most: float, unit: str) -> None:
    held = figure <= most
    if not held:
        missed.append(what)
    said = "" if held else "  MISSED"
    say(f"  {what}: {figure:.2f}{unit} (at most {most:g}{unit}){said}")


def best(call: Callable[[], Any], times: int = 3) -> float:
    """Return the shortest of several runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def floor_module(directory: Path, name: str) -> Any:
    """Return a module of the floors, or None where there is none."""
    path = directory / f"{name}.py"
    if not path.is_file():
        return None
    sys.path.insert(0, str(directory))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ratings(n: int, size: int, n_raters: int = 50) -> tuple[np.ndarray, ...]:
    """Return unit, rater, value and cluster of ratings in no order, three a unit."""
    rng = np.random.default_rng(0)
    n_units = n // 3
    cluster = np.arange(n_units) // size
    level = rng.normal(size=cluster.max() + 1)[cluster] + 0.5 * rng.normal(size=n_units)
    unit = np.repeat(np.arange(n_units), 3)
    value = np.digitize(level[unit] + rng.normal(size=3 * n_units), [-0.8, 0.4])
    order = rng.random((n_units, n_raters), dtype=np.float32)
    rater = np.argpartition(order, 3, axis=1)[:, :3].ravel()
    mixed = rng.permutation(3 * n_units)
    return unit[mixed], rater[mixed], value[mixed], cluster


def table_of(columns: tuple[np.ndarray, ...]) -> RatingTable:
    unit, rater, value, cluster = columns
    return RatingTable.from_long(
        unit, rater, value, points=(0, 1, 2), clusters=cluster[unit]
    )


def own_alphas(columns: tuple[np.ndarray, ...]) -> None:
    agreement(table_of(columns), coefficients=ALPHAS)


def floor_alphas(floor: Any, columns: tuple[np.ndarray, ...]) -> None:
    unit, _, value, cluster = columns
    counts = floor.counts_from_long(unit, value, len(cluster), 3)
    levels = ["nominal", "ordinal", "interval"]
    floor.cluster_bootstrap(counts, cluster, levels, [1, 2, 3], 1000)


def three_alphas(n: int, floor: Any) -> None:
    say(f"three alphas, 1,000 resamples of clusters, {n:,} ratings, from long columns")
    for size in (1, 2, 3, 4, 6):
        columns = ratings(n, size)
        own = best(partial(own_alphas, columns))
        if floor is None:
            say(f"  clusters of {size}: {own:.3f} s")
            continue
        known = best(partial(floor_alphas, floor, columns))
        verdict(f"clusters of {size}: {own:.3f} s, times the floor", own / known, 2, "")
    columns = ratings(n, 3)
    own = best(partial(own_alphas, columns))
    try:
        import krippendorff
    except ImportError:
        return
    unit, _, value, _ = columns
    counts = np.zeros((n // 3, 3))
    np.add.at(counts, (unit, value), 1)
    rng = np.random.default_rng(0)

    def once() -> None:
        rows = counts[rng.integers(0, len(counts), len(counts))]
        for level in ("nominal", "ordinal", "interval"):
            krippendorff.alpha(
                value_counts=rows, value_domain=[0, 1, 2], level_of_measurement=level
            )

    loop = 1000 * best(once, 2)
    say(f"  a loop over krippendorff would take {loop:.0f} s (from two rounds)")
    verdict("share of that loop, in thousandths", 1000 * own / loop, 10, "")


def all_coefficients(sizes: list[int]) -> None:
    say("all 16 coefficients with intervals, clusters of 3")
    taken = []
    for n in sizes:
        table = table_of(ratings(n, 3))
        taken.append(best(lambda table=table: agreement(table), 2))
        if n == 100_000:
            verdict(f"{n:,} ratings", taken[-1], 1, " s")
        else:
            say(f"  {n:,} ratings: {taken[-1]:.2f} s")
    for (one, other), (few, many) in zip(pairwise(taken), pairwise(sizes), strict=True):
        growth = (other / one) / (many / few)
        verdict(f"growth from {few:,} to {many:,} against linear", growth, 1.2, "")


def votes(floor: Any) -> None:
    say("Bradley-Terry, 20 systems, 100,000 votes, 1,000 resamples")
    k, n = 20, 100_000
    rng = np.random.default_rng(3)
    strength = rng.normal(size=k) * 0.8
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    won = rng.random(n) < 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(n) < 0.15, 1, np.where(won, 2, 0))
    names = tuple(f"m{i:02d}" for i in range(k))
    table = VoteTable(names, first, second, outcome, np.arange(n), n)
    half = best(
        lambda: bradley_terry(table, ties="half", order_effect=False, prior_sd=np.inf)
    )
    full = best(lambda: bradley_terry(table))
    if floor is None:
        say(f"  ties as half wins: {half:.2f} s; with ties and order: {full:.2f} s")
        return
    known = best(lambda: floor.bt_bootstrap(first, second, outcome, k, R=1000))
    verdict(f"ties as half wins: {half:.3f} s, times the floor", half / known, 2, "")
    verdict("with ties and order, against twice 0.23 s", full, 0.46, " s")


def report() -> None:
    say("a report: 100,000 ratings, 3 dimensions, 10 systems, 4 judges")
    rng = np.random.default_rng(1)
    n_units = 100_000 // 3 // 7  # three people and four judges on each unit
    system = np.tile(np.arange(10), n_units // 10 + 1)[:n_units]
    instance = np.arange(n_units) // 10
    cluster = instance // 3
    raters = [f"p{i:02d}" for i in range(30)] + [f"judge{i}" for i in range(4)]
    tables = []
    for _ in range(3):
        level = rng.normal(size=instance.max() + 1)[instance] + 0.1 * system
        people = np.argpartition(rng.random((n_units, 30)), 3, axis=1)[:, :3]
        rater = np.hstack([people, np.tile(np.arange(30, 34), (n_units, 1))])
        value = np.clip(
            np.round(3 + level[:, None] + rng.normal(size=(n_units, 7))), 1, 5
        )
        unit = np.repeat(np.arange(n_units), 7)
        tables.append(
            RatingTable.from_long(
                unit,
                np.array(raters)[rater.ravel()],
                value.ravel(),
                points=range(1, 6),
                clusters=cluster[unit],
            )
        )
    n_ratings = sum(table.n_ratings for table in tables)
    judges = raters[30:]
    family = [f"family{s % 3}" for s in system]
    length = rng.normal(size=n_units)

    def run() -> None:
        for table in tables:
            people = table.only(raters=set(raters[:30]))
            agreement(people)
            specific_agreement(people)
            distribution(people)
            rater_panel(people)
            system_means(people, system)
            compare_systems(people, system, instance)
            left, right = np.flatnonzero(system % 2 == 0), np.flatnonzero(system % 2)
            pairs = min(len(left), len(right))
            values = table.values
            first, second = values[left[:pairs]], values[right[:pairs]]
            item, who = np.nonzero(~np.isnan(first) & ~np.isnan(second))
            pair_ranking(
                PairTable.from_long(item, who, first[item, who], second[item, who])
            )
            for judge in judges:
                ceiling(table, judge, raters[:30])
                leave_one_out(table, judge, raters[:30])
                judge_profile(table, judge, raters[:30])
                family_preference(table, judge, family, raters[:30])
                system_correlations(table, judge, system, raters[:30])
                sensitivity(table, judge, length, raters[:30])
                confusion(table, judge, raters[:30])
                alt_test(table, judge, raters[:30])

    taken = best(run, 1)
    say(f"  {n_ratings:,} ratings by 30 people and 4 judges")
    verdict("compute", taken, 5, " s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="a tenth of the ratings")
    parser.add_argument("--floors", type=Path, default=ROOT.parent / "shared" / "bench")
    args = parser.parse_args()
    n = args.ratings // 10 if args.quick else args.ratings
    clustered = floor_module(args.floors, "cluster_np")
    by_item = floor_module(args.floors, "agree_np")
    if clustered is None:
        say(f"no floors in {args.floors.name}: own figures alone")
    report()
    # Linux counts in kB. Taken here, before the larger tables are made.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdict("peak memory of the process", peak, 500, " MB")
    three_alphas(n, clustered)
    all_coefficients([10_000, 100_000, n] if n > 100_000 else [10_000, 100_000])
    votes(by_item)
    say("all targets held" if not missed else f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
