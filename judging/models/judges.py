"""Judge models and everything they replied."""

from django.db import models

from annotate.models import Assignment, Rater


class Judge(models.Model):
    """A rater that is a model with a prompt, settings and a condition."""

    class Condition(models.TextChoices):
        LISTENS = "listens"
        FREE_CAPTION = "free_caption"
        OBJECTIVE_CAPTION = "objective_caption"
        TRANSCRIPT = "transcript"
        SIMULATED = "simulated"

    rater = models.OneToOneField(Rater, models.PROTECT, related_name="judge")
    model = models.CharField(max_length=200)
    prompt_version = models.CharField(max_length=80, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    condition = models.CharField(max_length=20, choices=Condition)
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.model


class Verdict(models.Model):
    """A judge's whole reply to one assignment; kept also where it cannot be read."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="verdicts")
    attempt = models.PositiveSmallIntegerField(default=1)
    raw = models.TextField(blank=True)
    tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    error = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "attempt"], name="verdict_attempt_once"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt} on {self.assignment_id}"
