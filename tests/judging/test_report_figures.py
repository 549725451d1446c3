"""The report's figures equal what a plain script computes from ratings.csv."""

import csv
import io
import json
from collections import Counter, defaultdict
from itertools import combinations, permutations
from statistics import fmean

import pytest

from annotate.models import Assignment
from judging.reports.agreement import build_report
from judging.reports.exports import ratings_csv
from judging.reports.tables import COLUMNS, rating_rows
from tests.judging.report_rows import DIMENSIONS, finished_study

pytestmark = pytest.mark.django_db
POINTS = (1, 2, 3)


def csv_rows(study):
    return list(csv.DictReader(io.StringIO("".join(ratings_csv(study)))))


def units_of(rows, dimension, kinds=("person",)):
    """Return {unit: {rater: value}}, straight from the lines of the file."""
    units = defaultdict(dict)
    for row in rows:
        if row["dimension"] == dimension and row["rater_kind"] in kinds:
            units[row["item"], row["part"]][row["rater"]] = int(row["value"])
    return units


def naive_exact(units, reach=0):
    shares = [
        fmean(abs(x - y) <= reach for x, y in combinations(given.values(), 2))
        for given in units.values()
        if len(given) > 1
    ]
    return fmean(shares)


def naive_kappa(units, one, other, weigh):
    """Return Cohen's weighted kappa of two raters, and the units they share."""
    met = [(g[one], g[other]) for g in units.values() if one in g and other in g]
    n = len(met)
    first, second = Counter(x for x, _ in met), Counter(y for _, y in met)
    apart = sum(weigh(x, y) for x, y in met) / n
    chance = sum(
        weigh(x, y) * first[x] * second[y] / n**2 for x in POINTS for y in POINTS
    )
    return 1 - apart / chance, n


def naive_mean_kappa(units, pairs, weigh):
    found = [naive_kappa(units, one, other, weigh) for one, other in pairs]
    return sum(k * n for k, n in found) / sum(n for _, n in found)


def quadratic(x, y):
    return (x - y) ** 2


def naive_alpha(units):
    """Return Krippendorff's ordinal alpha by its coincidence matrix."""
    coincidences = Counter()
    for given in units.values():
        for x, y in permutations(given.values(), 2):
            coincidences[x, y] += 1 / (len(given) - 1)
    margin = Counter()
    for (x, _), weight in coincidences.items():
        margin[x] += weight
    total = sum(margin.values())

    def distance(x, y):
        low, high = sorted((x, y))
        between = sum(margin[p] for p in POINTS if low <= p <= high)
        return (between - (margin[low] + margin[high]) / 2) ** 2

    seen = sum(w * distance(x, y) for (x, y), w in coincidences.items())
    chance = sum(margin[x] * margin[y] * distance(x, y) for x in POINTS for y in POINTS)
    return 1 - (total - 1) * seen / chance


def naive_ranking(units, pairs):
    """Return strict and tolerant agreement of pair ranking, and what chance gives."""
    order = defaultdict(dict)
    for item in {item for item, _ in units}:
        a, b = units[item, "a"], units[item, "b"]
        for rater in a.keys() & b.keys():
            order[item][rater] = (a[rater] > b[rater]) - (a[rater] < b[rater])
    ties = {
        rater: fmean(given[rater] == 0 for given in order.values() if rater in given)
        for rater in {rater for given in order.values() for rater in given}
    }
    met = [
        (given[one], given[other], ties[one], ties[other])
        for given in order.values()
        for one, other in pairs
        if one in given and other in given
    ]
    return {
        "strict": fmean(x == y for x, y, _, _ in met),
        "tolerant": fmean(x * y != -1 for x, y, _, _ in met),
        "strict_expected": fmean(t * u + (1 - t) * (1 - u) / 2 for _, _, t, u in met),
        "tolerant_expected": fmean(1 - (1 - t) * (1 - u) / 2 for _, _, t, u in met),
    }


@pytest.fixture
def finished():
    made = finished_study()
    body = build_report(made.study, bootstrap=50)
    return made, body, csv_rows(made.study)


@pytest.mark.parametrize("place", range(len(DIMENSIONS)))
def test_agreement_among_people_equals_an_independent_computation(finished, place):
    _, body, rows = finished
    units = units_of(rows, DIMENSIONS[place])
    found = body["dimensions"][place]["coefficients"]
    pairs = list(combinations(("p1", "p2", "p3"), 2))

    expected = {
        "exact": naive_exact(units),
        "within_one": naive_exact(units, reach=1),
        "alpha_ordinal": naive_alpha(units),
        "kappa_quadratic": naive_mean_kappa(units, pairs, quadratic),
        "kappa_cohen": naive_mean_kappa(units, pairs, lambda x, y: x != y),
    }
    for name, value in expected.items():
        assert found[name]["value"] == pytest.approx(value, abs=1e-12), name
        assert found[name]["low"] <= value <= found[name]["high"]


@pytest.mark.parametrize("place", range(len(DIMENSIONS)))
def test_pair_ranking_equals_an_independent_computation(finished, place):
    _, body, rows = finished
    people = ("p1", "p2", "p3")
    one = body["dimensions"][place]
    for found, kinds, pairs in (
        (one["pair_ranking"], ("person",), list(combinations(people, 2))),
        (
            one["judges"][0]["pair_ranking"],
            ("person", "judge"),
            [("j1", person) for person in people],
        ),
    ):
        naive = naive_ranking(units_of(rows, DIMENSIONS[place], kinds), pairs)
        for kind in ("strict", "tolerant"):
            a, e = naive[kind], naive[f"{kind}_expected"]
            assert found[kind]["value"] == pytest.approx(a)
            assert found[kind]["expected"] == pytest.approx(e)
            assert found[f"{kind}_corrected"]["value"] == pytest.approx(
                (a - e) / (1 - e)
            )


def test_a_judge_is_compared_with_each_person_and_counts_as_none(finished):
    _, body, rows = finished
    one = body["dimensions"][1]
    units = units_of(rows, "delivery", ("person", "judge"))
    shares = [
        fmean(given["j1"] == value for rater, value in given.items() if rater != "j1")
        for given in units.values()
    ]
    with_people = [("j1", person) for person in ("p1", "p2", "p3")]

    assert one["judges"][0]["judge"]["exact"]["value"] == pytest.approx(fmean(shares))
    assert one["judges"][0]["judge"]["kappa_quadratic"]["value"] == pytest.approx(
        naive_mean_kappa(units, with_people, quadratic)
    )
    assert (body["n_people"], one["n_raters"]) == (3, 3)
    assert "j1" not in one["distribution"]["raters"]
    assert body["headline"].startswith("Three people agree")


def test_without_the_judge_no_figure_of_people_changes(finished):
    made, body, _ = finished
    Assignment.objects.filter(rater__kind="judge").update(duty="adjudicate")

    again = build_report(made.study, bootstrap=50)
    for before, after in zip(body["dimensions"], again["dimensions"], strict=True):
        assert after["judges"] == []
        for name in ("coefficients", "distribution", "pair_ranking", "systems"):
            assert after[name] == before[name]


def test_systems_means_and_differences_equal_an_independent_computation(finished):
    _, body, rows = finished
    units = units_of(rows, "coherence")
    of_part = {(r["item"], r["part"]): (r["system"], r["instance"]) for r in rows}
    means = defaultdict(dict)
    for unit, given in units.items():
        system, instance = of_part[unit]
        means[system][instance] = fmean(given.values())

    found = body["dimensions"][0]["systems"]
    assert {one["system"]: one["value"] for one in found["means"]} == pytest.approx(
        {system: fmean(by.values()) for system, by in means.items()}
    )
    gaps = [means["sys-a"][i] - means["sys-b"][i] for i in means["sys-a"]]
    (gap,) = found["differences"]
    assert gap["difference"]["value"] == pytest.approx(fmean(gaps))
    assert (gap["wins"], gap["losses"]) == (
        sum(g > 0 for g in gaps),
        sum(g < 0 for g in gaps),
    )


def test_each_rater_has_figures_from_the_places_shown(finished):
    _, body, rows = finished
    for one in body["raters"]:
        totals = defaultdict(lambda: defaultdict(int))
        for row in rows:
            if row["rater"] == one["rater"]:
                totals[row["item"]][row["position"]] += int(row["value"])
        gaps = [total["1"] - total["2"] for total in totals.values()]
        first, decided = sum(g > 0 for g in gaps), sum(g != 0 for g in gaps)
        assert one["n_items"] == len(totals)
        assert one["sides"]["first_rate"] == pytest.approx(first / decided)
    assert [one["kind"] for one in body["raters"]] == ["person"] * 3 + ["judge"]
    assert body["raters"][0]["minutes_per_item"] == pytest.approx(1.5)
    assert body["raters"][3]["severity"] is None


def test_rows_come_in_one_query_and_in_order(finished, django_assert_num_queries):
    made, _, _ = finished
    with django_assert_num_queries(1):
        rows = list(rating_rows(made.study))
    keys = [(r.item, r.part, r.dimension, r.rater) for r in rows]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert "".join(ratings_csv(made.study)).split("\n")[0] == ",".join(COLUMNS)


def test_the_report_is_json_and_the_same_seed_gives_the_same(finished):
    made, body, _ = finished
    json.dumps(body, allow_nan=False)
    assert build_report(made.study, bootstrap=50) == body
