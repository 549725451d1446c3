"""Background work as people watch it."""

from uuid import UUID

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotate.models import Job, Study
from annotate.views.signed_in import SignedInRequest

NO_ANSWER_S = 60


def own_jobs(request: SignedInRequest):
    """Return the jobs this person asked for, or that belong to their studies."""
    if request.user.is_superuser:
        return Job.objects.all()
    return Job.objects.filter(
        Q(requested_by=request.user) | Q(study__in=Study.objects.seen_by(request.user))
    ).distinct()


@require_safe
def jobs(request: SignedInRequest) -> HttpResponse:
    rows = own_jobs(request).select_related("study").order_by("-created_at")[:100]
    return render(request, "judging/jobs.html", {"jobs": rows})


@require_safe
def job(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Show one job; the fragment alone to the script that watches it."""
    row = get_object_or_404(
        own_jobs(request).select_related("study"), public_id=public_id
    )
    waited_s = (timezone.now() - row.created_at).total_seconds()
    silent = row.state == Job.State.QUEUED and waited_s > NO_ANSWER_S
    whole = request.headers.get("HX-Request") != "true"
    return render(
        request,
        "judging/job.html" if whole else "judging/_job.html",
        {"job": row, "silent": silent},
    )
