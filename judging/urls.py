"""Addresses of systems, judges and reports."""

from django.urls import path

from judging.views import endpoints, jobs, report, studies

urlpatterns = [
    path("import/", studies.import_study, name="import_study"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<uuid:public_id>/", jobs.job, name="job"),
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("studies/<slug:slug>/", studies.study_page, name="study"),
    path("studies/<slug:slug>/set-up/", studies.set_up, name="set_up"),
    path("studies/<slug:slug>/copy/", studies.copy_study, name="copy_study"),
    path("studies/<slug:slug>/fetch/", endpoints.fetch, name="fetch"),
    path("studies/<slug:slug>/report/", report.report_page, name="report"),
    path(
        "studies/<slug:slug>/report/make/",
        studies.request_report,
        name="request_report",
    ),
    path("studies/<slug:slug>/ratings.csv", report.ratings_download, name="report_csv"),
    path(
        "studies/<slug:slug>/report.json",
        report.report_json_download,
        name="report_json",
    ),
    path(
        "studies/<slug:slug>/report.html",
        report.report_html_download,
        name="report_html",
    ),
]
