"""The command line: what goes in, what comes out, and one line for an error."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from stats.agreement import COEFFICIENTS, agreement
from stats.cli.program import main
from tests.stats.published_tables import KRIPPENDORFF_2011, random_table

COLUMNS = ("--unit", "unit", "--rater", "rater", "--value", "value")


def rows_of(values):
    """Return (unit, rater, value) rows of a full table."""
    for unit, row in enumerate(values):
        for rater, value in enumerate(row):
            if not np.isnan(value):
                yield f"u{unit}", f"r{rater}", f"{value:g}"


def write(path: Path, header: str, rows) -> str:
    path.write_text("\n".join([header, *map(",".join, rows)]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def krippendorff(tmp_path):
    return write(tmp_path / "k.csv", "unit,rater,value", rows_of(KRIPPENDORFF_2011))


def run_json(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def error_of(capsys, *arguments):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_agreement_as_json(capsys, krippendorff):
    found = run_json(capsys, "agreement", krippendorff, *COLUMNS)["all"]

    assert tuple(found) == COEFFICIENTS
    assert found["alpha_ordinal"]["value"] == pytest.approx(0.815388, abs=5e-7)
    assert found["alpha_ordinal"]["n_units"] == 11
    assert found["ac1"]["value"] == pytest.approx(0.775444, abs=5e-7)
    assert found["icc_a1"]["value"] is None
    assert found["icc_a1"]["note"].startswith("needs a crossed design")


def test_agreement_as_text(capsys, krippendorff):
    assert main(["agreement", krippendorff, *COLUMNS, "--level", "interval"]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert "alpha_interval" in lines[3]
    assert "0.849" in lines[3]
    assert "take the raters as given" in lines[-1]


def test_the_seed_and_the_scale_are_used(capsys, krippendorff):
    one = run_json(capsys, "agreement", krippendorff, *COLUMNS, "--seed", "1")
    other = run_json(capsys, "agreement", krippendorff, *COLUMNS, "--seed", "2")
    wider = run_json(
        capsys, "agreement", krippendorff, *COLUMNS, "--points", "1,2,3,4,5,6"
    )

    assert one["all"]["exact"]["low"] != other["all"]["exact"]["low"] or (
        one["all"]["ac1"]["low"] != other["all"]["ac1"]["low"]
    )
    assert wider["all"]["brennan_prediger"]["value"] == pytest.approx(
        (0.8181818 - 1 / 6) / (5 / 6), abs=1e-6
    )


def test_groups_and_clusters(capsys, tmp_path):
    table = random_table(0, n_units=60)
    rows = [
        (*row, "clear" if int(row[0][1:]) % 2 else "warm", f"g{int(row[0][1:]) // 2}")
        for row in rows_of(table.values)
    ]
    path = write(tmp_path / "r.csv", "unit,rater,value,dimension,group", rows)
    found = run_json(
        capsys, "agreement", path, *COLUMNS, "--by", "dimension", "--cluster", "group"
    )

    assert list(found) == ["clear", "warm"]
    known = agreement(table.only(units=np.arange(60) % 2 == 1), bootstrap=0)
    assert found["clear"]["alpha_ordinal"]["value"] == pytest.approx(
        known["alpha_ordinal"].value
    )
    assert found["clear"]["alpha_ordinal"]["n_clusters"] == 30


def test_jsonl_and_parquet_give_what_csv_gives(capsys, tmp_path, krippendorff):
    rows = [
        {"unit": u, "rater": r, "value": float(v)}
        for u, r, v in rows_of(KRIPPENDORFF_2011)
    ]
    lines = tmp_path / "k.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = tmp_path / "k.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), table)
    known = run_json(capsys, "agreement", krippendorff, *COLUMNS)

    assert run_json(capsys, "agreement", str(lines), *COLUMNS) == known
    assert run_json(capsys, "agreement", str(table), *COLUMNS) == known


def test_empty_cells_are_gaps(capsys, tmp_path):
    path = write(
        tmp_path / "r.csv",
        "unit,rater,value",
        [("u", "a", "1"), ("u", "b", ""), ("v", "a", "nan"), ("v", "b", "2")],
    )
    found = run_json(capsys, "agreement", path, *COLUMNS)

    assert found["all"]["exact"]["note"] == "no unit has two ratings"


def test_categories_have_nominal_coefficients_only(capsys, tmp_path):
    rows = [("u", "a", "joy"), ("u", "b", "joy"), ("v", "a", "fear"), ("v", "b", "joy")]
    path = write(tmp_path / "r.csv", "unit,rater,value", rows)
    found = run_json(capsys, "agreement", path, *COLUMNS, "--level", "nominal")["all"]

    assert found["exact"]["value"] == 0.5
    assert found["kappa_fleiss"]["value"] == pytest.approx(-1 / 3)
    assert found["alpha_ordinal"]["note"] == "values are categories"
    assert "--level nominal" in error_of(capsys, "agreement", path, *COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--unit", "nope", *COLUMNS[2:]), "no column 'nope'; there are unit, rater"),
        ((*COLUMNS, "--by", "nope"), "no column 'nope'"),
        ((*COLUMNS, "--points", "1,2,3"), "value 4 is not on the scale (1, 2, 3)"),
        ((*COLUMNS, "--points", "1,1"), "same point stands on the scale twice"),
        ((*COLUMNS, "--bootstrap", "-1"), "-1 is not between 0 and"),
        ((*COLUMNS, "--bootstrap", "x"), "x is not a whole number"),
        ((*COLUMNS, "--seed", "-1"), "-1 is below 0"),
        ((*COLUMNS, "--confidence", "95"), "95 is not between 0 and 1"),
        ((*COLUMNS, "--level", "cardinal"), "invalid choice: 'cardinal'"),
        (COLUMNS[2:], "the following arguments are required: --unit"),
    ],
)
def test_options_that_do_not_fit(capsys, krippendorff, arguments, message):
    assert message in error_of(capsys, "agreement", krippendorff, *arguments)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.csv", "", "the file is empty"),
        ("r.csv", "unit,rater,value\n", "the file has no rows"),
        ("r.csv", "unit,rater,value\nu,a,1\nu,a,2\n", "rater a rated unit u twice"),
        ("r.csv", "unit,rater,value\nu,a,x\n", "value 'x' is not a number"),
        ("r.csv", "unit,rater,value\nu,a\n", "row 2 has 2 cells, the header 3"),
        ("r.csv", "unit,rater,value\n,a,1\n", "rating 1 has no unit"),
        ("r.csv", "unit,rater,value,value\nu,a,1,2\n", "'value' stands twice"),
        ("r.jsonl", '{"unit": 1}\n', "no column 'rater'; there are unit"),
        ("r.jsonl", "{unit\n", "line 1: Expecting property name"),
        ("r.jsonl", "[1]\n", "line 1: not an object"),
        ("r.jsonl", "\n", "the file has no rows"),
        ("r.parquet", "PAR1", "r.parquet: "),
        ("r.xlsx", "x", "not a .csv, .tsv, .jsonl or .parquet file"),
    ],
)
def test_files_that_are_not_as_described(capsys, tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    assert message in error_of(capsys, "agreement", str(path), *COLUMNS)


def test_a_file_that_is_not_text_and_one_that_is_not_there(capsys, tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"unit,rater,value\n\xff,a,1\n")

    assert "not UTF-8" in error_of(capsys, "agreement", str(path), *COLUMNS)
    assert "no such file" in error_of(capsys, "agreement", "nowhere.csv", *COLUMNS)


def test_an_unknown_command(capsys):
    assert "invalid choice: 'measure'" in error_of(capsys, "measure")


def test_it_runs_as_a_program_without_the_site(krippendorff):
    code = (
        "import sys; from stats.cli.program import main;"
        "status = main(['agreement', *sys.argv[1:]]);"
        "known = {name.split('.')[0] for name in sys.modules};"
        "assert not known & {'django', 'pyarrow'}; sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, krippendorff, *COLUMNS, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    program = subprocess.run(
        [sys.executable, "-m", "stats", "agreement", krippendorff, *COLUMNS, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == json.loads(program.stdout)


@pytest.fixture
def judged(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for unit in range(90):
        true = rng.normal()
        for rater in ("p1", "p2", "p3", "J"):
            value = int(np.clip(round(3 + true + rng.normal()), 1, 5))
            system = f"s{unit % 3}"
            rows.append(
                (f"u{unit}", rater, str(value), system, "own" if unit % 3 else "other")
            )
    return write(tmp_path / "j.csv", "unit,rater,value,system,family", rows)


def test_compare(capsys, judged):
    arguments = ["compare", judged, *COLUMNS, "--judge", "J", "--bootstrap", "50"]
    arguments += ["--system", "system", "--family", "family"]
    found = run_json(capsys, *arguments)["all"]["J"]

    assert found["agreement"]["people"]["exact"]["n_raters"] == 3
    assert found["leave_one_out"]["judge"]["value"] > 0
    assert set(found["leave_one_out"]["by_person"]) == {"p1", "p2", "p3"}
    assert found["alternative_annotator_test"]["winning_rate"] is not None
    assert np.sum(found["confusion"]["people_by_judge"]) == 270
    assert set(found["systems"]) == {"pearson", "spearman", "kendall"}
    assert set(found["families"]) == {"own", "other"}
    assert main(arguments) == 0
    assert "alternative annotator test: winning rate" in capsys.readouterr().out


def test_compare_with_too_few_units_says_so(capsys, tmp_path, judged):
    short = Path(judged).read_text(encoding="utf-8").splitlines()[:81]
    path = tmp_path / "short.csv"
    path.write_text("\n".join(short), encoding="utf-8")
    found = run_json(capsys, "compare", str(path), *COLUMNS, "--judge", "J")

    test = found["all"]["J"]["alternative_annotator_test"]
    assert test["winning_rate"] is None
    assert test["note"] == "not enough data"


def test_compare_knows_who_is_there(capsys, judged):
    arguments = ["compare", judged, *COLUMNS]

    assert "no rater X" in error_of(capsys, *arguments, "--judge", "X")
    assert "no rater Y" in error_of(
        capsys, *arguments, "--judge", "J", "--people", "p1,Y"
    )
    assert "--judge" in error_of(capsys, *arguments)


def test_rank_by_ratings(capsys, judged):
    rows = Path(judged).read_text(encoding="utf-8").splitlines()
    # One instance a row of three units, so that systems meet.
    moved = [rows[0]] + [
        ",".join([f"i{int(line.split(',')[0][1:]) // 3}", *line.split(",")[1:]])
        for line in rows[1:]
    ]
    Path(judged).write_text("\n".join(moved), encoding="utf-8")
    arguments = ["rank", judged, *COLUMNS, "--system", "system", "--bootstrap", "50"]
    found = run_json(capsys, *arguments)["all"]

    assert set(found["means"]) == {"s0", "s1", "s2"}
    assert len(found["differences"]) == 3
    assert found["differences"][0]["difference"]["n_units"] == 30
    assert len(found["ranking"]["letters"]) == 3
    assert main(arguments) == 0
    assert "paired differences" in capsys.readouterr().out


def test_rank_by_votes(capsys, tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for at in range(300):
        first, second = rng.permutation(["A", "B", "C"])[:2]
        outcome = rng.choice(["left", "right", "tie"], p=[0.45, 0.4, 0.15])
        rows.append((first, second, outcome, f"g{at // 3}"))
    path = write(tmp_path / "v.csv", "a,b,won,group", rows)
    arguments = ["rank", path, "--first", "a", "--second", "b", "--outcome", "won"]
    arguments += ["--cluster", "group", "--bootstrap", "100"]
    found = run_json(capsys, *arguments)["all"]

    assert sum(one["value"] for one in found["strengths"].values()) == pytest.approx(0)
    assert found["strengths"]["A"]["n_clusters"] == 100
    assert found["strongly_connected"]
    assert main(arguments) == 0
    assert "Normal(0, 2)" in capsys.readouterr().out


def test_rank_needs_to_know_which_columns(capsys, judged):
    assert "votes need" in error_of(capsys, "rank", judged, "--first", "unit")
    assert "ratings need" in error_of(capsys, "rank", judged, *COLUMNS)


def test_a_vote_that_is_none(capsys, tmp_path):
    path = write(tmp_path / "v.csv", "a,b,won", [("A", "B", "both")])
    arguments = ("rank", path, "--first", "a", "--second", "b", "--outcome", "won")

    assert "'both' is not first, tie or second" in error_of(capsys, *arguments)


def test_contrast(capsys, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        (f"{s}-{c}", "r", str(rng.integers(1, 4) + (c == "target")), c, f"s{s}", "S")
        for s in range(40)
        for c in ("target", "neutral")
    ]
    path = write(tmp_path / "c.csv", "unit,rater,value,voice,script,system", rows)
    arguments = ["contrast", path, *COLUMNS, "--condition", "voice", "--script"]
    arguments += ["script", "--stratum", "system", "--cluster", "script"]
    found = run_json(capsys, *arguments, "--contrast", "target:neutral")["all"]

    assert found[0]["stratum"] == "S"
    assert found[0]["difference"]["n_units"] == 40
    assert found[0]["difference"]["low"] > 0
    assert main([*arguments, "--contrast", "target:neutral"]) == 0
    assert "target - neutral" in capsys.readouterr().out
    assert "not of the form" in error_of(capsys, *arguments, "--contrast", "target")
    assert "no unit has" in error_of(capsys, *arguments, "--contrast", "target:x")


def test_plan_from_what_is_expected(capsys):
    arguments = ["plan", "--shares", "1,1,1", "--agreement", "0.5", "--units", "50,200"]
    found = run_json(capsys, *arguments, "--per-unit", "3")["all"]["rows"]

    assert [row["n_units"] for row in found] == [50, 200]
    assert found[1]["half_width"] < found[0]["half_width"]
    assert "give a pilot" in error_of(capsys, "plan")
    assert "whole numbers" in error_of(capsys, *arguments[:5], "--units", "a")
    assert "list of numbers" in error_of(
        capsys, "plan", "--shares", "x", "--agreement", ".5"
    )


def test_plan_from_a_pilot(capsys, judged):
    arguments = ["plan", judged, *COLUMNS, "--system", "system"]
    found = run_json(capsys, *arguments)["all"]

    assert found["variance"]["residual"] > 0
    assert found["next_100"]["better"] in ("items", "raters")
    assert main(arguments) == 0
    assert "the next 100 ratings" in capsys.readouterr().out
    assert "a pilot needs" in error_of(capsys, "plan", judged, *COLUMNS)


def test_plan_of_power(capsys):
    arguments = ["plan", "--effect", "0.5", "--units", "34,100"]
    found = run_json(capsys, *arguments, "--sd", "1")["all"]["rows"]

    assert [row["n_clusters"] for row in found] == [34, 100]
    assert found[0]["power"] == pytest.approx(0.808, abs=1e-3)
    assert main([*arguments, "--sd", "1"]) == 0
    assert "34 clusters" in capsys.readouterr().out
    assert "needs --sd" in error_of(capsys, *arguments)
