"""Replies are fetched from a real server, each paid for once, each failure kept."""

import base64
import contextlib
import io
import json
import threading
import wave
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotate.models import Job, Rendition, User
from judging.models import Call, Endpoint, Response, System
from judging.services import outgoing
from judging.tasks import run_job_task
from tests.judging.small_study import PairStudy

pytestmark = pytest.mark.django_db
KEY = "sk-a-secret-of-loopback"


def wav(seconds=1.0):
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        frames = (
            int(9000 * ((n // 40) % 2 or -1)) for n in range(int(16000 * seconds))
        )
        file.writeframes(b"".join(f.to_bytes(2, "little", signed=True) for f in frames))
    return made.getvalue()


def completion(sound):
    audio = {"id": "x", "data": base64.b64encode(sound).decode(), "transcript": "Hm."}
    return json.dumps({"choices": [{"message": {"audio": audio}}]}).encode()


class Model(ThreadingHTTPServer):
    """An endpoint that answers in turn what it was told to, then well."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.turns = [], []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body)))
        turns = self.server.turns
        status, headers, answer = (
            turns.pop(0) if turns else (200, {}, completion(wav()))
        )
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the asker may have had enough
            self.wfile.write(answer)

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), "GET"))
        self.send_error(404)

    def log_message(self, *args):
        pass


@pytest.fixture
def model():
    server = Model()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def made(model, settings, monkeypatch):
    """A study of three instances and a system with an endpoint on this machine."""
    settings.ENDPOINT_PRIVATE_HOSTS = ["127.0.0.1"]
    monkeypatch.setenv("EARWITNESS_KEY_LOOP", KEY)
    made = PairStudy(systems=(), n_instances=3)
    sound = utterance_flac()
    for rendition in Rendition.objects.all():
        with rendition.file.open("wb") as file:
            file.write(sound)
    made.system = System.objects.create(
        corpus_code=made.version.corpus_code,
        code="loop",
        name="Loop",
        endpoint=Endpoint.objects.create(
            name="loop",
            base_url=f"http://127.0.0.1:{model.server_port}/v1",
            model="loop-audio",
            key_name="EARWITNESS_KEY_LOOP",
        ),
    )
    return made


def utterance_flac():
    import soundfile

    samples, rate = soundfile.read(io.BytesIO(wav()), dtype="int16")
    flac = io.BytesIO()
    soundfile.write(flac, samples, rate, format="FLAC")
    return flac.getvalue()


def fetch(made):
    job = Job.objects.create(
        kind="fetch_responses",
        key=f"fetch/{Job.objects.count()}",
        study=made.study,
        requested_by=made.owner,
        arguments={"systems": [made.system.pk]},
    )
    run_job_task(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job.outcome


def test_every_reply_is_fetched_and_stored(made, model):
    outcome = fetch(made)

    assert outcome == {"done": 3, "failed": 0, "unknown": 0, "known": 0}
    assert len(model.seen) == 3
    replies = Response.objects.filter(system=made.system)
    assert [r.stimulus.text for r in replies] == ["Hm."] * 3
    copies = {c.recipe for c in replies[0].stimulus.recording.renditions.all()}
    assert copies == {"as_is", "match"}
    assert set(Call.objects.values_list("state", "attempts")) == {("done", 1)}


def test_the_request_is_a_chat_completion_with_audio(made, model):
    fetch(made)

    path, headers, body = model.seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["Host"] == f"127.0.0.1:{model.server_port}"
    assert body["model"] == "loop-audio"
    assert "audio" in body["modalities"]
    assert "Context 0." in body["messages"][0]["content"]
    sent = body["messages"][1]["content"][0]["input_audio"]
    assert sent["format"] == "wav"
    assert base64.b64decode(sent["data"])[:4] == b"RIFF"


FAILURES = {
    "500": ((500, {}, b"broken"), "answered 500"),
    "429": ((429, {"Retry-After": "9"}, b"slow down"), "answered 429"),
    "broken JSON": ((200, {}, b'{"choices": ['), "No audio in the answer"),
    "no choices": ((200, {}, b'{"choices": []}'), "No audio in the answer"),
    "a list": ((200, {}, b"[]"), "No audio in the answer"),
    "no audio": (
        (200, {}, b'{"choices": [{"message": {"content": "Hi", "audio": null}}]}'),
        "No audio in the answer",
    ),
    "empty audio": ((200, {}, completion(b"")), "audio in the answer is empty"),
    "garbage audio": (
        (200, {}, completion(b"this is no sound" * 99)),
        "The audio cannot be used",
    ),
    "silence": (
        (200, {}, completion(wav()[:44] + bytes(32000))),
        "The audio cannot be used",
    ),
    "redirect": (
        (302, {"Location": "http://127.0.0.1:1/elsewhere"}, b""),
        "answered 302",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_kept_with_its_reason_and_spares_the_rest(made, model, name):
    answer, said = FAILURES[name]
    model.turns = [answer]
    outcome = fetch(made)

    assert (outcome["done"], outcome["failed"]) == (2, 1)
    assert len(model.seen) == 3
    failed = Call.objects.get(state="failed")
    assert said in failed.error
    assert failed.raw == answer[2].decode()
    assert Response.objects.count() == 2


def test_too_large_an_answer_is_cut_off(made, model, monkeypatch):
    monkeypatch.setattr(outgoing, "MAX_BYTES", 2**20)
    model.turns = [(200, {}, b"x" * (3 * 2**20))]

    assert fetch(made)["failed"] == 1
    assert "The answer is over 1 MiB" in Call.objects.get(state="failed").error


def test_only_what_is_missing_is_asked_for_again(made, model):
    model.turns = [(500, {}, b"")]
    fetch(made)
    outcome = fetch(made)

    assert outcome == {"done": 1, "failed": 0, "unknown": 0, "known": 2}
    assert len(model.seen) == 4
    assert sum(Call.objects.values_list("attempts", flat=True)) == 4
    assert fetch(made)["known"] == 3
    assert len(model.seen) == 4


def test_a_call_left_unanswered_by_a_crash_is_unknown_and_not_repeated(made, model):
    instance = made.version.instances.order_by("code").first()
    job = Job.objects.create(kind="fetch_responses", key="crashed", study=made.study)
    Call.objects.create(
        key=f"reply/{made.system.pk}/{instance.pk}//0",
        run=job,
        system=made.system,
        instance=instance,
        state="sent",
        sent_at=timezone.now(),
        attempts=1,
    )
    for _ in range(2):
        assert fetch(made)["unknown"] == 1
    assert len(model.seen) == 2
    assert Call.objects.get(instance=instance).state == "unknown"
    assert Response.objects.count() == 2


def test_private_hosts_are_refused_unless_named(made, model, settings):
    settings.ENDPOINT_PRIVATE_HOSTS = []

    assert fetch(made)["failed"] == 3
    assert model.seen == []
    assert "private address 127.0.0.1" in Call.objects.first().error


@pytest.mark.parametrize("host", ["169.254.169.254", "0.0.0.0", "224.0.0.1"])
def test_some_addresses_are_never_reached(settings, host):
    settings.ENDPOINT_PRIVATE_HOSTS = [host]
    with pytest.raises(outgoing.EndpointFailed, match="never reached"):
        outgoing.checked_address(host, 80)


@pytest.mark.parametrize("host", ["10.0.0.1", "192.168.1.1", "::1", "::ffff:127.0.0.1"])
def test_inner_addresses_need_their_name_in_the_settings(host):
    with pytest.raises(outgoing.EndpointFailed, match="private address"):
        outgoing.checked_address(host, 80)


def test_an_endpoint_that_is_gone_is_a_failure(made, model):
    made.system.endpoint.base_url = "http://127.0.0.1:1/v1"
    made.system.endpoint.save()

    assert fetch(made)["failed"] == 3
    assert "did not answer" in Call.objects.first().error


def test_a_key_that_is_not_set_is_a_failure(made, model, monkeypatch):
    monkeypatch.delenv("EARWITNESS_KEY_LOOP")

    assert fetch(made)["failed"] == 3
    assert model.seen == []
    assert "EARWITNESS_KEY_LOOP is not set" in Call.objects.first().error


def test_the_key_stays_out_of_database_and_pages(made, model, client, tmp_path):
    model.turns = [(500, {}, b"no")]
    fetch(made)
    dump = tmp_path / "dump.json"
    call_command("dumpdata", output=str(dump), verbosity=0)
    assert KEY not in dump.read_text()

    client.force_login(User.objects.create_superuser("root"))
    job = Job.objects.get()
    for path in (
        reverse("endpoints"),
        reverse("fetch", args=[made.study.slug]),
        reverse("job", args=[job.public_id]),
        reverse("study", args=[made.study.slug]),
    ):
        page = client.get(path)
        assert page.status_code == 200
        assert KEY not in page.content.decode()


def test_endpoints_are_for_administrators(made, client):
    client.force_login(made.owner)
    given = {"name": "x", "base_url": "https://m.example/v1", "model": "m"}
    assert client.get(reverse("endpoints")).status_code == 404
    assert client.post(reverse("endpoints"), given).status_code == 404
    assert Endpoint.objects.count() == 1

    client.force_login(User.objects.create_superuser("root"))
    for bad in (
        {"key_name": "SECRET_KEY"},
        {"base_url": "file:///etc/passwd"},
        {"base_url": "http://169.254.169.254/latest"},
        {"base_url": "https://user:pass@m.example/v1"},
    ):
        client.post(reverse("endpoints"), given | bad)
    assert Endpoint.objects.count() == 1
    client.post(reverse("endpoints"), given | {"key_name": "EARWITNESS_KEY_M"})
    assert Endpoint.objects.count() == 2
