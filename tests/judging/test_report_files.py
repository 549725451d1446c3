"""The report as a page and as files: who may see it, and what the bytes hold."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from django.urls import reverse

from annotate.models import Membership, Rater, User
from judging.models import Report
from judging.reports.agreement import make_report
from judging.reports.exports import csv_line, ratings_csv, report_html, report_json
from judging.reports.plots import tidy
from judging.reports.tables import COLUMNS, RatingRow
from tests.judging.report_rows import MadeStudy, both, finished_study

pytestmark = pytest.mark.django_db
PAGES = ("report", "report_csv", "report_json", "report_html")
CANARY = 'canary "<b>x</b>", o\'Neil\n& Söhne 🦜'


def url(name, made):
    return reverse(name, args=[made.study.slug])


@pytest.fixture
def reported(client):
    made = finished_study()
    make_report(made.study)
    client.force_login(made.owner)
    return made


def small_study(**fields):
    made = MadeStudy(**fields)
    made.rate(made.item("x"), made.person("p1"), both(1, 3))
    return made


def test_a_line_holds_what_was_pinned():
    made = small_study()
    lines = "".join(ratings_csv(made.study)).split("\n")

    assert lines[0] == (
        "item,part,instance,group,system,prompt,dimension,value,rater,rater_kind,"
        "position,heard_s,submitted_at"
    )
    minute = made.items[0].pk % 60
    assert lines[1].startswith("x,a,i-x,x,sys-a,plain,coherence,1,p1,person,1,4.5,2026")
    assert re.search(rf":{minute:02}:00Z$", lines[1])


def test_what_is_not_known_is_an_empty_cell():
    made = MadeStudy()
    made.rate(made.item("x"), made.judge("j"), both(1, 3), heard_s=None, shown_order={})
    row = next(csv.DictReader(io.StringIO("".join(ratings_csv(made.study)))))
    assert (row["position"], row["heard_s"], row["rater_kind"]) == ("", "", "judge")


def test_names_survive_quoting_byte_for_byte():
    made = small_study(systems=(CANARY, "=1+1"))
    read = list(csv.DictReader(io.StringIO("".join(ratings_csv(made.study)), "")))
    assert [row["system"] for row in read] == [CANARY, CANARY, "=1+1", "=1+1"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_spreadsheet_never_meets_a_formula(start):
    row = dict.fromkeys(COLUMNS, "") | {"system": f"{start}cmd", "value": -1.0}
    row = RatingRow(**row)

    raw = next(csv.DictReader(io.StringIO(csv_line(row), ""), COLUMNS))
    safe = csv_line(row, spreadsheet=True)
    safe = next(csv.DictReader(io.StringIO(safe, ""), COLUMNS))
    assert (raw["system"], raw["value"]) == (f"{start}cmd", "-1")
    assert (safe["system"], safe["value"]) == (f"'{start}cmd", "-1")


def test_a_text_that_is_a_number_keeps_its_sign():
    row = RatingRow(**dict.fromkeys(COLUMNS, "") | {"item": "-12.5"})
    assert csv_line(row, spreadsheet=True).startswith("-12.5,")


def test_downloads_are_attachments_named_by_the_study(client, reported):
    for name, kind, file in (
        ("report_csv", "text/csv", "aeq-ratings.csv"),
        ("report_json", "application/json", "aeq-report.json"),
        ("report_html", "text/html", "aeq-report.html"),
    ):
        answer = client.get(url(name, reported))
        assert answer["Content-Disposition"] == f'attachment; filename="{file}"'
        assert answer["Content-Type"].startswith(kind)
        assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("sandbox;")


def test_the_csv_streams_the_same_bytes(client, reported):
    raw = b"".join(client.get(url("report_csv", reported)))
    safe = b"".join(client.get(url("report_csv", reported), {"spreadsheet": "1"}))

    assert raw == "".join(ratings_csv(reported.study)).encode()
    assert safe == b"\xef\xbb\xbf" + raw


def test_strangers_annotators_and_visitors_see_nothing(client, reported):
    client.logout()
    annotator, stranger = (User.objects.create_user(n) for n in ("anna", "stan"))
    Membership.objects.create(study=reported.study, user=annotator, role="annotator")
    Rater.objects.filter(code="p1").update(user=annotator)
    for name in PAGES:
        assert client.get(url(name, reported)).status_code == 302
    for user in (annotator, stranger):
        client.force_login(user)
        for name in PAGES:
            assert client.get(url(name, reported)).status_code == 404
            assert client.post(url(name, reported)).status_code == 405


def test_the_page_speaks_first_and_shows_what_was_computed(client, reported):
    html = client.get(url("report", reported)).content.decode()
    body = Report.objects.get().body

    main = html[html.index("<main") :]
    assert body["headline"] in main
    first = main.index(body["headline"])
    assert first < main.index("<svg") < main.index("<table") < main.index("Method")
    alpha = body["dimensions"][0]["coefficients"]["alpha_ordinal"]["value"]
    assert f">{alpha:.2f}<" in main
    assert main.count("<caption>") == main.count('<table class="table">')
    assert 'data-kind="warning"' not in main


def test_the_page_says_when_ratings_changed_since(client, reported):
    one = reported.study.raters.get(code="p1").assignments.first()
    reported.study.exclusions.create(assignment=one, reason="asked to be left out")
    assert (
        "since this report was made"
        in client.get(url("report", reported)).content.decode()
    )


def test_without_a_report_the_page_invites_to_compute_one(client):
    made = small_study()
    client.force_login(made.owner)

    assert "Compute the report" in client.get(url("report", made)).content.decode()
    assert client.get(url("report_json", made)).status_code == 404
    assert client.get(url("report_html", made)).status_code == 404


@pytest.mark.parametrize("rated", [False, True])
def test_a_report_without_agreement_shows_dashes_and_reasons(client, rated):
    made = MadeStudy()
    if rated:
        values = both(1, 3) | {("a", "coherence"): 2.5}
        made.rate(made.item("x"), made.person("p1"), values)
    make_report(made.study)
    client.force_login(made.owner)
    html = client.get(url("report", made)).content.decode()

    assert "—" in html
    assert ("one rater" if rated else "no ratings") in html.lower()
    assert ("value 2.5 is not on the scale" in html) == rated
    assert "None" not in html
    assert "nan" not in re.sub(r"<[^>]*>", " ", html).lower().split()


def test_plots_hold_no_style_and_no_script_and_escape_names():
    made = MadeStudy(systems=(CANARY, "plain"))
    people = [made.person(code) for code in ("p1", "<script>p2")]
    for n in range(12):
        item = made.item(f"x{n}")
        for person in people:
            made.rate(item, person, both(1 + n % 3, 1 + (n * 2) % 3))
    report = make_report(made.study)
    plots = report.body["plots"]
    drawn = [plots["agreement"]]
    drawn += [svg for one in plots["dimensions"].values() for svg in one.values()]

    assert len(drawn) == 5
    for svg in drawn:
        assert svg.startswith("<svg ")
        assert "viewBox" in svg
        assert 'role="img"' in svg
        assert "<title>" in svg
        assert not re.search(r"<(script|style|b)\b|\sstyle=|\son\w+=", svg)
        assert not re.search(r"^<svg[^>]*\sheight=", svg)
        assert 'fill="white"' not in svg
    html = report_html(report)
    assert "<script" not in html
    assert "&lt;script&gt;p2" in html
    assert "<b>x</b>" not in html


def test_a_plot_with_a_style_is_refused():
    with pytest.raises(ValueError, match="no style"):
        tidy('<svg viewBox="0 0 1 1"><g style="fill:red"/></svg>', "x")


def test_equal_inputs_are_one_report_and_changed_ones_another(reported):
    first = Report.objects.get()
    assert make_report(reported.study) == first

    one = reported.study.raters.get(code="p1").assignments.first()
    reported.study.exclusions.create(assignment=one, reason="asked to be left out")
    assert make_report(reported.study) != first


def test_the_json_has_the_figures_and_no_drawing(reported):
    figures = json.loads(report_json(Report.objects.get()))
    assert "plots" not in figures
    assert figures["dimensions"][0]["coefficients"]["exact"]["value"] is not None
    assert len(figures["inputs_sha256"]) == 64


def test_the_web_process_loads_no_numeric_library():
    code = (
        "import django, sys; django.setup(); import judging.views.report;"
        "heavy = {'numpy', 'scipy', 'altair', 'vl_convert', 'stats'};"
        "heavy &= set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")
