"""Recordings, the texts around them, and the instances made of both."""

from django.db import models
from django.db.models import Q


class Recording(models.Model):
    """One original sound file, known by its bytes; equal bytes are one recording."""

    class State(models.TextChoices):
        READY = "ready"
        UNUSABLE = "unusable"

    sha256 = models.CharField(max_length=64, unique=True)
    original = models.FileField(upload_to="originals", max_length=200)
    duration_s = models.FloatField(null=True, blank=True)
    sample_rate_hz = models.PositiveIntegerField(null=True, blank=True)
    channels = models.PositiveSmallIntegerField(null=True, blank=True)
    lufs = models.FloatField(null=True, blank=True)
    peak_db = models.FloatField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.READY)
    error = models.TextField(blank=True)
    warnings = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="ready")
                | Q(duration_s__isnull=False, duration_s__gt=0),
                name="recording_ready_has_duration",
            ),
            models.CheckConstraint(
                condition=Q(state="ready", error="")
                | (Q(state="unusable") & ~Q(error="")),
                name="recording_unusable_says_why",
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class Rendition(models.Model):
    """A served copy of a recording, made by one recipe."""

    class Recipe(models.TextChoices):
        AS_IS = "as_is"
        MATCH = "match"
        JUDGE = "judge"

    recording = models.ForeignKey(Recording, models.CASCADE, related_name="renditions")
    recipe = models.CharField(max_length=8, choices=Recipe)
    file = models.FileField(upload_to="renditions", max_length=200)
    n_bytes = models.PositiveBigIntegerField()
    duration_s = models.FloatField()
    peaks = models.JSONField(help_text="0..255, the loudest sample of each stretch")
    gain_db = models.FloatField(default=0)
    residual_db = models.FloatField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recording", "recipe"], name="rendition_once_per_recipe"
            ),
            models.CheckConstraint(
                condition=Q(duration_s__gt=0), name="rendition_has_duration"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recording_id} {self.recipe}"


class Stimulus(models.Model):
    """One text or recording as a rater meets it. An edit is a new row that revises."""

    class Kind(models.TextChoices):
        UTTERANCE = "utterance"
        CONTEXT = "context"
        EXPLANATION = "explanation"
        REFERENCE = "reference"
        RESPONSE = "response"
        CAPTION = "caption"

    kind = models.CharField(max_length=12, choices=Kind)
    recording = models.ForeignKey(
        Recording, models.PROTECT, null=True, blank=True, related_name="stimuli"
    )
    text = models.TextField(blank=True)
    meta = models.JSONField(default=dict, blank=True)
    revises = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="revisions"
    )

    class Meta:
        verbose_name_plural = "stimuli"
        constraints = [
            models.CheckConstraint(
                condition=Q(recording__isnull=False) | ~Q(text=""),
                name="stimulus_has_recording_or_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def sound(self) -> Recording:
        """The recording of a stimulus that is played."""
        assert self.recording is not None
        return self.recording

    @property
    def duration_s(self) -> float:
        """Length of its recording; one that is ready always has one."""
        if self.recording is None or self.recording.duration_s is None:
            raise ValueError(f"{self} is no recording that can be played")
        return self.recording.duration_s


class CorpusVersion(models.Model):
    """A set of instances at one moment; frozen before a study opens on it."""

    corpus_code = models.SlugField(max_length=80)
    number = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=200, blank=True)
    meta = models.JSONField(default=dict, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus_code", "number"], name="corpus_version_numbered_once"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="corpus_version_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus_code} v{self.number}"


class Instance(models.Model):
    """An utterance heard in a context."""

    class Branch(models.TextChoices):
        CONTEXT = "context"
        TONE = "tone"

    version = models.ForeignKey(CorpusVersion, models.CASCADE, related_name="instances")
    code = models.CharField(max_length=120)
    utterance = models.ForeignKey(Stimulus, models.PROTECT, related_name="+")
    context = models.ForeignKey(Stimulus, models.PROTECT, related_name="+")
    explanation = models.ForeignKey(
        Stimulus, models.PROTECT, null=True, blank=True, related_name="+"
    )
    reference = models.ForeignKey(
        Stimulus, models.PROTECT, null=True, blank=True, related_name="+"
    )
    branch = models.CharField(max_length=8, choices=Branch)
    group_code = models.CharField(max_length=120)
    subset = models.CharField(max_length=120, blank=True)
    use = models.CharField(max_length=40, blank=True)
    topic = models.CharField(max_length=120, blank=True)
    meta = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["version", "code"], name="instance_code_once_per_version"
            ),
        ]
        indexes = [models.Index(fields=["version", "subset"], name="instance_subset")]

    def __str__(self) -> str:
        return self.code
