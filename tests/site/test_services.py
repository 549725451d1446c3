"""The servers beneath: writers wait for each other, and messages arrive."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction

from config.celery import app


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_writers_who_read_first_wait_for_each_other():
    Group.objects.create(name="0")

    def write_next(_: int) -> None:
        try:
            with transaction.atomic():
                counter = Group.objects.select_for_update().get()
                counter.name = str(int(counter.name) + 1)
                counter.save()
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(write_next, range(60)))

    assert Group.objects.get().name == "60"


def test_a_message_arrives(broker_url: str):
    with app.connection_for_write(broker_url) as line:
        queue = line.SimpleQueue("tests-of-services")
        queue.put({"said": "hello"})
        message = queue.get(timeout=5)
        message.ack()
        queue.close()

    assert message.payload == {"said": "hello"}


@pytest.mark.both_databases
def test_the_site_answers_as_served_in_production(granian_server: str):
    Group.objects.create(name="seen by both")
    answer = httpx.get(f"{granian_server}/healthz/")

    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_worker_does_what_is_queued(worker: None):
    app.send_task("celery.backend_cleanup")  # the one that Celery brings

    patience_ends = time.monotonic() + 20
    done: list[dict] = []
    while not any(done) and time.monotonic() < patience_ends:
        seen = app.control.inspect(timeout=0.5).stats() or {}
        done = [each["total"] for each in seen.values()]

    assert done == [{"celery.backend_cleanup": 1}]
