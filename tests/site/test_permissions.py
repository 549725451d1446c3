"""Every address of the site, and what each kind of person gets there."""

import uuid

import pytest
from django.urls import URLPattern, get_resolver

from annotate.models import Assignment, Job, Membership, User
from annotate.services.deal import next_assignment
from judging.models import Report
from tests.judging.small_study import PairStudy

pytestmark = pytest.mark.django_db

PEOPLE = ("visitor", "stranger", "annotator", "researcher", "owner", "admin", "other")
# A visitor is sent to sign in. "Other" is a researcher of another study.
ALL_IN = dict.fromkeys(PEOPLE, 200)
MINE = dict(zip(PEOPLE, (302, 404, 200, 404, 404, 404, 404), strict=True))
POSTED = MINE | {"visitor": 401}
STUDY = dict(zip(PEOPLE, (302, 404, 404, 200, 200, 200, 404), strict=True))
DONE = dict(zip(PEOPLE, (302, 404, 404, 302, 302, 302, 404), strict=True))
SIGNED_IN = ALL_IN | {"visitor": 302}


def only(code, expected):
    """Return the expectation with 200 turned to `code`."""
    return {who: code if status == 200 else status for who, status in expected.items()}


# Name of the address: (method, expected status for each person).
EXPECTED = {
    "home": ("GET", ALL_IN),
    "health": ("GET", ALL_IN),
    "sign_in": ("GET", dict.fromkeys(PEOPLE, 302) | {"visitor": 200}),
    "sign_in_demo": ("POST", dict.fromkeys(PEOPLE, 404)),
    "sign_in_here": ("GET", ALL_IN),
    "sign_out": ("POST", dict.fromkeys(PEOPLE, 302)),
    "set_language": ("POST", dict.fromkeys(PEOPLE, 302)),
    "work": ("GET", only(302, MINE)),
    "resume": ("POST", only(302, MINE)),
    "rate": ("GET", MINE),
    "rate_draft": ("POST", POSTED),
    "rate_listening": ("POST", POSTED),
    "rate_submit": ("POST", only(400, POSTED)),  # nothing was answered
    "rate_skip": ("POST", only(410, POSTED)),  # no reason was given
    "rate_pause": ("POST", POSTED),
    "rate_ahead": ("POST", POSTED),
    "rate_sound": ("GET", MINE),
    "import_study": (
        "GET",
        dict(zip(PEOPLE, (302, 403, 403, 403, 200, 200, 403), strict=True)),
    ),
    "jobs": ("GET", SIGNED_IN),
    "job": ("GET", STUDY),
    "endpoints": ("GET", dict.fromkeys(PEOPLE, 404) | {"visitor": 302, "admin": 200}),
    "study": ("GET", STUDY),
    "set_up": ("GET", DONE),  # this one is set up already
    "copy_study": ("POST", DONE),
    "fetch": ("GET", STUDY),
    "report": ("GET", STUDY),
    "request_report": ("POST", DONE),
    "report_csv": ("GET", STUDY),
    "report_json": ("GET", only(404, STUDY)),  # none was made
    "report_html": ("GET", only(404, STUDY)),
}


def patterns(resolver=None):
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from patterns(pattern)


def test_every_address_is_in_the_table():
    assert {pattern.name for pattern in patterns()} == set(EXPECTED)
    assert all(set(expected) == set(PEOPLE) for _, expected in EXPECTED.values())


@pytest.fixture
def site():
    """A study with one person in each role, another study, and a job."""
    made, other = PairStudy(n_instances=2), PairStudy(slug="other", n_instances=1)
    users = {who: User.objects.create_user(who) for who in PEOPLE[1:4]}
    users |= {"owner": made.owner, "other": other.owner}
    users["admin"] = User.objects.create_superuser("admin")
    made.owner.may_make_studies = True
    made.owner.save()
    Membership.objects.create(
        study=made.study, user=users["researcher"], role="researcher"
    )
    made.set_up(2, [users["annotator"]], overlap=1)
    assignment = next_assignment(made.study.raters.get().pk)
    job = Job.objects.create(kind="make_report", key="k", study=made.study)
    return made, users, {"assignment": assignment, "job": job}


def address(pattern, made, rows):
    row = rows["job"] if pattern.name == "job" else rows["assignment"]
    given = {"slug": made.study.slug, "public_id": row.public_id, "name": "utterance"}
    wanted = pattern.pattern.converters
    return "/" + pattern.pattern._route.replace("<slug:slug>", given["slug"]).replace(
        "<uuid:public_id>", str(given["public_id"])
    ).replace("<slug:name>", given["name"] if "name" in wanted else "")


@pytest.mark.parametrize("who", PEOPLE)
def test_each_person_gets_what_the_table_says(site, client, who, monkeypatch):
    made, users, rows = site
    monkeypatch.setattr("judging.views.studies.dispatch", lambda job: None)
    found = {}
    for pattern in patterns():
        if who != "visitor":
            client.force_login(users[who])
        method, _ = EXPECTED[pattern.name]
        path = address(pattern, made, rows)
        sent = {"data": "{}", "content_type": "application/json"}
        if method == "GET":
            sent = {}
        answer = client.generic(method, path, **sent)
        found[pattern.name] = answer.status_code
        if answer.streaming:
            b"".join(answer)
        made.study.raters.update(paused_at=None)

    assert found == {name: expected[who] for name, (_, expected) in EXPECTED.items()}


def test_nobody_is_sent_anywhere_but_to_sign_in(site, client):
    made, _, rows = site
    for pattern in patterns():
        method, expected = EXPECTED[pattern.name]
        if method == "GET" and expected["visitor"] == 302:
            answer = client.get(address(pattern, made, rows))
            assert answer["Location"].startswith("/sign-in/?next=/")


def test_what_changes_something_refuses_get(site, client):
    made, users, rows = site
    client.force_login(users["admin"])
    for pattern in patterns():
        if EXPECTED[pattern.name][0] == "POST" and pattern.name != "set_language":
            answer = client.get(address(pattern, made, rows))
            assert answer.status_code == 405, pattern.name


def test_posts_without_a_token_are_refused(site):
    from django.test import Client

    made, users, rows = site
    client = Client(enforce_csrf_checks=True)
    client.force_login(users["annotator"])
    for pattern in patterns():
        if EXPECTED[pattern.name][0] == "POST":
            answer = client.post(address(pattern, made, rows))
            assert answer.status_code == 403, pattern.name
    assert Assignment.objects.get(pk=rows["assignment"].pk).is_open


@pytest.mark.parametrize("who", PEOPLE)
def test_a_report_is_for_researchers_of_the_study(site, client, who):
    made, users, _ = site
    Report.objects.create(study=made.study, inputs_sha256="0" * 64, body={})
    if who != "visitor":
        client.force_login(users[who])
    answer = client.get(f"/studies/{made.study.slug}/report.json")

    assert answer.status_code == STUDY[who]


def test_a_deleted_study_is_gone_for_all(site, client):
    made, users, rows = site
    made.study.deleted_at = made.study.created_at
    made.study.save()
    for who in PEOPLE[1:]:
        client.force_login(users[who])
        for name in ("study", "rate", "work", "report_csv", "rate_sound"):
            pattern = next(p for p in patterns() if p.name == name)
            assert client.get(address(pattern, made, rows)).status_code == 404


def test_unknown_ids_are_not_found(client):
    client.force_login(User.objects.create_superuser("root"))
    for path in (f"/rate/{uuid.uuid4()}/", f"/jobs/{uuid.uuid4()}/", "/studies/none/"):
        assert client.get(path).status_code == 404
