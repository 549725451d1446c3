"""Background work. Each task takes its row, or does nothing."""

import logging
import shutil
import tempfile
from pathlib import Path

from celery import shared_task

from annotate.errors import AnnotateError, CannotSetUp
from annotate.models import Job
from annotate.services.jobs import (
    fail_job,
    finish_job,
    jobs_to_dispatch,
    progress_of,
    start_job,
)

log = logging.getLogger(__name__)


@shared_task(name="judging.run_job")
def run_job_task(job_id: int) -> None:
    """Run one waiting job; the same message delivered twice runs it once."""
    job = start_job(job_id)
    if job is None:
        return
    try:
        RUNNERS[job.kind](job)
    except AnnotateError as error:
        fail_job(job, str(error))
    except Exception as error:
        # The row must never say "running" of work that has ended.
        log.exception("job %s failed", job.public_id)
        fail_job(job, f"{type(error).__name__}: {error}")


@shared_task(name="judging.dispatch_waiting_jobs", acks_late=False, expires=30)
def dispatch_waiting_jobs() -> None:
    """Publish again what never reached the broker or was left by a dead worker."""
    for job_id in jobs_to_dispatch():
        run_job_task.delay(job_id)


def _import_study(job: Job) -> None:
    from judging.services.archives import unpack
    from judging.services.importing import import_folder

    uploaded = Path(job.arguments["archive"])
    with tempfile.TemporaryDirectory() as folder:
        imported = import_folder(
            unpack(uploaded, Path(folder)),
            owner=job.requested_by,
            dry_run=bool(job.arguments.get("dry_run")),
            partial=bool(job.arguments.get("partial")),
            tell=progress_of(job),
        )
    outcome = {
        "faults": imported.faults[:1000],
        "n_faults": len(imported.faults),
        "cautions": imported.cautions[:1000],
        "counts": imported.counts,
        "study": imported.study.slug if imported.study else "",
        "unchanged": imported.unchanged,
    }
    n = len(imported.faults)
    if imported.study is not None:
        shutil.rmtree(uploaded.parent, ignore_errors=True)
        what = "Nothing has changed since the last import."
        finish_job(job, what if imported.unchanged else "Imported.", outcome)
    elif job.arguments.get("dry_run"):
        finish_job(job, f"Checked: {n} faults." if n else "Checked: no fault.", outcome)
    else:
        said = "\n".join(imported.faults[:1000])
        fail_job(job, f"{n} faults; nothing was imported.\n{said}", outcome)


def _make_report(job: Job) -> None:
    from judging.reports.agreement import make_report

    if job.study is None:
        raise CannotSetUp("The job names no study.")
    report = make_report(job.study, progress_of(job))
    finish_job(job, "The report is ready.", {"report": str(report.public_id)})


def _fetch_responses(job: Job) -> None:
    from judging.services.fetching import fetch_responses

    outcome = fetch_responses(job, progress_of(job))
    finish_job(job, "{done} fetched, {failed} failed.".format(**outcome), outcome)


# Heavy libraries are imported by the runner that needs them, in a child that ends.
RUNNERS = {
    "import_study": _import_study,
    "make_report": _make_report,
    "fetch_responses": _fetch_responses,
}
