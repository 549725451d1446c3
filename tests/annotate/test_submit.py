"""What a page may post, and what becomes of it."""

import math
import uuid
from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import IncompleteAnswers, StaleRevision
from annotate.models import Assignment, Listening, Part, Submission
from annotate.services.deal import next_assignment, shown_order
from annotate.services.draft import save_draft
from annotate.services.listen import heard_seconds, merge_ranges
from annotate.services.page import page_of
from annotate.services.submit import plausible_seconds, submit_answers
from tests import factories as make

pytestmark = pytest.mark.django_db

SPANS = st.lists(st.lists(st.floats(-5, 50), min_size=2, max_size=2), max_size=12)


def opened_page(**policy):
    study = make.make_study(policy=policy)
    make.make_pair_item(study)
    row = next_assignment(make.make_rater(study).pk)
    Assignment.objects.update(opened_at=timezone.now() - timedelta(seconds=60))
    return page_of(
        Assignment.objects.select_related("item", "rater__study__protocol").get(
            pk=row.pk
        )
    )


def scale_fields(page):
    asked = [q for q in page.questions if q.kind == "scale"]
    return {f"{side}:{q.key}": q.values[0] for q in asked for side in "AB"}


def send(page, posted=None, **more):
    more.setdefault("client_key", uuid.uuid4())
    return submit_answers(
        page, scale_fields(page) if posted is None else posted, **more
    )


def test_a_field_left_out_and_an_unknown_one_are_named():
    page = opened_page(gate="off")
    posted = scale_fields(page)
    missing = posted.popitem()[0]

    with pytest.raises(IncompleteAnswers) as refused:
        send(page, posted | {"A:charm": 1})

    assert set(refused.value.faults) == {missing, "A:charm"}


@pytest.mark.parametrize(
    "value", [99, math.nan, math.inf, True, "2", [1], {"state": 1}]
)
def test_a_value_off_the_scale_is_refused(value):
    page = opened_page(gate="off")
    name = next(iter(scale_fields(page)))

    with pytest.raises(IncompleteAnswers) as refused:
        send(page, scale_fields(page) | {name: value})

    assert set(refused.value.faults) == {name}
    assert not Submission.objects.exists()


def test_what_was_not_heard_is_not_rated():
    page = opened_page(gate="heard")

    with pytest.raises(IncompleteAnswers):
        send(page)


def heard(page, seconds=2.0):
    return {name: {"ranges": [[0, seconds]], "plays": 1} for name in page.exhibits}


def test_what_was_heard_is_rated():
    page = opened_page(gate="heard")

    assert send(page, listening=heard(page)).stored == "stored"


def test_more_listening_than_time_is_not_taken_in():
    page = opened_page(gate="heard")
    page.assignment.opened_at = timezone.now()

    with pytest.raises(IncompleteAnswers):
        send(page, listening=heard(page))

    assert Listening.objects.count() < len(page.exhibits)


def test_a_revision_needs_the_one_that_stands():
    page = opened_page(gate="off", revisions=True)
    send(page)

    with pytest.raises(StaleRevision):
        send(page, seen_revision=0)
    assert send(page, seen_revision=1).stored == "revised"


def test_a_revision_is_refused_where_none_are_allowed():
    page = opened_page(gate="off", revisions=False)
    send(page)

    with pytest.raises(StaleRevision):
        send(page, seen_revision=1)


def test_a_draft_is_kept_over_the_version_seen_alone():
    row = opened_page().assignment

    assert save_draft(row, {"a": 1}, seen_version=0).version == 1
    assert save_draft(row, {"a": 2}, seen_version=1).version == 2
    for seen in (0, 1, 3):
        with pytest.raises(StaleRevision):
            save_draft(row, {"a": 3}, seen_version=seen)


@given(SPANS)
def test_merged_ranges_are_apart_and_merging_again_changes_nothing(spans):
    merged = merge_ranges(spans, 20.0)

    assert all(0 <= a <= b <= 20 for a, b in merged)
    assert all(x[1] < y[0] for x, y in pairwise(merged))
    assert heard_seconds(merged) <= 20
    assert merge_ranges(reversed(spans), 20.0) == merged


def test_each_system_stands_first_as_often_as_second():
    sides, firsts, shown = {}, Counter(), Counter()
    for n in range(40):
        codes = [("x", "y"), ("y", "z"), ("z", "x")][n % 3]
        parts = [Part(key=k, side_code=c) for k, c in zip("AB", codes, strict=True)]
        first = shown_order(parts, n, sides)["parts"][0]
        firsts[codes["AB".index(first)]] += 1
        shown.update(codes)

    assert all(abs(firsts[c] - shown[c] / 2) <= 2 for c in "xyz")


@pytest.mark.parametrize(
    ("claimed", "kept"), [(5, 5), (1e6, 60), (math.nan, 3), ("9", 3), (-1, 3), (1, 3)]
)
def test_time_worked_is_never_more_than_passed(claimed, kept):
    opened = timezone.now() - timedelta(seconds=60)

    assert plausible_seconds(claimed, opened, 3) == pytest.approx(kept, abs=0.5)
