"""A rater at the desk, in a real browser, by the names of docs/accessible-names.md."""

import io
import re
import time

import numpy as np
import pytest
import soundfile
from axe_playwright_python.sync_playwright import Axe
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from playwright.sync_api import expect

from annotate.models import Answer, Assignment, Recording, Rendition, Submission
from annotate.services.answers import letters_of
from tests.judging.small_study import PairStudy

SECONDS = 1.0
DIMENSIONS = ("Coherence", "Supportiveness", "Delivery")
PLAYED = ("utterance", "response A", "response B")


def tone(hertz):
    rate = 16_000
    at = np.arange(int(SECONDS * rate)) / rate
    file = io.BytesIO()
    soundfile.write(file, 0.2 * np.sin(2 * np.pi * hertz * at), rate, format="FLAC")
    return file.getvalue()


@pytest.fixture
def study(granian_server):
    """A study with one rater and a second of true sound in every recording."""
    made = PairStudy(n_instances=4, slug="desk")
    Recording.objects.update(duration_s=SECONDS)
    for n, copy in enumerate(Rendition.objects.all()):
        content = tone(300 + 40 * n)
        copy.file.save(f"tone{n}.flac", ContentFile(content), save=False)
        copy.n_bytes, copy.duration_s = len(content), SECONDS
        copy.save()
    (made.user,) = made.people(1)
    made.set_up(4, [made.user], overlap=1)
    yield made
    until_quiet()


def until_quiet():
    """Wait for what a page sent as it closed, or emptying tables deadlocks with it."""
    time.sleep(0.5)
    for _ in range(50):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle'"
                " AND datname = current_database() AND pid <> pg_backend_pid()"
            )
            if cursor.fetchone()[0] == 0:
                return
        time.sleep(0.1)


def signed_in(page, user, address):
    client = Client()
    client.force_login(user)
    value = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": value, "url": address}])
    return page


@pytest.fixture
def desk(study, page, granian_server):
    """The first page of the rater's work."""
    signed_in(page, study.user, granian_server)
    page.goto(f"{granian_server}/studies/desk/work/")
    return page


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def point(page, letter, dimension, label):
    group = page.get_by_role("group", name=f"Response {letter}: {dimension}")
    return group.get_by_role("radio", name=label, exact=True)


def hear(page, names=PLAYED):
    for name in names:
        play = button(page, f"Play {name}")
        play.click()
        expect(play).to_have_attribute("aria-pressed", "true")
        expect(play).to_have_attribute("aria-pressed", "false")


def rate_all(page):
    for letter, label in (("A", "Good"), ("B", "Poor")):
        for dimension in DIMENSIONS:
            point(page, letter, dimension, label).check()


def leave(page):
    here = page.url
    button(page, "Submit").click()
    page.wait_for_url(lambda url: url != here)


def test_what_is_chosen_is_stored_on_its_side(desk):
    assignment = Assignment.objects.get()
    expect(point(desk, "A", "Coherence", "Good")).to_be_disabled()

    hear(desk)
    rate_all(desk)
    leave(desk)

    assert "/rate/" in desk.url
    letters = letters_of(assignment)
    stored = {
        (letters[answer.part.key], answer.question.label): answer.number
        for answer in Answer.objects.filter(
            part__isnull=False, number__isnull=False
        ).select_related("part", "question")
    }
    assert stored == {
        (letter, dimension): value
        for letter, value in (("A", 3), ("B", 1))
        for dimension in DIMENSIONS
    }


def test_the_keyboard_alone_is_enough(desk):
    for key, name in zip("eqw", PLAYED, strict=True):
        play = button(desk, f"Play {name}")
        desk.keyboard.press(key)
        expect(play).to_have_attribute("aria-pressed", "true")
        expect(play).to_have_attribute("aria-pressed", "false")
    expect(point(desk, "B", "Delivery", "Poor")).to_be_enabled()
    for _ in range(6):
        desk.keyboard.press("2")
    expect(point(desk, "B", "Delivery", "Medium")).to_be_checked()
    here = desk.url
    desk.keyboard.press("Control+Enter")
    desk.wait_for_url(lambda url: url != here)

    assert set(
        Answer.objects.filter(number__isnull=False).values_list("number", flat=True)
    ) == {2}


def test_letters_in_the_comment_play_nothing(desk):
    comment = desk.get_by_role("textbox", name="Comment")
    hear(desk)
    comment.fill("")
    comment.press_sequentially("qwe")

    expect(comment).to_have_value("qwe")
    for name in PLAYED:
        expect(button(desk, f"Play {name}")).to_have_attribute("aria-pressed", "false")


def test_answers_survive_a_reload_and_a_double_click_submits_once(desk):
    hear(desk)
    rate_all(desk)
    expect(desk.get_by_role("status")).to_contain_text(re.compile("saved"))
    desk.reload()
    expect(point(desk, "A", "Coherence", "Good")).to_be_checked()
    expect(point(desk, "B", "Delivery", "Poor")).to_be_checked()

    here = desk.url
    button(desk, "Submit").dblclick()
    desk.wait_for_url(lambda url: url != here)

    assert Submission.objects.count() == 1


def test_jumping_to_the_end_unlocks_nothing(desk):
    hear(desk, ["utterance"])
    position = desk.get_by_role("slider", name="Position in response A")
    position.focus()
    position.press("End")
    desk.wait_for_timeout(300)

    expect(point(desk, "A", "Coherence", "Good")).to_be_disabled()


def test_axe_finds_nothing_serious(desk, granian_server):
    for address in (desk.url, granian_server):
        desk.goto(address)
        found = Axe().run(desk).response["violations"]
        assert [
            (v["id"], v["nodes"][0]["target"])
            for v in found
            if v["impact"] in ("serious", "critical")
        ] == []


def test_nothing_scrolls_sideways_on_a_phone(study, new_page, granian_server):
    phone = new_page(viewport={"width": 390, "height": 844})
    signed_in(phone, study.user, granian_server)
    for path in ("/", "/studies/desk/work/"):
        phone.goto(granian_server + path)
        wide = phone.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, path
