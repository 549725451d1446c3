"""Rate a study by simulated people and a simulated judge, for the demo alone."""

import datetime
import json
import random
import uuid
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment, Listening, Part, Rater, Slot, Study
from annotate.services.answers import letters_of
from annotate.services.deal import assign_bundle
from annotate.services.page import RaterPage, page_of
from annotate.services.submit import submit_answers
from judging.models import Judge, Verdict

# What a careful listener would find, on the scale from 1 to 3, and how far two
# listeners differ on it: delivery is heard alike, coherence less so.
QUALITY = {"willow-2": 2.7, "brisk-1": 2.0, "parrot-0": 1.3}
SPREAD = {"coherence": 0.75, "supportiveness": 0.6, "delivery": 0.4}
SEVERITY = (0.15, 0.0, -0.1, -0.2)
JUDGE_BIAS = 0.35


@transaction.atomic
def rate_by_simulation(study: Study, *, seed: int = 7) -> None:
    """Fill every place of an open study and close it; the same seed, the same answers.

    Raters hear one true quality per reply and dimension, each with a severity and
    noise of their own, so the agreement they show is known.
    """
    drawn = random.Random(seed)
    quality = _true_quality(study, drawn)
    people = [Rater.objects.create(study=study, code=f"sim{n}") for n in range(1, 5)]
    by_bundle: dict[int, list[Slot]] = {}
    for slot in Slot.objects.filter(study=study).order_by("rank"):
        by_bundle.setdefault(slot.bundle_id, []).append(slot)
    for slots in by_bundle.values():
        chosen = drawn.sample(people, len(slots))
        for slot, rater in zip(slots, chosen, strict=True):
            slot.rater = rater
            slot.save(update_fields=["rater"])
            for row in assign_bundle(rater, slot):
                lean = SEVERITY[people.index(rater)]
                _answer(row, quality, lean, 1.0, drawn)
    _judge(study, quality, drawn)
    Study.objects.filter(pk=study.pk).update(closed_at=timezone.now())


def _true_quality(study: Study, drawn: random.Random) -> dict[tuple[int, str], float]:
    """Return what each reply is worth, by (part id, dimension)."""
    found = {}
    parts = Part.objects.filter(item__study=study).exclude(key="").order_by("pk")
    for part_id, code in parts.values_list(
        "pk", "exhibits__stimulus__response__system__code"
    ):
        base = QUALITY[code]
        shared = drawn.gauss(0, 0.25)
        for dimension in SPREAD:
            found[part_id, dimension] = base + shared + drawn.gauss(0, 0.2)
    return found


def _answer(
    row: Assignment,
    quality: dict[tuple[int, str], float],
    lean: float,
    noise: float,
    drawn: random.Random,
) -> dict[str, int]:
    page = page_of(
        Assignment.objects.select_related("item", "rater__study__protocol").get(
            pk=row.pk
        )
    )
    page.assignment.opened_at = timezone.now() - datetime.timedelta(minutes=2)
    _hear(page)
    answers = {}
    letters = letters_of(page.assignment)
    for part in page.parts:
        for dimension, spread in SPREAD.items() if part.key else ():
            heard = quality[part.pk, dimension] - lean + drawn.gauss(0, spread * noise)
            answers[f"{letters[part.key]}:{dimension}"] = min(3, max(1, round(heard)))
    submit_answers(
        page,
        answers,
        client_key=uuid.UUID(int=drawn.getrandbits(128)),
        worked_s=drawn.uniform(35, 95),
    )
    return answers


def _hear(page: RaterPage) -> None:
    """Note that every recording was heard, as the desk would have."""
    Listening.objects.bulk_create(
        Listening(
            assignment=page.assignment,
            exhibit=exhibit,
            ranges=[[0, exhibit.stimulus.duration_s]],
            heard_s=round(exhibit.stimulus.duration_s, 3),
            plays=1,
            completed_at=timezone.now(),
        )
        for exhibit in page.exhibits.values()
    )


def _judge(
    study: Study, quality: dict[tuple[int, str], float], drawn: random.Random
) -> None:
    """Add one judge who is kinder than people and hears what they hear."""
    rater = Rater.objects.create(study=study, kind=Rater.Kind.JUDGE, code="judge1")
    Judge.objects.create(
        rater=rater,
        model="simulated judge",
        prompt_version="1",
        condition=Judge.Condition.SIMULATED,
        sha256=sha256(b"simulated judge 1").hexdigest(),
    )
    for position, item in enumerate(study.items_of_work.order_by("code"), 1):
        keys = ["A", "B"]
        drawn.shuffle(keys)
        row = Assignment.objects.create(
            item=item, rater=rater, position=position, shown_order={"parts": keys}
        )
        answers = _answer(row, quality, -JUDGE_BIAS, 0.8, drawn)
        Verdict.objects.create(assignment=row, raw=json.dumps(answers))
