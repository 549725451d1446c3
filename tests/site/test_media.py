"""Recordings come in the ranges a player asks for, on every server, to whoever may."""

import httpx
import pytest
from django.urls import reverse

from annotate.models import Rendition, User
from annotate.services.deal import next_assignment
from tests.judging.small_study import PairStudy

SOUND = bytes(n * 7 % 256 for n in range(5000))
N = len(SOUND)


@pytest.fixture
def address(one_site):
    """Return the address of a reply of the first rater's first page."""
    made = PairStudy(n_instances=4)
    people = made.people(2)
    made.set_up(4, people)
    for rendition in Rendition.objects.all():
        with rendition.file.open("wb") as file:
            file.write(SOUND)
    return reverse("rate_sound", args=[_first(people[0]).public_id, "response-a"])


def _first(user):
    return next_assignment(user.raters.get().pk)


class Answer:
    """An answer of either server, told alike."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


@pytest.fixture(params=["granian", "django"])
def ask(request, address, client):
    """Ask the real server and Django's own for the same recording."""
    client.force_login(User.objects.get(username="pairs-person0"))

    def ask_django(method="GET", path=address, **headers):
        found = client.generic(method, path, headers=_dashed(headers))
        body = b"".join(found) if found.streaming else found.content
        return Answer(found.status_code, found.headers, body)

    def ask_granian(method="GET", path=address, **headers):
        cookies = {"sessionid": client.cookies["sessionid"].value}
        with httpx.Client(base_url=server, cookies=cookies, trust_env=False) as http:
            found = http.request(method, path, headers=_dashed(headers))
        return Answer(found.status_code, found.headers, found.content)

    if request.param == "django":
        return ask_django
    server = request.getfixturevalue("granian_server")
    return ask_granian


def _dashed(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


def test_the_whole_file(ask):
    answer = ask()

    assert answer.status == 200
    assert answer.body == SOUND
    assert answer.headers["Content-Length"] == str(N)
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["Content-Type"] == "audio/flac"
    assert "private" in answer.headers["Cache-Control"]


def test_never_compressed(ask):
    answer = ask(Accept_Encoding="gzip, br, zstd, deflate")

    assert "Content-Encoding" not in answer.headers
    assert answer.body == SOUND


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-1", 0, 1),
        ("bytes=100-199", 100, 199),
        ("bytes=4000-", 4000, N - 1),
        ("bytes=-10", N - 10, N - 1),
        ("bytes=-999999", 0, N - 1),
        ("bytes=4990-999999", 4990, N - 1),
        ("bytes=0-", 0, N - 1),
    ],
)
def test_a_range(ask, asked, first, last):
    answer = ask(Range=asked)

    assert answer.status == 206
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/{N}"
    assert answer.headers["Content-Length"] == str(last - first + 1)
    assert answer.headers["Content-Type"] == "audio/flac"
    assert answer.body == SOUND[first : last + 1]


@pytest.mark.parametrize("asked", [f"bytes={N}-", "bytes=99999-100000", "bytes=-0"])
def test_a_range_outside_of_the_file(ask, asked):
    answer = ask(Range=asked)

    assert answer.status == 416
    assert answer.headers["Content-Range"] == f"bytes */{N}"
    assert answer.body == b""


@pytest.mark.parametrize(
    "asked",
    ["bytes=5-2", "bytes=-", "bytes=a-b", "items=0-9", "bytes=0-1,5-9", "bytes 0-9"],
)
def test_what_is_no_single_range_brings_the_whole_file(ask, asked):
    answer = ask(Range=asked)

    assert (answer.status, answer.body) == (200, SOUND)
    assert "Content-Range" not in answer.headers


def test_another_entity_brings_the_whole_file(ask):
    etag = ask().headers["ETag"]

    assert ask(Range="bytes=0-9", If_Range=etag).status == 206
    assert ask(Range="bytes=0-9", If_Range='"other"').body == SOUND
    assert ask(If_None_Match=etag).status == 304


def test_head_tells_the_length_and_sends_nothing(ask):
    for headers in ({}, {"Range": "bytes=0-9"}):
        answer = ask("HEAD", **headers)
        assert (answer.status, answer.body) == (200, b"")
        assert answer.headers["Content-Length"] == str(N)
        assert answer.headers["Accept-Ranges"] == "bytes"


def test_only_the_rater_hears_it(address, client):
    assert client.get(address).status_code == 302
    client.force_login(User.objects.get(username="pairs-person1"))
    assert client.get(address).status_code == 404
    client.force_login(User.objects.create_user("stranger"))
    assert client.get(address).status_code == 404


def test_names_that_are_not_on_the_page_are_not_found(ask, address):
    assert ask(path=address.replace("response-a", "response-c")).status == 404
    assert ask(path=address.replace("response-a", "utterance")).status == 200


def test_tags_and_addresses_differ_per_assignment(address, client):
    tags = set()
    for name in ("pairs-person0", "pairs-person1"):
        user = User.objects.get(username=name)
        client.force_login(user)
        for part in ("response-a", "response-b", "utterance"):
            path = reverse("rate_sound", args=[_first(user).public_id, part])
            answer = client.get(path)
            answer.close()
            tags.add(answer["ETag"])
            assert "Last-Modified" not in answer.headers
    assert len(tags) == 6
