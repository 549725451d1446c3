"""A study's report as its researchers see and download it.

Loads no numeric library: figures and plots were made by the job and are read as stored.
"""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from annotate.models import Job, Study
from annotate.views.signed_in import SignedInRequest
from judging.models import Report
from judging.reports.exports import ratings_csv, report_html, report_json
from judging.reports.inputs import changed_since
from judging.reports.pages import page_of
from judging.views.studies import own_study

SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
    " frame-ancestors 'none'"
)


@require_safe
def report_page(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the latest report, or how to get one."""
    study = own_study(request, slug)
    report = latest_report(study)
    waiting = study.jobs.filter(
        kind="make_report", state__in=[Job.State.QUEUED, Job.State.RUNNING]
    ).first()
    context: dict[str, Any] = {"study": study, "report": report, "waiting": waiting}
    if report is not None:
        context["page"] = page_of(report.body)
        read_at = datetime.fromisoformat(report.body["read_at"])
        context["outdated"] = changed_since(study, read_at)
    return render(request, "judging/report.html", context)


@require_safe
def ratings_download(request: SignedInRequest, slug: str) -> StreamingHttpResponse:
    """Stream `ratings.csv`: byte-true, or `?spreadsheet=1` safe for a spreadsheet."""
    study = own_study(request, slug)
    spreadsheet = request.GET.get("spreadsheet") == "1"
    lines = ratings_csv(study, spreadsheet=spreadsheet)
    return StreamingHttpResponse(
        (line.encode() for line in lines),
        headers=_attachment(f"{study.slug}-ratings.csv", "text/csv; charset=utf-8"),
    )


@require_safe
def report_json_download(request: SignedInRequest, slug: str) -> HttpResponse:
    report = _report_of(own_study(request, slug))
    name = f"{report.study.slug}-report.json"
    return HttpResponse(
        report_json(report), headers=_attachment(name, "application/json")
    )


@require_safe
def report_html_download(request: SignedInRequest, slug: str) -> HttpResponse:
    """Send the report as one file. It holds others' text, so it may run nothing."""
    report = _report_of(own_study(request, slug))
    name = f"{report.study.slug}-report.html"
    headers = _attachment(name, "text/html; charset=utf-8")
    headers["Content-Security-Policy"] = SANDBOX
    return HttpResponse(report_html(report), headers=headers)


def latest_report(study: Study) -> Report | None:
    reports = Report.objects.filter(study=study).select_related("study")
    return reports.order_by("made_at", "pk").last()


def _report_of(study: Study) -> Report:
    report = latest_report(study)
    if report is None:
        raise Http404("no report was made yet")
    return report


def _attachment(name: str, content_type: str) -> dict[str, str]:
    return {
        "Content-Type": content_type,
        "Content-Disposition": content_disposition_header(True, name) or "attachment",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }
