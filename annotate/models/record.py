"""What raters left: drafts, submissions, answers, and what they listened to."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotate.models.study import Question, Rater, Study
from annotate.models.work import Assignment, Exhibit, Item, Part


class Draft(models.Model):
    """What stands on a rater's page before it is submitted."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="draft")
    body = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft {self.version} of {self.assignment_id}"


class Submission(models.Model):
    """One time a rater's answers were taken in; a revision supersedes, never edits."""

    assignment = models.ForeignKey(
        Assignment, models.CASCADE, related_name="submissions"
    )
    stage = models.PositiveSmallIntegerField(default=1)
    revision = models.PositiveSmallIntegerField(default=1)
    client_key = models.UUIDField()
    received_at = models.DateTimeField()
    late = models.BooleanField(default=False)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "client_key"], name="submission_once_per_key"
            ),
            models.UniqueConstraint(
                fields=["assignment", "stage", "revision"],
                name="submission_revision_once",
            ),
            models.UniqueConstraint(
                fields=["assignment", "stage"],
                condition=Q(superseded_at__isnull=True),
                name="submission_one_stands",
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} of {self.assignment_id}"


class AnswerQuerySet(models.QuerySet):
    def ratings(self):
        """Keep the answers that statistics may read. Nothing else builds tables.

        That is: the submission that stands, of rating duty, first occasion, on a real
        task, from a place held (or from a judge or an imported rater, who hold none),
        given as a number, and under no live exclusion.
        """
        return (
            self.filter(
                submission__superseded_at__isnull=True,
                submission__assignment__submitted_at__isnull=False,
                submission__assignment__duty=Assignment.Duty.RATE,
                submission__assignment__occasion=0,
                submission__assignment__item__purpose=Item.Purpose.TASK,
                state=Answer.State.GIVEN,
                number__isnull=False,
            )
            .exclude(
                submission__assignment__slot__isnull=True,
                submission__assignment__rater__kind=Rater.Kind.PERSON,
            )
            .exclude(Exists(_live_exclusions()))
        )


def _live_exclusions():
    """Return the exclusions in force that touch an answer, by rater or assignment."""
    touches = Q(assignment=OuterRef("submission__assignment")) | Q(
        rater=OuterRef("submission__assignment__rater")
    )
    of_question = Q(question__isnull=True) | Q(question=OuterRef("question"))
    return Exclusion.objects.filter(touches, of_question, lifted_at__isnull=True)


class Answer(models.Model):
    """What a rater left on one question for one part; a numeric one is a rating."""

    class State(models.TextChoices):
        GIVEN = "given"
        CANNOT_JUDGE = "cannot_judge"
        NOT_APPLICABLE = "not_applicable"

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="answers")
    part = models.ForeignKey(Part, models.PROTECT, related_name="answers")
    question = models.ForeignKey(Question, models.PROTECT, related_name="answers")
    state = models.CharField(max_length=14, choices=State, default=State.GIVEN)
    number = models.FloatField(null=True, blank=True)
    choice = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    spans = models.JSONField(null=True, blank=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "part", "question"], name="answer_once"
            ),
            models.CheckConstraint(
                condition=(
                    Q(state="given", number__isnull=False, choice="", text="")
                    & Q(spans__isnull=True)
                )
                | (
                    Q(state="given", number__isnull=True, text="", spans__isnull=True)
                    & ~Q(choice="")
                )
                | (
                    Q(state="given", number__isnull=True, choice="")
                    & Q(spans__isnull=True)
                    & ~Q(text="")
                )
                | Q(
                    state="given",
                    number__isnull=True,
                    choice="",
                    text="",
                    spans__isnull=False,
                )
                | (
                    ~Q(state="given")
                    & Q(number__isnull=True, choice="", text="", spans__isnull=True)
                ),
                name="answer_given_has_one_value",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} of part {self.part_id}"

    @property
    def value(self):
        """The one value that was given, or None."""
        if self.number is not None:
            return self.number
        return self.choice or self.text or self.spans


class Listening(models.Model):
    """What of one recording was truly played during one assignment."""

    assignment = models.ForeignKey(
        Assignment, models.CASCADE, related_name="listenings"
    )
    exhibit = models.ForeignKey(Exhibit, models.PROTECT, related_name="listenings")
    ranges = models.JSONField(default=list, help_text="[start, end] in seconds")
    heard_s = models.FloatField(default=0)
    plays = models.PositiveIntegerField(default=0)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "exhibit"], name="listening_once"
            ),
            models.CheckConstraint(
                condition=Q(heard_s__gte=0), name="listening_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.heard_s:.1f} s of {self.exhibit_id}"


class Exclusion(models.Model):
    """Ratings left out, of one rater or one assignment, always with a reason."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="exclusions")
    rater = models.ForeignKey(
        Rater, models.PROTECT, null=True, blank=True, related_name="exclusions"
    )
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, blank=True, related_name="exclusions"
    )
    question = models.ForeignKey(Question, models.PROTECT, null=True, blank=True)
    reason = models.CharField(max_length=60)
    note = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    at = models.DateTimeField(auto_now_add=True)
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rater__isnull=False, assignment__isnull=True)
                | Q(rater__isnull=True, assignment__isnull=False),
                name="exclusion_of_rater_or_assignment",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="exclusion_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.reason
