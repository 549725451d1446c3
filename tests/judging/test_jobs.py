"""Jobs are rows: taken once, taken again from the dead, and honest on their page."""

import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.errors import AnnotateError
from annotate.models import Job, User
from annotate.services.jobs import (
    fail_job,
    jobs_to_dispatch,
    progress_of,
    queue_job,
    start_job,
)
from judging import tasks
from judging.tasks import run_job_task

pytestmark = pytest.mark.django_db
HEAVY_S = 45


def ago(seconds):
    return timezone.now() - timedelta(seconds=seconds)


def make_job(**fields):
    given = {"kind": "import_study", "key": f"k{Job.objects.count()}"} | fields
    created = given.pop("created_at", None)
    job = Job.objects.create(**given)
    if created:
        Job.objects.filter(pk=job.pk).update(created_at=created)
    return job


def test_a_key_is_one_job():
    one, is_new = queue_job("import_study", "same")
    two, is_new_again = queue_job("import_study", "same")

    assert (one, is_new, is_new_again) == (two, True, False)


def test_a_job_is_taken_once():
    job = make_job()

    assert start_job(job.pk).state == Job.State.RUNNING
    assert start_job(job.pk) is None


@pytest.mark.parametrize("state", ["done", "failed", "unknown"])
def test_what_has_ended_is_not_taken(state):
    assert start_job(make_job(state=state, error="why").pk) is None


def test_a_job_whose_worker_is_gone_is_taken_again():
    lost = make_job(state="running", heartbeat_at=ago(61))
    alive = make_job(state="running", heartbeat_at=ago(30))

    assert start_job(lost.pk) is not None
    assert start_job(alive.pk) is None


def test_progress_is_a_heartbeat():
    job = make_job(state="running", heartbeat_at=ago(55))
    progress_of(job)(0.5, "Half")
    job.refresh_from_db()

    assert (job.progress, job.message) == (0.5, "Half")
    assert job.heartbeat_at > ago(5)


def test_lost_jobs_are_published_again_and_no_others():
    lost = make_job(dispatched_at=ago(31))
    dead = make_job(state="running", heartbeat_at=ago(61))
    make_job(dispatched_at=ago(5))
    make_job(state="running", heartbeat_at=ago(5))
    make_job(state="done", dispatched_at=ago(500))

    assert set(jobs_to_dispatch()) == {lost.pk, dead.pk}
    assert lost.pk not in jobs_to_dispatch()


def test_a_failure_keeps_all_it_said():
    job = make_job(state="running")
    fail_job(job, "2 faults\na.jsonl:1: one\na.jsonl:2: two")
    job.refresh_from_db()

    assert (job.state, job.message) == ("failed", "2 faults")
    assert "a.jsonl:2: two" in job.error


@pytest.mark.parametrize("error", [AnnotateError("Say why."), ZeroDivisionError("x")])
def test_whatever_goes_wrong_ends_the_job(monkeypatch, error):
    def runner(job):
        raise error

    monkeypatch.setitem(tasks.RUNNERS, "import_study", runner)
    job = make_job()
    run_job_task(job.pk)
    job.refresh_from_db()

    assert job.state == "failed"
    assert str(error) in job.error


def test_two_deliveries_run_it_once(monkeypatch):
    ran = []
    monkeypatch.setitem(tasks.RUNNERS, "import_study", ran.append)
    job = make_job()
    run_job_task(job.pk)
    run_job_task(job.pk)

    assert len(ran) == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": "running", "message": "Decoding 3 of 9"}, "Decoding 3 of 9"),
        ({"state": "done", "message": "Imported."}, "Imported."),
        (
            {"state": "failed", "error": "a.jsonl:1: bad branch"},
            "a.jsonl:1: bad branch",
        ),
        ({"created_at": ago(90)}, "No worker has answered for 60 s"),
    ],
)
def test_the_page_tells_how_it_stands(client, fields, said):
    client.force_login(User.objects.create_superuser("root"))
    job = make_job(**fields)
    page = client.get(reverse("job", args=[job.public_id])).content.decode()

    assert said in page
    assert ("No worker has answered" in page) == ("created_at" in fields)


def test_a_real_worker_runs_it(worker):
    job = make_job(kind="import_study", arguments={"archive": "/nonexistent.zip"})
    run_job_task.delay(job.pk)
    until = time.monotonic() + HEAVY_S
    while time.monotonic() < until and not job.is_finished:
        time.sleep(0.2)
        job.refresh_from_db()

    assert job.state == "failed"
    assert "nonexistent.zip" in job.error
