"""A study folder comes in whole, or with every fault named and nothing written."""

import json

import pytest

from annotate.models import (
    CorpusVersion,
    Instance,
    Recording,
    Rendition,
    Stimulus,
    Study,
)
from judging.models import Response, System
from judging.services.importing import import_folder
from tests.judging.small_study import (
    DEMO,
    read_rows,
    small_folder,
    write_rows,
    write_wav,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    return small_folder(tmp_path / "folder")


def change(folder, kind, n, **cells):
    """Change cells of row n (from 0); None takes a cell away."""
    rows = read_rows(folder, kind)
    rows[n] = {k: v for k, v in (rows[n] | cells).items() if v is not None}
    write_rows(folder, kind, rows)


def append_raw(folder, kind, raw):
    with (folder / f"{kind}.jsonl").open("ab") as file:
        file.write(raw + b"\n")


def rows_in_database():
    kinds = (CorpusVersion, Study, System, Instance, Stimulus, Response)
    return [model.objects.count() for model in kinds]


def test_the_demo_has_no_fault():
    found = import_folder(DEMO, dry_run=True)

    assert found.faults == []
    assert found.counts["instances"] == 28
    assert rows_in_database() == [0] * 6
    assert not Recording.objects.exists()


def test_every_row_comes_in(folder):
    found = import_folder(folder)

    assert found.faults == []
    assert found.study.corpus_version.instances.count() == 2
    assert Response.objects.count() == 6
    first = Instance.objects.get(code="i_boxes_1")
    given = read_rows(folder, "instances")[0]
    assert (first.branch, first.group_code, first.subset, first.topic) == (
        given["branch"],
        given["group"],
        given["subset"],
        given["topic"],
    )
    assert first.explanation.text == given["explanation"]
    assert first.reference.text == given["reference_response"]
    assert first.context.text == read_rows(folder, "contexts")[0]["text"]
    assert first.utterance.meta["speaker"] == "nora"
    assert System.objects.get(code="brisk-1").family == "Brisk"


def test_replies_are_matched_and_utterances_are_served_as_they_are(folder):
    import_folder(folder)

    for response in Response.objects.all():
        of_reply = response.stimulus.recording.renditions
        assert set(of_reply.values_list("recipe", flat=True)) == {"as_is", "match"}
    utterance = Stimulus.objects.filter(kind="utterance").first()
    assert utterance.recording.renditions.get().recipe == "as_is"


def test_stored_names_say_nothing(folder):
    change(folder, "responses", 0, audio="audio/brisk-1-take2.opus", id="brisk-take2")
    (folder / "audio" / "brisk-1-take2.opus").write_bytes(
        (folder / "audio" / "u_01.opus").read_bytes()
    )
    import_folder(folder)

    names = [r.original.name for r in Recording.objects.all()]
    names += [r.file.name for r in Rendition.objects.all()]
    told = ["brisk", "parrot", "willow", "u_0", "r_0", "boxes", "take2", "opus"]
    assert len(names) > 7
    assert not [name for name in names for word in told if word in name]


def test_equal_bytes_stay_two_responses_with_one_recording(folder):
    rows = read_rows(folder, "responses")
    sound = (folder / rows[0]["audio"]).read_bytes()
    (folder / rows[1]["audio"]).write_bytes(sound)
    import_folder(folder)

    one, two = (Response.objects.get(code=row["id"]) for row in rows[:2])
    assert one.stimulus_id != two.stimulus_id
    assert one.stimulus.recording_id == two.stimulus.recording_id


def test_importing_again_changes_nothing(folder):
    first = import_folder(folder)
    before = rows_in_database(), Rendition.objects.count()
    again = import_folder(folder)

    assert again.unchanged
    assert again.study == first.study
    assert (rows_in_database(), Rendition.objects.count()) == before


def test_another_sound_under_the_same_name_is_a_change(folder):
    first = import_folder(folder)
    row = read_rows(folder, "responses")[0]
    utterance = (folder / "audio" / "u_01.opus").read_bytes()
    (folder / row["audio"]).write_bytes(utterance)
    again = import_folder(folder)

    assert not again.unchanged
    assert again.study.corpus_version.number == first.study.corpus_version.number + 1


def test_csv_stands_in_for_jsonl(folder):
    rows = read_rows(folder, "contexts")
    (folder / "contexts.jsonl").unlink()
    lines = ["id,text", *(f'{r["id"]},"{r["text"]}"' for r in rows)]
    (folder / "contexts.csv").write_bytes("\ufeff".encode() + "\n".join(lines).encode())
    found = import_folder(folder)

    assert found.faults == []
    assert Stimulus.objects.filter(kind="context", text=rows[0]["text"]).exists()


NAN = float("nan")
FAULTS = {
    "missing recording": (
        lambda f: change(f, "responses", 1, audio="audio/none.opus"),
        "responses.jsonl:2: recording 'audio/none.opus' is missing",
    ),
    "duplicate id": (
        lambda f: change(f, "contexts", 1, id="c_boxes_1"),
        "contexts.jsonl:2: id 'c_boxes_1' stands on line 1 already",
    ),
    "unknown utterance": (
        lambda f: change(f, "instances", 0, utterance="u_99"),
        "instances.jsonl:1: utterance 'u_99' is not in this folder",
    ),
    "unknown system": (
        lambda f: change(f, "responses", 5, system="nobody"),
        "responses.jsonl:6: system 'nobody' is not in this folder",
    ),
    "bad branch": (
        lambda f: change(f, "instances", 1, branch="mood"),
        "instances.jsonl:2: branch must be context or tone",
    ),
    "missing key": (
        lambda f: change(f, "instances", 1, group=None),
        "instances.jsonl:2: group is missing",
    ),
    "a list where text belongs": (
        lambda f: change(f, "responses", 0, instance=["i_boxes_1"]),
        "responses.jsonl:1: instance must be text",
    ),
    "neither audio nor text": (
        lambda f: change(f, "responses", 0, audio=None, text=None),
        "responses.jsonl:1: a response has audio or text",
    ),
    "the same response twice": (
        lambda f: append_raw(
            f,
            "responses",
            json.dumps(read_rows(f, "responses")[0] | {"id": "other"}).encode(),
        ),
        "responses.jsonl:7: the same response stands on line 1",
    ),
    "bad sample": (
        lambda f: change(f, "responses", 0, sample="-1"),
        "responses.jsonl:1: sample must be a whole number",
    ),
    "too large a sample": (
        lambda f: change(f, "responses", 0, sample=40_000),
        "responses.jsonl:1: sample must be a whole number",
    ),
    "bad JSON": (
        lambda f: append_raw(f, "contexts", b'{"id": "c'),
        "contexts.jsonl:3: not JSON",
    ),
    "a number without end": (
        lambda f: append_raw(f, "contexts", b'{"id": "c", "n": ' + b"9" * 5000 + b"}"),
        "contexts.jsonl:3: not JSON",
    ),
    "NaN": (
        lambda f: change(f, "contexts", 0, weight=NAN),
        "contexts.jsonl:1: not JSON",
    ),
    "not an object": (
        lambda f: append_raw(f, "contexts", b"[1]"),
        "contexts.jsonl:3: a line is one JSON object",
    ),
    "bad UTF-8": (
        lambda f: append_raw(f, "contexts", b'{"id": "\xff"}'),
        "contexts.jsonl:3: not UTF-8 at byte 9",
    ),
    "lone surrogate": (
        lambda f: append_raw(f, "contexts", b'{"id": "c9", "text": "\\ud800"}'),
        "contexts.jsonl:3: text holds a lone surrogate",
    ),
    "zero character": (
        lambda f: append_raw(f, "contexts", b'{"id": "c9", "text": "a\\u0000"}'),
        "contexts.jsonl:3: text holds a lone surrogate or a zero character",
    ),
    "too long a name": (
        lambda f: change(f, "systems", 0, name="n" * 201),
        "systems.jsonl:1: name is longer than 200 characters",
    ),
    "path escape": (
        lambda f: change(f, "utterances", 0, audio="../outside.opus"),
        "utterances.jsonl:1: audio '../outside.opus' leads out of the folder",
    ),
    "absolute path": (
        lambda f: change(f, "utterances", 0, audio="/etc/hostname"),
        "utterances.jsonl:1: audio '/etc/hostname' leads out of the folder",
    ),
    "missing file": (
        lambda f: (f / "instances.jsonl").unlink(),
        "instances.jsonl:1: the file is missing",
    ),
    "no title": (
        lambda f: (f / "study.toml").write_text('language = "en"'),
        "study.toml:1: title is missing",
    ),
    "empty study.toml": (
        lambda f: (f / "study.toml").write_text(""),
        "study.toml:1: title is missing",
    ),
    "bad study.toml": (
        lambda f: (f / "study.toml").write_text("title = "),
        "study.toml:1: not TOML",
    ),
    "empty audio": (
        lambda f: (f / "audio" / "u_01.opus").write_bytes(b""),
        "utterances.jsonl:1: audio/u_01.opus: ",
    ),
    "undecodable audio": (
        lambda f: (f / "audio" / "u_01.opus").write_bytes(b"no sound at all" * 99),
        "utterances.jsonl:1: audio/u_01.opus: ",
    ),
    "silent audio": (
        lambda f: write_wav(f / "audio" / "u_01.opus", [0] * 32000),
        "utterances.jsonl:1: audio/u_01.opus: ",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_by_line_and_nothing_is_written(folder, name):
    break_it, said = FAULTS[name]
    break_it(folder)
    found = import_folder(folder)

    assert [fault for fault in found.faults if fault.startswith(said)]
    assert found.study is None
    assert rows_in_database() == [0] * 6


@pytest.mark.parametrize("name", ["path escape", "silent audio", "bad UTF-8"])
def test_a_dry_run_names_the_same_faults(folder, name):
    break_it, said = FAULTS[name]
    break_it(folder)
    found = import_folder(folder, dry_run=True)

    assert [fault for fault in found.faults if fault.startswith(said)]


def test_the_good_rows_alone_come_in_when_asked(folder):
    change(folder, "responses", 1, audio="audio/none.opus")
    change(folder, "instances", 1, branch="mood")
    found = import_folder(folder, partial=True)

    assert found.study is not None
    assert [i.code for i in Instance.objects.all()] == ["i_boxes_1"]
    left = [r["id"] for r in read_rows(folder, "responses")]
    kept = set(Response.objects.values_list("code", flat=True))
    of_first = {
        r["id"]
        for r in read_rows(folder, "responses")
        if r["instance"] == "i_boxes_1" and r["audio"] != "audio/none.opus"
    }
    assert kept == of_first
    assert any("'i_boxes_2' was left out" in fault for fault in found.faults)
    assert len(kept) < len(left)


def test_what_was_left_out_comes_in_once_it_is_there(folder):
    row = read_rows(folder, "responses")[0]
    sound = (folder / row["audio"]).read_bytes()
    (folder / row["audio"]).unlink()
    import_folder(folder, partial=True)
    (folder / row["audio"]).write_bytes(sound)
    again = import_folder(folder)

    assert not again.unchanged
    assert again.study.corpus_version.instances.count() == 2


def test_without_a_title_not_even_good_rows_come_in(folder):
    (folder / "study.toml").unlink()
    found = import_folder(folder, partial=True)

    assert found.study is None
    assert rows_in_database() == [0] * 6
