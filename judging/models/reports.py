"""Reports as they were computed."""

import uuid

from django.db import models

from annotate.models import Study


class Report(models.Model):
    """A study's agreement at one moment: what went in, and every number."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="reports")
    inputs_sha256 = models.CharField(max_length=64)
    body = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "inputs_sha256"], name="report_once_per_inputs"
            ),
        ]

    def __str__(self) -> str:
        return f"report of {self.study_id}"
