"""Many people at once: nobody too many, nothing twice, nothing lost."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.errors import HandOverRefused, NothingToRate, StaleRevision
from annotate.models import Answer, Assignment, Item, Slot, Submission
from annotate.services.deal import next_assignment
from annotate.services.page import page_of
from annotate.services.returns import change_overlap, hand_over, skip_bundle
from annotate.services.submit import submit_answers
from tests import factories as make

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def together(*calls):
    """Run the calls in threads that start at once; return results or exceptions."""
    gate = threading.Barrier(len(calls))

    def run(call):
        gate.wait()
        try:
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def study_of(n_items=1, overlap=2):
    study = make.make_study(policy={"gate": "off"}, overlap=overlap)
    sounds = [make.make_stimulus() for _ in range(3)]
    for _ in range(n_items):
        make.make_pair_item(study, sounds=sounds)
    return study


def people(study, n):
    return [make.make_rater(study) for _ in range(n)]


def submit(assignment, key=None, **more):
    loaded = Assignment.objects.select_related(
        "item", "slot", "rater__study__protocol"
    ).get(pk=assignment.pk)
    return submit_loaded(page_of(loaded), key, **more)


def answers_to(page):
    posted = {}
    for question in page.questions:
        if question.kind == "scale":
            for letter in "AB" if question.target == "part" else [""]:
                name = f"{letter}:{question.key}" if letter else question.key
                posted[name] = question.values[0]
        elif question.required:
            posted[question.key] = "tie"
    return posted


def submit_loaded(page, key=None, **more):
    return submit_answers(
        page, answers_to(page), client_key=key or uuid.uuid4(), **more
    )


def load(assignment):
    return page_of(
        Assignment.objects.select_related("item", "rater__study__protocol").get(
            pk=assignment.pk
        )
    )


def expire(assignment):
    Slot.objects.filter(pk=assignment.slot_id).update(
        lease_until=timezone.now() - timedelta(minutes=1)
    )


def test_twenty_people_at_one_item_make_two_assignments():
    raters = people(study_of(), 20)

    got = together(*(lambda r=r: next_assignment(r.pk) for r in raters))

    assert Assignment.objects.count() == 2
    assert sum(isinstance(x, NothingToRate) for x in got) == 18, got


def test_thirty_two_people_drain_sixty_items_by_three():
    raters = people(study_of(60, 3), 32)

    def drain(rater):
        while True:
            try:
                submit(next_assignment(rater.pk))
            except NothingToRate:
                return None

    got = together(*(lambda r=r: drain(r) for r in raters))

    assert got == [None] * 32
    assert Submission.objects.count() == 180
    assert Slot.objects.filter(done_at__isnull=True).count() == 0
    pairs = Assignment.objects.values_list("rater", "item")
    assert len(set(pairs)) == len(pairs) == 180


def test_two_tabs_get_the_same_assignment():
    (rater,) = people(study_of(5), 1)

    one, other = together(*[lambda: next_assignment(rater.pk)] * 2)

    assert one == other
    assert Assignment.objects.count() == 1


def test_the_same_client_key_at_once_is_stored_once():
    (rater,) = people(study_of(), 1)
    page, key = load(next_assignment(rater.pk)), uuid.uuid4()

    one, other = together(*[lambda: submit_loaded(page, key)] * 2)

    assert one.submission == other.submission
    assert {one.again, other.again} == {True, False}
    assert Submission.objects.count() == 1


def test_of_two_tabs_with_their_own_keys_one_is_stored():
    (rater,) = people(study_of(), 1)
    page = load(next_assignment(rater.pk))

    got = together(*[lambda: submit_loaded(page)] * 2)

    assert sum(isinstance(x, StaleRevision) for x in got) == 1, got
    assert Submission.objects.count() == 1


def test_a_late_submit_takes_another_free_place():
    study = study_of(overlap=1)
    late, thief = people(study, 2)
    held = next_assignment(late.pk)
    page = load(held)
    expire(held)
    next_assignment(thief.pk)
    change_overlap(study, 2)

    taken = submit_loaded(page)

    assert (taken.stored, taken.submission.late) == ("stored", True)
    assert Slot.objects.get(rater=late).done_at


def test_a_late_submit_without_a_place_is_surplus():
    late, thief = people(study_of(overlap=1), 2)
    held = next_assignment(late.pk)
    page = load(held)
    expire(held)
    next_assignment(thief.pk)

    taken = submit_loaded(page)

    assert taken.stored == "surplus"
    assert list(Assignment.objects.surplus()) == [held]
    assert not Answer.objects.ratings().exists()


def test_a_row_lost_by_time_is_revived_for_its_rater():
    study = study_of(overlap=1)
    late, thief = people(study, 2)
    held = next_assignment(late.pk)
    expire(held)
    expire(next_assignment(thief.pk))

    again = next_assignment(late.pk)

    assert again == held
    assert again.shown_order == held.shown_order


def test_a_steal_and_a_submit_keep_the_answers_and_the_overlap():
    late, thief = people(study_of(overlap=1), 2)
    held = next_assignment(late.pk)
    page = load(held)
    expire(held)

    got = together(lambda: submit_loaded(page), lambda: next_assignment(thief.pk))

    assert Submission.objects.count() == 1
    assert isinstance(got[1], NothingToRate) == (got[0].stored == "stored"), got
    assert Assignment.objects.filter(slot__isnull=False).count() == 1


def test_a_hand_over_and_a_submit_leave_one_holder():
    study = study_of(overlap=1)
    giver, taker = people(study, 2)
    held = next_assignment(giver.pk)
    page = load(held)

    sent, moved = together(
        lambda: submit_loaded(page),
        lambda: hand_over(held.item.bundle, giver, taker),
    )

    assert Submission.objects.count() == 1, sent
    assert isinstance(moved, HandOverRefused) == (sent.stored == "stored")
    assert Assignment.objects.filter(slot__isnull=False).count() == 1


def test_an_item_skipped_by_three_is_retired():
    raters = people(study_of(overlap=4), 3)

    for rater in raters:
        skip_bundle(next_assignment(rater.pk), "cannot_play")

    assert Item.objects.get().retired_at
    assert not Slot.objects.exists()


def test_raising_and_lowering_the_overlap_keeps_what_is_held():
    study = study_of(overlap=2)
    (rater,) = people(study, 1)
    next_assignment(rater.pk)

    raised, lowered = change_overlap(study, 4), change_overlap(study, 1)

    assert (raised, lowered) == (2, 3)
    assert Slot.objects.get().rater == rater
