"""What the tables refuse, what fits them, and which answers statistics may read."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import (
    Answer,
    Assignment,
    Bundle,
    Draft,
    Exclusion,
    Exhibit,
    Instance,
    Item,
    Job,
    Listening,
    Membership,
    Part,
    Question,
    Rater,
    Recording,
    Rendition,
    Slot,
    Stimulus,
    Study,
    Submission,
)
from tests import factories as make

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


class World:
    """One person's standing rating of one pair."""

    def __init__(self):
        self.study = make.make_study()
        self.item = make.make_pair_item(self.study)
        self.rater = make.make_rater(self.study)
        self.slot = Slot.objects.filter(bundle=self.item.bundle).first()
        Slot.objects.filter(pk=self.slot.pk).update(rater=self.rater)
        self.assignment = self.rated_by(self.rater, slot=self.slot)
        self.answer = Answer.objects.get()
        self.submission = self.answer.submission

    def rated_by(self, rater, item=None, **given):
        item = item or self.item
        row = make.make_assignment(item, rater, submitted_at=timezone.now(), **given)
        submission = Submission.objects.create(
            assignment=row, client_key=uuid.uuid4(), received_at=timezone.now()
        )
        self.question = Question.objects.filter(
            protocol=self.study.protocol, kind="scale"
        ).first()
        Answer.objects.create(
            submission=submission,
            part=item.parts.get(key="A"),
            question=self.question,
            number=2,
        )
        return row


@pytest.fixture
def world():
    return World()


def _add_answer(w, **given):
    return Answer.objects.create(
        submission=w.submission,
        part=w.item.parts.get(key="B"),
        question=w.question,
        **given,
    )


def _add_assignment(w, **given):
    return make.make_assignment(w.item, make.make_rater(w.study), **given)


def _submit_again(w, **given):
    fields = {"client_key": uuid.uuid4(), "revision": 2} | given
    return Submission.objects.create(
        assignment=w.assignment, received_at=timezone.now(), **fields
    )


def _listen(w, **given):
    return Listening.objects.create(
        assignment=w.assignment, exhibit=Exhibit.objects.first(), **given
    )


NOW = timezone.now()
REFUSED = {
    "recording_ready_has_duration": lambda w: Recording.objects.create(sha256="a"),
    "recording_unusable_says_why": lambda w: Recording.objects.create(
        sha256="a", state="unusable"
    ),
    "recording_twice": lambda w: Recording.objects.create(
        sha256=Recording.objects.first().sha256, duration_s=1
    ),
    "rendition_once_per_recipe": lambda w: Rendition.objects.create(
        recording=Recording.objects.first(),
        recipe="as_is",
        n_bytes=1,
        duration_s=1,
        peaks=[],
    ),
    "rendition_has_duration": lambda w: Rendition.objects.update(duration_s=0),
    "stimulus_has_recording_or_text": lambda w: Stimulus.objects.create(kind="context"),
    "corpus_version_from_1": lambda w: make.make_version(number=0),
    "corpus_version_numbered_once": lambda w: [
        make.make_version(corpus_code="c") for _ in "ab"
    ],
    "instance_code_once_per_version": lambda w: [
        make.make_instance(w.study.corpus_version, code="i") for _ in "ab"
    ],
    "question_key_once_per_protocol": lambda w: Question.objects.create(
        protocol=w.study.protocol, key=w.question.key, target="part", kind="text"
    ),
    "question_stage_from_1": lambda w: Question.objects.update(stage=0),
    "study_overlap_from_1": lambda w: Study.objects.update(overlap=0),
    "study_opened_before_closed": lambda w: Study.objects.update(
        opened_at=None, closed_at=NOW
    ),
    "membership_once_per_study": lambda w: [
        Membership.objects.create(study=w.study, user=w.rater.user, role=role)
        for role in ("owner", "annotator")
    ],
    "rater_code_once_per_study": lambda w: make.make_rater(w.study, code=w.rater.code),
    "rater_once_per_person": lambda w: make.make_rater(w.study, user=w.rater.user),
    "rater_once_per_external_id": lambda w: [
        make.make_rater(w.study, ext_source="p", ext_id="1") for _ in "ab"
    ],
    "rater_only_people_sign_in": lambda w: Rater.objects.update(kind="judge"),
    "bundle_code_once_per_study": lambda w: Bundle.objects.create(
        study=w.study, code=w.item.bundle.code, rank=1
    ),
    "item_code_once_per_study": lambda w: make.make_item(w.study, code=w.item.code),
    "part_key_once_per_item": lambda w: Part.objects.create(item=w.item, key=""),
    "exhibit_place_once": lambda w: Exhibit.objects.create(
        part=w.item.parts.get(key="A"),
        role="response",
        stimulus=Stimulus.objects.first(),
    ),
    "slot_numbered_once_per_bundle": lambda w: make.make_slots(w.item.bundle, 1),
    "slot_once_per_rater": lambda w: Slot.objects.update(rater=w.rater),
    "slot_from_1": lambda w: Slot.objects.filter(n=1).update(n=0),
    "slot_free_has_no_lease": lambda w: Slot.objects.filter(rater=None).update(
        lease_until=NOW
    ),
    "slot_free_is_not_done": lambda w: Slot.objects.filter(rater=None).update(
        done_at=NOW
    ),
    "assignment_once_per_rater": lambda w: make.make_assignment(w.item, w.rater),
    "assignment_submitted_or_ended": lambda w: _add_assignment(
        w, submitted_at=NOW, ended_at=NOW, end_reason="expired"
    ),
    "assignment_end_has_reason": lambda w: _add_assignment(w, ended_at=NOW),
    "assignment_reason_has_end": lambda w: _add_assignment(w, end_reason="expired"),
    "assignment_ended_holds_no_slot": lambda w: _add_assignment(
        w, ended_at=NOW, end_reason="expired", slot=w.slot
    ),
    "draft_twice": lambda w: [
        Draft.objects.create(assignment=w.assignment, saved_at=NOW) for _ in "ab"
    ],
    "submission_once_per_key": lambda w: _submit_again(
        w, stage=2, client_key=w.submission.client_key
    ),
    "submission_revision_once": lambda w: _submit_again(
        w, revision=1, superseded_at=NOW
    ),
    "submission_one_stands": _submit_again,
    "answer_once": lambda w: Answer.objects.create(
        submission=w.submission, part=w.answer.part, question=w.question, number=1
    ),
    "answer_without_value": _add_answer,
    "answer_with_two_values": lambda w: _add_answer(w, number=1, choice="tie"),
    "answer_cannot_judge_with_value": lambda w: _add_answer(
        w, state="cannot_judge", number=1
    ),
    "listening_once": lambda w: [_listen(w) for _ in "ab"],
    "listening_not_negative": lambda w: _listen(w, heard_s=-1),
    "exclusion_of_nobody": lambda w: Exclusion.objects.create(
        study=w.study, reason="speed"
    ),
    "exclusion_of_both": lambda w: Exclusion.objects.create(
        study=w.study, reason="speed", rater=w.rater, assignment=w.assignment
    ),
    "exclusion_has_reason": lambda w: Exclusion.objects.create(
        study=w.study, rater=w.rater
    ),
    "job_progress_0_1": lambda w: Job.objects.create(key="k", progress=1.1),
    "job_failed_says_why": lambda w: Job.objects.create(key="k", state="failed"),
    "job_once_per_key": lambda w: [Job.objects.create(key="k") for _ in "ab"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_tables_refuse(world, name):
    with pytest.raises(IntegrityError), transaction.atomic():
        REFUSED[name](world)


@pytest.mark.parametrize("layout", make.LAYOUTS)
def test_every_layout_fits(layout):
    item = make.make_item_of(layout, make.make_study())

    keys = [part.key for part in item.parts.all()]
    assert keys[0] == ""
    assert set(make.LAYOUTS[layout][0]) <= set(keys)


@pytest.mark.parametrize("purpose", Item.Purpose.values)
def test_every_purpose_fits_without_places(purpose):
    item = make.make_pair_item(make.make_study(), purpose=purpose, overlap=0)

    assert not item.bundle.slots.exists()


def test_an_instance_can_stand_behind_a_part(world):
    instance = make.make_instance(world.study.corpus_version)

    Part.objects.filter(key="A").update(instance=instance)

    assert Instance.objects.get(parts__key="A") == instance


def test_a_rating_from_a_place_counts(world):
    assert list(Answer.objects.ratings()) == [world.answer]


def test_a_judge_holds_no_place_and_counts_once(world):
    judge = make.make_rater(world.study, kind="judge")
    rows = [world.rated_by(judge, occasion=n) for n in range(3)]

    counted = Answer.objects.ratings().filter(submission__assignment__rater=judge)

    assert [a.submission.assignment for a in counted] == rows[:1]


def _supersede(w):
    Submission.objects.update(superseded_at=NOW)


LEFT_OUT = {
    "superseded": _supersede,
    "adjudication": lambda w: Assignment.objects.update(duty="adjudicate"),
    "repeat": lambda w: Assignment.objects.update(occasion=1),
    "training": lambda w: Item.objects.update(purpose="training"),
    "gold": lambda w: Item.objects.update(purpose="gold"),
    "trap": lambda w: Item.objects.update(purpose="trap"),
    "surplus": lambda w: Assignment.objects.update(slot=None),
    "cannot judge": lambda w: Answer.objects.update(state="cannot_judge", number=None),
    "words": lambda w: Answer.objects.update(number=None, text="fine"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_left_out_of_the_ratings(world, name):
    LEFT_OUT[name](world)

    assert not Answer.objects.ratings().exists()


@pytest.mark.parametrize("of", ["rater", "assignment"])
@pytest.mark.parametrize("with_question", [False, True])
def test_an_exclusion_leaves_out_until_it_is_lifted(world, of, with_question):
    exclusion = Exclusion.objects.create(
        study=world.study,
        reason="speed",
        question=world.question if with_question else None,
        **{of: getattr(world, of)},
    )

    excluded = Answer.objects.ratings().exists()
    Exclusion.objects.filter(pk=exclusion.pk).update(lifted_at=NOW)

    assert not excluded
    assert Answer.objects.ratings().exists()


def test_an_exclusion_of_another_question_touches_nothing(world):
    other = Question.objects.exclude(pk=world.question.pk).first()

    Exclusion.objects.create(
        study=world.study, reason="speed", rater=world.rater, question=other
    )

    assert Answer.objects.ratings().exists()
