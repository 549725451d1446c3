"""A rater must not be able to learn which system they are hearing."""

import re
import uuid

import pytest
from django.urls import reverse

from annotate.models import Assignment, Exhibit, Item, Part, Recording
from judging.models import Response
from tests.judging.small_study import PairStudy

pytestmark = pytest.mark.django_db
CANARIES = ("acme-omni-7b", "zephyr-say-2", "qwill-audio-x")
WORDS = ("acme", "omni-7b", "zephyr", "qwill", "canary", "goldentruth")
DESK = ("draft", "listening", "submit", "skip", "pause", "ahead")


@pytest.fixture
def sent(client):
    """Walk a whole study as a rater and return every answer as (where, text)."""
    made = PairStudy(systems=CANARIES, n_instances=4, slug="blind")
    for recording in Recording.objects.all():
        recording.original = f"originals/acme-canary-{recording.pk}.wav"
        recording.warnings = ["acme-omni-7b tag canary"]
        recording.save()
    for response in Response.objects.select_related("system", "stimulus"):
        response.meta = {"model": response.system.code, "note": "canary"}
        response.save()
        response.stimulus.meta = {"id": response.system.code}
        response.stimulus.text = f"I am {response.system.code}."
        response.stimulus.save()
    (user,) = made.people(1)
    made.set_up(6, [user], overlap=1)
    Item.objects.update(
        gold={"coherence": "goldentruth"}, prompt={"from": "acme-omni-7b"}
    )
    Part.objects.filter(key="A").update(key="canaryA")
    Part.objects.filter(key="B").update(key="canaryB")
    client.force_login(user)
    return list(walk(client, made.study))


def walk(client, study):
    yield said("home", client.get(reverse("home")))
    for n in range(10):
        work = client.get(reverse("work", args=[study.slug]))
        yield said("work", work)
        if work.status_code == 200:
            return
        page = client.get(work["Location"])
        yield said("page", page)
        open_now = Assignment.objects.open().order_by("position").first()
        yield from desk(client, open_now, "skip" if n == 2 else "submit")
        yield said("again", client.get(work["Location"]))


def desk(client, assignment, end):
    address = {key: reverse(f"rate_{key}", args=[assignment.public_id]) for key in DESK}

    def post(key, body):
        answer = client.post(address[key], body, content_type="application/json")
        return said(key, answer)

    answers = {f"{side}:{q}": 2 for side in "AB" for q in QUESTIONS}
    yield post("draft", {"answers": answers | {"preference": "A"}, "version": 0})
    yield post("draft", {"answers": answers, "version": 9})
    yield post("ahead", {})
    yield post("submit", {"answers": {"A:coherence": 9}, "client_key": "no"})
    yield post("submit", {"answers": answers, "client_key": str(uuid.uuid4())})
    played = {
        name: {"ranges": [[0, 2]], "plays": 1}
        for name in ("utterance", "response-a", "response-b")
    }
    Assignment.objects.filter(pk=assignment.pk).update(opened_at="2026-01-01T00:00:00Z")
    yield post("listening", {"recordings": played})
    for name in played:
        path = reverse("rate_sound", args=[assignment.public_id, name])
        yield said("sound", client.get(path))
        yield said("sound", client.get(path, headers={"Range": "bytes=0-9"}))
        yield said("sound", client.get(path, headers={"Range": "bytes=99999-"}))
    if end == "skip":
        yield post("skip", {"reason": "nonsense"})
        yield post("skip", {"reason": "unsuitable"})
        return
    yield post("submit", {"answers": answers, "client_key": str(uuid.uuid4())})
    yield post("submit", {"answers": {"A:coherence": 1}, "revision": 0})


QUESTIONS = ("coherence", "delivery", "supportiveness")


def said(where, answer):
    body = b"".join(answer) if answer.streaming else answer.content
    text = f"{answer.status_code} {dict(answer.headers)} {answer.cookies.output()}"
    return where, f"{text} {body.decode('utf-8', 'replace')}"


def test_the_walk_reaches_everything(sent):
    by_place = dict(sent)

    assert set(by_place) >= {"home", "work", "page", "sound", "again", *DESK} - {
        "pause"
    }
    assert by_place["work"].startswith("200")  # nothing left
    stored = [
        text for where, text in sent if where == "submit" and '"saved_at"' in text
    ]
    assert len(stored) == 5


def test_no_byte_names_a_system(sent):
    told = [
        (where, word) for where, text in sent for word in WORDS if word in text.lower()
    ]
    assert told == []


def test_no_byte_holds_a_stored_name_or_code(sent):
    names = set(Part.objects.exclude(key="").values_list("side_code", flat=True))
    names |= {r.sha256 for r in Recording.objects.all()}
    for recording in Recording.objects.all():
        names |= {copy.file.name for copy in recording.renditions.all()}
    names |= set(Item.objects.values_list("code", "cluster_code")[0])
    told = [(where, n) for where, text in sent for n in names if n in text]
    assert told == []


def test_no_page_holds_a_database_id(sent):
    """Ids grow as rows are made, so that they would tell equal replies apart."""
    told = re.compile(r'"(?:id|pk|part|exhibit|item|stimulus|recording)":\s*\d+')
    assert [where for where, text in sent if told.search(text)] == []
    attributes = re.compile(r'(?:data-[a-z-]*id|id|name)="[a-z-]*\d{2,}"')
    pages = [text for where, text in sent if where in ("page", "again")]
    assert not any(attributes.search(page) for page in pages)


def test_replies_are_not_transcribed(sent):
    assert not [where for where, text in sent if "I am " in text]


def test_equal_recordings_have_different_addresses_and_tags(sent):
    """Four recordings stand behind every page; nothing shows which is which."""
    tags = [
        re.search(r"'ETag': '\"(\w+)\"'", text)[1]
        for where, text in sent
        if where == "sound"
    ]
    assert len(set(tags)) == len(tags) / 3
    assert Exhibit.objects.filter(role="response").count() == 12
