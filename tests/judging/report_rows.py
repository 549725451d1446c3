"""A finished study made row by row, for the tests of reports and exports."""

import random
import uuid
from datetime import UTC, datetime, timedelta

from annotate.models import (
    Answer,
    Assignment,
    Bundle,
    CorpusVersion,
    Exhibit,
    Instance,
    Item,
    Listening,
    Membership,
    Part,
    Protocol,
    Question,
    Rater,
    Slot,
    Stimulus,
    Study,
    Submission,
    User,
)
from judging.models import Judge, Response, System

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DIMENSIONS = ("coherence", "delivery")
POINTS = [
    {"value": 1, "label": "Poor"},
    {"value": 2, "label": "Medium"},
    {"value": 3, "label": "Good"},
]


class MadeStudy:
    """A study of pairs whose every answer a test gives by itself."""

    def __init__(self, slug="aeq", systems=("sys-a", "sys-b"), names=None):
        self.protocol = Protocol.objects.create(
            slug=f"p-{slug}", body={"layout": "pair"}, sha256="0" * 64
        )
        self.questions = {
            key: Question.objects.create(
                protocol=self.protocol,
                key=key,
                position=place,
                target=Question.Target.PART,
                kind=Question.Kind.SCALE,
                label=key.title(),
                points=POINTS,
            )
            for place, key in enumerate(DIMENSIONS)
        }
        self.corpus = CorpusVersion.objects.create(corpus_code=slug)
        self.study = Study.objects.create(
            slug=slug,
            title=f"Study {slug}",
            protocol=self.protocol,
            corpus_version=self.corpus,
        )
        self.systems = [
            System.objects.create(
                corpus_code=slug, code=code, name=(names or {}).get(code, code)
            )
            for code in systems
        ]
        self.items: list[Item] = []
        self.owner = User.objects.create_user(f"owner-{slug}")
        Membership.objects.create(
            study=self.study, user=self.owner, role=Membership.Role.OWNER
        )

    def text(self, kind, text="words"):
        return Stimulus.objects.create(kind=kind, text=text)

    def item(self, code, group=None, systems=None, purpose="task"):
        """Make one pair: part a answered by the first system, part b by the second."""
        instance = Instance.objects.create(
            version=self.corpus,
            code=f"i-{code}",
            utterance=self.text("utterance"),
            context=self.text("context"),
            branch="context",
            group_code=group or code,
        )
        bundle = Bundle.objects.create(study=self.study, code=code, rank=0)
        item = Item.objects.create(
            study=self.study,
            bundle=bundle,
            code=code,
            cluster_code=group or code,
            purpose=purpose,
        )
        for key, system in zip("ab", systems or self.systems, strict=False):
            part = Part.objects.create(item=item, key=key, instance=instance)
            stimulus = self.text("response")
            Response.objects.create(
                instance=instance,
                system=system,
                prompt="plain",
                code=f"{system.code}-{code}",
                stimulus=stimulus,
            )
            for role, shown in (
                ("context", self.text("context")),
                ("response", stimulus),
            ):
                Exhibit.objects.create(part=part, role=role, stimulus=shown)
        self.items.append(item)
        return item

    def person(self, code):
        return Rater.objects.create(study=self.study, code=code)

    def judge(self, code, model="judge-model"):
        rater = Rater.objects.create(study=self.study, code=code, kind="judge")
        Judge.objects.create(
            rater=rater, model=model, condition="simulated", sha256="0" * 64
        )
        return rater

    def assign(self, item, rater, **fields):
        given = {
            "position": item.pk,
            "shown_order": {"parts": ["a", "b"]},
            "submitted_at": START + timedelta(minutes=item.pk),
            "worked_s": 90.0,
        } | fields
        if rater.kind == "person" and "slot" not in given and given["submitted_at"]:
            n = item.bundle.slots.count() + 1
            given["slot"] = Slot.objects.create(
                study=self.study, bundle=item.bundle, n=n, rank=0, rater=rater
            )
        return Assignment.objects.create(item=item, rater=rater, **given)

    def rate(self, item, rater, values, heard_s=4.5, **fields):
        """Store {(part key, dimension): value} as one submission."""
        assignment = self.assign(item, rater, **fields)
        submission = Submission.objects.create(
            assignment=assignment,
            client_key=uuid.uuid4(),
            received_at=assignment.submitted_at,
        )
        parts = {part.key: part for part in item.parts.all()}
        for (key, dimension), value in values.items():
            state = "given" if value is not None else "cannot_judge"
            Answer.objects.create(
                submission=submission,
                part=parts[key],
                question=self.questions[dimension],
                state=state,
                number=value,
            )
        if heard_s is not None:
            for part in parts.values():
                Listening.objects.create(
                    assignment=assignment,
                    exhibit=part.exhibits.get(role="response"),
                    heard_s=heard_s,
                )
        return assignment


def both(a, b, dimensions=DIMENSIONS):
    """Return the same values on every dimension."""
    return {(key, d): v for d in dimensions for key, v in (("a", a), ("b", b))}


def finished_study(slug="aeq", n_items=14, seed=7, judge=True):
    """Return a study rated by three people and a judge, noisily but alike."""
    made = MadeStudy(slug)
    draw = random.Random(seed)
    people = [made.person(code) for code in ("p1", "p2", "p3")]
    raters = [*people, made.judge("j1")] if judge else people
    for n in range(n_items):
        item = made.item(f"item-{n:02}", group=f"g{n // 1:02}")
        truth = {key: draw.choice((1, 2, 3)) for key in both(0, 0)}
        absent = draw.choice([None, *people])
        for rater in raters:
            if rater is absent:
                continue
            values = {
                key: value
                if draw.random() < (0.75 if key[1] == "delivery" else 0.4)
                else draw.choice((1, 2, 3))
                for key, value in truth.items()
            }
            order = draw.choice((["a", "b"], ["b", "a"]))
            heard = None if rater.kind == "judge" else draw.choice((3.0, 4.25))
            made.rate(item, rater, values, heard_s=heard, shown_order={"parts": order})
    return made
