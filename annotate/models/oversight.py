"""What happened in a study, and what runs in the background."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.study import Study


class Event(models.Model):
    """One change somebody made to a study; never edited, never deleted."""

    study = models.ForeignKey(
        Study, models.PROTECT, null=True, blank=True, related_name="events"
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=200, blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["study", "at"], name="event_by_study")]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"


class JobQuerySet(models.QuerySet):
    def waiting(self):
        return self.filter(state=Job.State.QUEUED)


class Job(models.Model):
    """One piece of background work and how far it is. Equal keys are one job."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        UNKNOWN = "unknown"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200, unique=True)
    study = models.ForeignKey(
        Study, models.CASCADE, null=True, blank=True, related_name="jobs"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    arguments = models.JSONField(default=dict, blank=True)
    outcome = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    progress = models.FloatField(default=0)
    message = models.CharField(max_length=300, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    dispatched_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="job_progress_0_1"
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(error=""), name="job_failed_says_why"
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"], condition=Q(state="queued"), name="job_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    @property
    def is_finished(self) -> bool:
        return self.state in {self.State.DONE, self.State.FAILED, self.State.UNKNOWN}
