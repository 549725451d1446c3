"""What a rater waits for costs a pinned number of queries and never walks a table."""

import json
import uuid
from contextlib import contextmanager

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Assignment, Rater, Slot
from annotate.services.deal import next_assignment
from tests.judging.small_study import PairStudy

pytestmark = pytest.mark.django_db
ANSWERS = {
    f"{s}:{q}": 2 for s in "AB" for q in ("coherence", "supportiveness", "delivery")
}
COST = {"work": 9, "rate": 12, "draft": 13, "ahead": 19, "submit": 21}


@pytest.fixture(params=[10, 100])
def rater(request, client):
    """A rater who has done five items of a study of ten or a hundred."""
    made = PairStudy(n_instances=request.param)
    (user,) = made.people(1)
    made.set_up(request.param, [user], overlap=1)
    rater = user.raters.get()
    for _ in range(5):
        done = next_assignment(rater.pk)
        Assignment.objects.filter(pk=done.pk).update(submitted_at=made.study.opened_at)
        Slot.objects.filter(pk=done.slot_id).update(done_at=made.study.opened_at)
    client.force_login(user)
    client.get(reverse("home"))
    return rater


def post(client, name, assignment, body):
    return client.post(
        reverse(f"rate_{name}", args=[assignment.public_id]),
        json.dumps(body),
        content_type="application/json",
    )


def test_the_loop_costs_what_it_costs(rater, client):
    assignment = next_assignment(rater.pk)
    page = reverse("rate", args=[assignment.public_id])
    client.get(page)  # opened, and the protocol's questions are known from here on
    played = {
        name: {"ranges": [[0, 2]], "plays": 1}
        for name in ("utterance", "response-a", "response-b")
    }
    Assignment.objects.filter(pk=assignment.pk).update(opened_at="2026-01-01T00:00Z")

    body = {"answers": ANSWERS, "client_key": str(uuid.uuid4()), "listening": played}
    done = {}
    with cost_of("work", done):
        assert client.get(reverse("work", args=[rater.study.slug])).status_code == 302
    with cost_of("rate", done):
        assert client.get(page).status_code == 200
    with cost_of("draft", done):
        saved = post(client, "draft", assignment, {"answers": ANSWERS})
    with cost_of("ahead", done):
        coming = post(client, "ahead", assignment, {})
    with cost_of("submit", done):
        stored = post(client, "submit", assignment, body)

    assert saved.status_code == 200
    assert len(coming.json()["urls"]) == 3
    assert stored.json()["stored"] == "stored"
    assert done == COST


@contextmanager
def cost_of(name, done):
    """Note in `done` how many queries the block makes, savepoints included."""
    with CaptureQueriesContext(connection) as made:
        yield
    done[name] = len(made)


@pytest.fixture
def large():
    """A study of 100,000 items with two places each; its rater has done 20,000."""
    if connection.vendor != "postgresql":
        pytest.skip("plans are PostgreSQL's")
    made = PairStudy(n_instances=0)
    study, (user,) = made.study, made.people(1)
    rater = Rater.objects.create(
        study=study, user=user, code="r1", n_dealt=20_000, cursor_rank=20_000 * 64 + 1
    )
    other = Rater.objects.create(study=study, code="r2")
    tables = ("bundle", "item", "slot", "assignment")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotate_bundle (study_id, code, rank)"
            " SELECT %s, 'b' || n, n FROM generate_series(1, 100000) n",
            [study.pk],
        )
        cursor.execute(
            "INSERT INTO annotate_item (study_id, bundle_id, code, position, purpose,"
            " cluster_code, prompt, gold)"
            " SELECT %s, id, code, 0, 'task', code, '{}', '{}' FROM annotate_bundle",
            [study.pk],
        )
        cursor.execute(
            "INSERT INTO annotate_slot (study_id, bundle_id, n, rank)"
            " SELECT %s, b.id, n, b.rank * 64 + n"
            " FROM annotate_bundle b, generate_series(1, 2) n",
            [study.pk],
        )
        for who, n_done in ((other, 50_000), (rater, 20_000)):
            cursor.execute(
                "INSERT INTO annotate_assignment (public_id, item_id, rater_id, duty,"
                " occasion, position, seed, shown_order, end_reason, end_note,"
                " worked_s, submitted_at)"
                " SELECT gen_random_uuid(), id, %s, 'rate', 0,"
                " row_number() OVER (ORDER BY id), 0, '{}', '', '', 0, now()"
                " FROM annotate_item ORDER BY id LIMIT %s",
                [who.pk, n_done],
            )
        for table in tables:
            cursor.execute(f"ANALYZE annotate_{table}")
    return rater


def plan_of(rows):
    return rows.explain()


def walks(plan):
    return [
        line
        for line in plan.splitlines()
        if "Seq Scan on annotate_slot" in line
        or "Seq Scan on annotate_assignment" in line
        or "Seq Scan on annotate_item" in line
    ]


def test_a_free_place_is_found_by_an_index(large):
    free = Slot.objects.free(large).order_by("rank")
    plan = plan_of(free.filter(rank__gt=large.cursor_rank)[:1])

    assert "slot_free" in plan
    assert walks(plan) == []


def test_an_expired_place_is_found_by_an_index(large):
    expired = Slot.objects.expired(large, Now()).order_by("lease_until")
    plan = plan_of(expired[:1])

    assert "slot_leased" in plan
    assert walks(plan) == []


def test_the_open_assignment_is_found_by_an_index(large):
    mine = Assignment.objects.open().filter(rater=large, duty="rate")
    plan = plan_of(mine.order_by("position")[:1])

    assert "assignment_open" in plan
    assert walks(plan) == []


def test_dealing_among_100000_costs_as_many_queries(
    large, django_assert_max_num_queries
):
    large.study.opened_at = large.study.created_at
    large.study.save()
    with django_assert_max_num_queries(14):
        assert next_assignment(large.pk).position == 20_001
