"""Background work as rows: asked for once, started once, and honest about its end."""

import datetime
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.models import Job, Study, User

STALE_S = 60  # a running job that has not spoken for so long has lost its worker
WAITING_S = 30  # a queued job older than this may never have been published

Progress = Callable[[float, str], None]


def queue_job(
    kind: str,
    key: str,
    *,
    study: Study | None = None,
    requested_by: User | None = None,
    arguments: dict[str, Any] | None = None,
) -> tuple[Job, bool]:
    """Return the job of this key and whether it is new. Callers dispatch it."""
    with transaction.atomic():
        return Job.objects.get_or_create(
            key=key,
            defaults={
                "kind": kind,
                "study": study,
                "requested_by": requested_by,
                "arguments": arguments or {},
                "dispatched_at": timezone.now(),
                "message": "Waiting for a worker",
            },
        )


def start_job(job_id: int) -> Job | None:
    """Take a queued job (or one whose worker is gone) and return it; else None."""
    now = timezone.now()
    stale = now - datetime.timedelta(seconds=STALE_S)
    taken = Job.objects.filter(
        Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, heartbeat_at__lt=stale),
        pk=job_id,
    ).update(state=Job.State.RUNNING, started_at=now, heartbeat_at=now, progress=0)
    return Job.objects.get(pk=job_id) if taken else None


def progress_of(job: Job) -> Progress:
    """Return a function that tells how far the job is; it doubles as heartbeat."""

    def tell(share: float, message: str) -> None:
        Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(
            progress=min(1.0, max(0.0, share)),
            message=message[:300],
            heartbeat_at=timezone.now(),
        )

    return tell


def finish_job(job: Job, message: str, outcome: dict[str, Any] | None = None) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.DONE,
        progress=1.0,
        message=message[:300],
        outcome=outcome or {},
        error="",
        finished_at=timezone.now(),
    )


def fail_job(job: Job, error: str, outcome: dict[str, Any] | None = None) -> None:
    first_line = error.strip().splitlines()[0] if error.strip() else "It failed."
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.FAILED,
        message=first_line[:300],
        error=error or "It failed.",
        outcome=outcome or {},
        finished_at=timezone.now(),
    )


def jobs_to_dispatch() -> list[int]:
    """Return jobs to publish again: never taken up, or left by a dead worker."""
    now = timezone.now()
    lost = now - datetime.timedelta(seconds=WAITING_S)
    stale = now - datetime.timedelta(seconds=STALE_S)
    ids = list(
        Job.objects.filter(
            Q(state=Job.State.QUEUED, dispatched_at__lt=lost)
            | Q(state=Job.State.RUNNING, heartbeat_at__lt=stale)
        ).values_list("pk", flat=True)[:200]
    )
    Job.objects.filter(pk__in=ids).update(dispatched_at=now)
    return ids
