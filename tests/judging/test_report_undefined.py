"""What a report leaves out, counts apart, or cannot compute, it says in words."""

import csv
import io
import json

import pytest

from annotate.models import Exclusion
from judging.reports.agreement import build_report
from judging.reports.exports import ratings_csv
from tests.judging.report_rows import MadeStudy, both

pytestmark = pytest.mark.django_db


def csv_rows(study):
    return list(csv.DictReader(io.StringIO("".join(ratings_csv(study)))))


def test_nothing_rated():
    made = MadeStudy()
    body = build_report(made.study, bootstrap=50)

    assert body["headline"] == "No person has rated anything yet."
    found = body["dimensions"][0]["coefficients"]["alpha_ordinal"]
    assert (found["value"], found["note"]) == (None, "no ratings")
    assert body["dimensions"][0]["pair_ranking"]["note"]
    json.dumps(body, allow_nan=False)


def test_one_person_has_nobody_to_agree_with():
    made = MadeStudy()
    made.rate(made.item("x"), made.person("p1"), both(1, 3))
    body = build_report(made.study, bootstrap=50)

    assert body["headline"].startswith("One person has rated so far")
    found = body["dimensions"][0]["coefficients"]["kappa_quadratic"]
    assert (found["value"], found["note"]) == (None, "one rater")


def test_all_alike_is_full_agreement_and_no_coefficient():
    made = MadeStudy()
    people = [made.person("p1"), made.person("p2")]
    for n in range(12):
        item = made.item(f"x{n}")
        for person in people:
            made.rate(item, person, both(3, 3))
    body = build_report(made.study, bootstrap=50)

    found = body["dimensions"][0]["coefficients"]
    assert found["exact"]["value"] == 1
    assert found["alpha_ordinal"]["value"] is None
    assert found["alpha_ordinal"]["note"] == "only one category was used"
    assert "only one category was used" in body["headline"]


def test_people_without_a_unit_in_common():
    made = MadeStudy()
    for code in ("p1", "p2"):
        made.rate(made.item(f"for-{code}"), made.person(code), both(1, 3))
    body = build_report(made.study, bootstrap=50)

    found = body["dimensions"][0]["coefficients"]["exact"]
    assert (found["value"], found["note"]) == (None, "no unit has two ratings")


def test_cannot_judge_is_a_gap():
    made = MadeStudy()
    item = made.item("x")
    made.rate(item, made.person("p1"), both(1, None))
    made.rate(item, made.person("p2"), both(1, 2))
    body = build_report(made.study, bootstrap=0)

    assert body["dimensions"][0]["n_ratings"] == 3
    assert body["dimensions"][0]["coefficients"]["exact"]["n_units"] == 1


def test_exclusions_surplus_skips_and_traps_are_counted_and_left_out():
    made = MadeStudy()
    items = [made.item(f"x{n}") for n in range(3)]
    trap = made.item("trap", purpose="trap")
    careful, hasty, late = (made.person(code) for code in ("p1", "p2", "p3"))
    for item in [*items, trap]:
        made.rate(item, careful, both(1, 2))
    excluded = made.rate(items[0], hasty, both(3, 3))
    Exclusion.objects.create(study=made.study, assignment=excluded, reason="too fast")
    made.rate(items[1], late, both(3, 3), slot=None)
    made.assign(
        items[2],
        late,
        submitted_at=None,
        ended_at="2026-03-01T13:00Z",
        end_reason="skipped",
        end_note="no sound",
    )
    body = build_report(made.study, bootstrap=0)

    assert {row["rater"] for row in csv_rows(made.study)} == {"p1"}
    assert {row["item"] for row in csv_rows(made.study)} == {"x0", "x1", "x2"}
    counts = body["counts"]
    assert counts["exclusions"] == [
        {"reason": "too fast", "of": "assignment", "dimension": "", "n": 1}
    ]
    assert counts["skipped"] == [{"reason": "no sound", "n": 1}]
    assert (counts["n_surplus"], counts["n_skipped"]) == (1, 1)
    assert (counts["n_assigned"], counts["n_submitted"]) == (6, 5)


def test_a_system_asked_twice_is_named_with_its_prompt():
    made = MadeStudy()
    people = [made.person("p1"), made.person("p2")]
    item = made.item("x")
    response = item.parts.get(key="b").exhibits.get(role="response").stimulus.response
    response.prompt = "warm"
    response.system = made.systems[0]
    response.save()
    for person in people:
        made.rate(item, person, both(1, 3))
    found = build_report(made.study, bootstrap=0)["dimensions"][0]["systems"]

    assert [one["system"] for one in found["means"]] == [
        "sys-a · plain",
        "sys-a · warm",
    ]


def test_high_agreement_with_a_kappa_near_0_is_explained():
    made = MadeStudy()
    one, other = made.person("p1"), made.person("p2")
    for n in range(50):
        item = made.item(f"x{n:02}")
        made.rate(item, one, both(3, 1 if n < 2 else 3))
        made.rate(item, other, both(1 if n < 2 else 3, 3))
    found = build_report(made.study, bootstrap=0)["dimensions"][0]

    assert found["coefficients"]["kappa_cohen"]["value"] < 0
    assert found["coefficients"]["ac1"]["value"] > 0.9
    assert found["paradox"].startswith("Raters agree on 96% of pairs of ratings, yet")


def test_an_imported_rater_is_compared_and_counts_as_no_person():
    made = MadeStudy()
    item = made.item("x")
    made.rate(item, made.person("p1"), both(1, 3))
    elsewhere = made.judge("paper")
    elsewhere.kind = "imported"
    elsewhere.save()
    made.rate(item, elsewhere, both(1, 2))
    body = build_report(made.study, bootstrap=0)

    assert (body["n_people"], body["dimensions"][0]["n_raters"]) == (1, 1)
    (compared,) = body["dimensions"][0]["judges"]
    assert (compared["rater"], compared["kind"]) == ("paper", "imported")
    assert compared["judge"]["exact"]["value"] == 0.5


def test_a_judge_that_met_no_person_says_so():
    made = MadeStudy()
    made.rate(made.item("x"), made.person("p1"), both(1, 3))
    made.rate(made.item("y"), made.judge("j1"), both(1, 3), heard_s=None)
    (compared,) = build_report(made.study, bootstrap=0)["dimensions"][0]["judges"]

    assert "no unit in common" in (
        compared["note"] or compared["judge"]["exact"]["note"]
    )
    assert compared["pair_ranking"]["note"] or (
        compared["pair_ranking"]["strict"]["value"] is None
    )


def test_a_value_off_the_scale_is_said_and_spares_the_other_dimension():
    made = MadeStudy()
    item = made.item("x")
    for code in ("p1", "p2"):
        made.rate(item, made.person(code), both(1, 3) | {("a", "coherence"): 2.5})
    body = build_report(made.study, bootstrap=0)

    assert body["dimensions"][0]["note"] == "value 2.5 is not on the scale (1, 2, 3)"
    assert body["dimensions"][1]["coefficients"]["exact"]["value"] == 1
