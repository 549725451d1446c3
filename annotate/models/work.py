"""What is put before raters, and who has which of it."""

import uuid

from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotate.models.corpus import Instance, Stimulus
from annotate.models.study import Rater, Study


class Bundle(models.Model):
    """What goes to one rater whole: one item, a pair on two pages, or a group."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="bundles")
    code = models.CharField(max_length=120)
    rank = models.BigIntegerField(help_text="order in which bundles are dealt")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "code"], name="bundle_code_once_per_study"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Item(models.Model):
    """What is put before a rater at once."""

    class Purpose(models.TextChoices):
        TASK = "task"
        TRAINING = "training"
        GOLD = "gold"
        TRAP = "trap"

    study = models.ForeignKey(Study, models.PROTECT, related_name="items_of_work")
    bundle = models.ForeignKey(Bundle, models.PROTECT, related_name="items_of_work")
    code = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    purpose = models.CharField(max_length=8, choices=Purpose, default=Purpose.TASK)
    cluster_code = models.CharField(max_length=120)
    prompt = models.JSONField(default=dict, blank=True)
    gold = models.JSONField(default=dict, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "code"], name="item_code_once_per_study"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Part(models.Model):
    """A side or member of an item; the part with the empty key is the whole item.

    Parts with equal `side_code` shall stand first equally often for each rater. The
    code is opaque: whoever formed the item knows what it stands for, this app does not.
    """

    item = models.ForeignKey(Item, models.CASCADE, related_name="parts")
    key = models.CharField(max_length=8, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    side_code = models.CharField(max_length=16, blank=True)
    instance = models.ForeignKey(
        Instance, models.PROTECT, null=True, blank=True, related_name="parts"
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "key"], name="part_key_once_per_item"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}/{self.key}"


class Exhibit(models.Model):
    """One stimulus shown or played in a part, in a role."""

    class Role(models.TextChoices):
        CONTEXT = "context"
        UTTERANCE = "utterance"
        RESPONSE = "response"
        EXPLANATION = "explanation"
        REFERENCE = "reference"
        HIDDEN_REFERENCE = "hidden_reference"
        ANCHOR = "anchor"
        STAGE = "stage"

    part = models.ForeignKey(Part, models.CASCADE, related_name="exhibits")
    role = models.CharField(max_length=16, choices=Role)
    position = models.PositiveSmallIntegerField(default=0)
    stimulus = models.ForeignKey(Stimulus, models.PROTECT, related_name="exhibits")

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["part", "role", "position"], name="exhibit_place_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.part_id}"


class SlotQuerySet(models.QuerySet):
    def free(self, rater: Rater):
        """Keep places nobody holds, in bundles this rater may still be given."""
        return self.filter(study=rater.study_id, rater__isnull=True).exclude(
            _met_by(rater)
        )

    def expired(self, rater: Rater, now):
        """Keep unfinished places whose lease ran out, likewise."""
        return (
            self.filter(
                study=rater.study_id, done_at__isnull=True, lease_until__lte=now
            )
            .exclude(_met_by(rater))
            .exclude(rater=rater)
        )


def _met_by(rater: Rater) -> Exists:
    """Whether this rater answered, skipped or handed over something of the bundle.

    Expired rows do not count: whoever ran out of time may come back to them.
    """
    return Exists(
        Assignment.objects.filter(
            rater=rater, item__bundle=OuterRef("bundle"), duty="rate"
        ).exclude(end_reason="expired")
    )


class Slot(models.Model):
    """One of a bundle's k places; overlap k is k rows, so k cannot be exceeded."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="slots")
    bundle = models.ForeignKey(Bundle, models.PROTECT, related_name="slots")
    n = models.PositiveSmallIntegerField()
    rank = models.BigIntegerField()
    rater = models.ForeignKey(
        Rater, models.PROTECT, null=True, blank=True, related_name="slots"
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["bundle", "n"], name="slot_numbered_once_per_bundle"
            ),
            models.UniqueConstraint(
                fields=["bundle", "rater"], name="slot_once_per_rater"
            ),
            models.CheckConstraint(condition=Q(n__gte=1), name="slot_from_1"),
            models.CheckConstraint(
                condition=Q(rater__isnull=False)
                | Q(lease_until__isnull=True, done_at__isnull=True),
                name="slot_free_has_no_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["study", "rank"],
                condition=Q(rater__isnull=True),
                name="slot_free",
            ),
            models.Index(
                fields=["study", "lease_until"],
                condition=Q(done_at__isnull=True, lease_until__isnull=False),
                name="slot_leased",
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.n} of bundle {self.bundle_id}"


class AssignmentQuerySet(models.QuerySet):
    def open(self):
        """Keep what waits for an answer."""
        return self.filter(submitted_at__isnull=True, ended_at__isnull=True)

    def of(self, user):
        """Keep what belongs to this person: the scoped loader of every rating page."""
        return self.filter(rater__user=user, item__study__deleted_at__isnull=True)

    def surplus(self):
        """Keep people's answers that hold no place: counted and listed apart."""
        return self.filter(
            submitted_at__isnull=False,
            slot__isnull=True,
            rater__kind=Rater.Kind.PERSON,
            duty=Assignment.Duty.RATE,
            occasion=0,
            item__purpose=Item.Purpose.TASK,
        )


class Assignment(models.Model):
    """One item given to one rater.

    The row is the only record of progress: it is open until it is submitted or ended,
    and a rater's next page is their first open row by `position`.
    """

    class Duty(models.TextChoices):
        RATE = "rate"
        ADJUDICATE = "adjudicate"

    class EndReason(models.TextChoices):
        EXPIRED = "expired"
        SKIPPED = "skipped"
        HANDED_OVER = "handed_over"
        WITHDRAWN = "withdrawn"
        RETIRED = "retired"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="assignments")
    slot = models.ForeignKey(
        Slot, models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    duty = models.CharField(max_length=10, choices=Duty, default=Duty.RATE)
    occasion = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField()
    seed = models.BigIntegerField(default=0)
    shown_order = models.JSONField(default=dict, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=12, choices=EndReason, blank=True)
    end_note = models.TextField(blank=True)
    worked_s = models.FloatField(default=0)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "rater", "duty", "occasion"],
                name="assignment_once_per_rater",
            ),
            models.CheckConstraint(
                condition=Q(submitted_at__isnull=True) | Q(ended_at__isnull=True),
                name="assignment_submitted_or_ended",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, end_reason="")
                | (Q(ended_at__isnull=False) & ~Q(end_reason="")),
                name="assignment_end_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(slot__isnull=True),
                name="assignment_ended_holds_no_slot",
            ),
        ]
        indexes = [
            models.Index(
                fields=["rater", "position"],
                condition=Q(submitted_at__isnull=True, ended_at__isnull=True),
                name="assignment_open",
            ),
            models.Index(fields=["rater", "position"], name="assignment_by_position"),
        ]

    def __str__(self) -> str:
        return f"item {self.item_id} for rater {self.rater_id}"

    @property
    def is_open(self) -> bool:
        return self.submitted_at is None and self.ended_at is None
