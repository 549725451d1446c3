"""A study as its researchers see it: import, set-up, who has done what."""

import tempfile
import uuid
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotate.errors import AnnotateError
from annotate.models import Assignment, Item, Job, Slot, Study
from annotate.services.jobs import queue_job
from annotate.views.signed_in import SignedInRequest
from judging.forms import ImportForm, SetUpForm
from judging.models import Report, System
from judging.services.importing import free_slug
from judging.services.pairs import Plan, set_up_pairs
from judging.tasks import run_job_task


def own_study(request: SignedInRequest, slug: str) -> Study:
    """Return the study if this person may read it as a researcher; else 404."""
    return get_object_or_404(
        Study.objects.seen_by(request.user).select_related(
            "protocol", "corpus_version"
        ),
        slug=slug,
    )


def dispatch(job: Job) -> None:
    run_job_task.delay_on_commit(job.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def import_study(request: SignedInRequest) -> HttpResponse:
    """Take a zipped study folder and import it as a job."""
    if not (request.user.may_make_studies or request.user.is_superuser):
        raise PermissionDenied
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        uploads = settings.HOME / "uploads"
        uploads.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=uploads))
        archive = folder / "study.zip"
        with archive.open("wb") as file:
            for block in form.cleaned_data["archive"].chunks():
                file.write(block)
        job, _new = queue_job(
            "import_study",
            f"import_study/{uuid.uuid4()}",
            requested_by=request.user,
            arguments={
                "archive": str(archive),
                "dry_run": form.cleaned_data["dry_run"],
                "partial": form.cleaned_data["partial"],
            },
        )
        dispatch(job)
        return redirect("job", job.public_id)
    return render(request, "judging/import.html", {"form": form})


@require_safe
def study_page(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show where the study stands."""
    study = own_study(request, slug)
    version = study.corpus_version
    submitted = Q(assignments__submitted_at__isnull=False)
    raters = study.raters.annotate(
        n_done=Count("assignments", filter=submitted),
        n_open=Count(
            "assignments",
            filter=Q(
                assignments__submitted_at__isnull=True,
                assignments__ended_at__isnull=True,
            ),
        ),
    ).order_by("code")
    places = Slot.objects.filter(study=study)
    return render(
        request,
        "judging/study.html",
        {
            "study": study,
            "n_instances": version.instances.count() if version else 0,
            "systems": System.objects.filter(
                corpus_code=version.corpus_code if version else "",
                responses__instance__version=version,
            )
            .annotate(n_responses=Count("responses"))
            .order_by("name"),
            "raters": raters,
            "n_pairs": Item.objects.filter(study=study).count(),
            "n_places": places.count(),
            "n_done": places.filter(done_at__isnull=False).count(),
            "n_surplus": Assignment.objects.surplus().filter(item__study=study).count(),
            "attention": study.events.filter(verb="item.skipped_by_three"),
            "report": Report.objects.filter(study=study).order_by("-made_at").first(),
            "jobs": study.jobs.order_by("-created_at")[:5],
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose systems, number of pairs, overlap and people, and open the study."""
    study = own_study(request, slug)
    if study.opened_at is not None:
        messages.info(request, _("This study is set up already."))
        return redirect("study", study.slug)
    form = SetUpForm(request.POST or None, study=study)
    if form.is_valid():
        chosen = form.cleaned_data
        plan = Plan(
            systems=list(chosen["systems"]),
            n_pairs=chosen["n_pairs"],
            overlap=chosen["overlap"],
            seed=chosen["seed"],
            raters=list(chosen["raters"]),
            named=chosen["dealing"] == SetUpForm.NAMED,
        )
        try:
            n = set_up_pairs(study, plan, request.user)
        except AnnotateError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, _("%(n)d pairs are ready to be rated.") % {"n": n}
            )
            return redirect("study", study.slug)
    return render(request, "judging/set_up.html", {"study": study, "form": form})


@require_POST
def copy_study(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make another draft study on the same corpus and protocol."""
    study = own_study(request, slug)
    copy = Study.objects.create(
        slug=free_slug(study.title),
        title=study.title,
        protocol=study.protocol,
        corpus_version=study.corpus_version,
        overlap=study.overlap,
        policy=study.policy,
    )
    copy.memberships.create(user=request.user, role="owner")
    return redirect("set_up", copy.slug)


@require_POST
def request_report(request: SignedInRequest, slug: str) -> HttpResponse:
    """Queue the agreement report of what stands now."""
    study = own_study(request, slug)
    waiting = study.jobs.filter(
        kind="make_report", state__in=[Job.State.QUEUED, Job.State.RUNNING]
    ).first()
    if waiting is None:
        waiting, _new = queue_job(
            "make_report",
            f"make_report/{study.pk}/{uuid.uuid4()}",
            study=study,
            requested_by=request.user,
        )
        dispatch(waiting)
    return redirect("job", waiting.public_id)
