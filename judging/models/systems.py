"""Systems under evaluation, where they are reached, and what they answered."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models import Instance, Job, Stimulus


class Endpoint(models.Model):
    """Where a model is reached. Made by administrators; the key is only named here."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=120, unique=True)
    base_url = models.URLField(max_length=300)
    model = models.CharField(max_length=200)
    key_name = models.CharField(max_length=100, blank=True)
    options = models.JSONField(default=dict, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(key_name="") | Q(key_name__startswith="EARWITNESS_KEY_"),
                name="endpoint_key_is_named",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class System(models.Model):
    """A model under evaluation at one version, within one corpus."""

    corpus_code = models.SlugField(max_length=80)
    code = models.CharField(max_length=120)
    name = models.CharField(max_length=200)
    family = models.CharField(max_length=120, blank=True)
    outputs = models.JSONField(default=list, blank=True)
    aliases = models.JSONField(default=list, blank=True)
    meta = models.JSONField(default=dict, blank=True)
    endpoint = models.ForeignKey(
        Endpoint, models.PROTECT, null=True, blank=True, related_name="systems"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus_code", "code"], name="system_code_once_per_corpus"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Response(models.Model):
    """What one system said to one instance under one prompt, for one sample."""

    instance = models.ForeignKey(Instance, models.PROTECT, related_name="responses")
    system = models.ForeignKey(System, models.PROTECT, related_name="responses")
    prompt = models.CharField(max_length=80, blank=True)
    sample = models.PositiveSmallIntegerField(default=0)
    code = models.CharField(max_length=160)
    stimulus = models.OneToOneField(Stimulus, models.PROTECT, related_name="response")
    meta = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "system", "prompt", "sample"],
                name="response_once",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Call(models.Model):
    """One request to a paid model. `sent_at` is written before anything is sent."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        DONE = "done"
        FAILED = "failed"
        UNKNOWN = "unknown"

    run = models.ForeignKey(Job, models.PROTECT, related_name="calls")
    key = models.CharField(max_length=200, unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    system = models.ForeignKey(System, models.PROTECT, null=True, blank=True)
    instance = models.ForeignKey(Instance, models.PROTECT, null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    raw = models.TextField(blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting") | Q(sent_at__isnull=False),
                name="call_sent_before_answered",
            ),
        ]

    def __str__(self) -> str:
        return self.key
