"""Studies, the protocols they follow, and who takes part in which role."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.corpus import CorpusVersion

if TYPE_CHECKING:
    from annotate.models.people import User


class Protocol(models.Model):
    """A rubric, page layout, policy and analysis plan at one version, as data."""

    slug = models.SlugField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    body = models.JSONField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slug", "version"], name="protocol_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} v{self.version}"

    @property
    def layout(self) -> str:
        return self.body["layout"]


class Question(models.Model):
    """One thing a rater is asked, of the whole item or of each of its parts."""

    class Target(models.TextChoices):
        ITEM = "item"
        PART = "part"

    class Kind(models.TextChoices):
        SCALE = "scale"
        CHOICE = "choice"
        PREFERENCE = "preference"
        TEXT = "text"
        SPANS = "spans"

    protocol = models.ForeignKey(Protocol, models.CASCADE, related_name="questions")
    key = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)
    stage = models.PositiveSmallIntegerField(default=1)
    target = models.CharField(max_length=4, choices=Target)
    kind = models.CharField(max_length=10, choices=Kind)
    label = models.CharField(max_length=200)
    points = models.JSONField(default=list, blank=True)
    required = models.BooleanField(default=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["protocol", "key"], name="question_key_once_per_protocol"
            ),
            models.CheckConstraint(
                condition=Q(stage__gte=1), name="question_stage_from_1"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def values(self) -> list:
        """Every point of the scale, used or not, as the protocol lists them."""
        return [point["value"] for point in self.points]


class StudyQuerySet(models.QuerySet):
    def seen_by(self, user: "User"):
        """Keep the studies this person may read as a researcher."""
        if user.is_superuser:
            return self.filter(deleted_at__isnull=True)
        return self.filter(
            deleted_at__isnull=True,
            memberships__user=user,
            memberships__role__in=Membership.RESEARCHERS,
        )

    def worked_on_by(self, user: "User"):
        """Keep the studies in which this person rates."""
        return self.filter(deleted_at__isnull=True, raters__user=user)


class Study(models.Model):
    """One protocol run on one corpus version with some people."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    protocol = models.ForeignKey(Protocol, models.PROTECT, related_name="studies")
    corpus_version = models.ForeignKey(
        CorpusVersion, models.PROTECT, null=True, blank=True, related_name="studies"
    )
    overlap = models.PositiveSmallIntegerField(default=2)
    seed = models.BigIntegerField(default=0)
    policy = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(overlap__gte=1), name="study_overlap_from_1"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
                name="study_opened_before_closed",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None


class Membership(models.Model):
    """A person's role in a study."""

    class Role(models.TextChoices):
        OWNER = "owner"
        RESEARCHER = "researcher"
        ANNOTATOR = "annotator"

    RESEARCHERS = (Role.OWNER, Role.RESEARCHER)

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "user"], name="membership_once_per_study"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.study_id}"


class Rater(models.Model):
    """Whoever answers in one study: a person, a judge model, or someone elsewhere.

    `n_dealt`, `cursor_rank` and `dealer_memory` (the last clusters met, and for each
    opaque side code how much oftener it stood first) are what the dealer remembers, so
    that finding the next item does not walk over all that was dealt before.
    """

    class Kind(models.TextChoices):
        PERSON = "person"
        JUDGE = "judge"
        IMPORTED = "imported"

    study = models.ForeignKey(Study, models.PROTECT, related_name="raters")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PERSON)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="raters",
    )
    code = models.CharField(max_length=60)
    ext_source = models.CharField(max_length=40, blank=True)
    ext_id = models.CharField(max_length=120, blank=True)
    consent_version = models.CharField(max_length=40, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    seed = models.BigIntegerField(default=0)
    n_dealt = models.PositiveIntegerField(default=0)
    cursor_rank = models.BigIntegerField(default=0)
    dealer_memory = models.JSONField(default=dict, blank=True)
    settings = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "code"], name="rater_code_once_per_study"
            ),
            models.UniqueConstraint(
                fields=["study", "user"], name="rater_once_per_person"
            ),
            models.UniqueConstraint(
                fields=["study", "ext_source", "ext_id"],
                condition=~Q(ext_id=""),
                name="rater_once_per_external_id",
            ),
            models.CheckConstraint(
                condition=Q(kind="person") | Q(user__isnull=True),
                name="rater_only_people_sign_in",
            ),
        ]

    def __str__(self) -> str:
        return self.code
