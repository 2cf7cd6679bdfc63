"""`shoal front`, as a user runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from .test_cli import shoal

POLICY = """
[source]
path = "people.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
type = "category"
[attributes.disease]
role = "sensitive"
[privacy]
k = 2
[objective]
suppression = 0
[front]
objectives = ["k", "general-loss"]
recoding = "levels"
risk = 0.5
[release]
path = "release.csv"
"""
PEOPLE = """name,age,zip,disease
Ann,30,02139,flu
Bob,31,02139,cold
Cid,30,02138,flu
Dee,45,10001,rash
Eve,46,10001,flu
Fay,45,10001,cold
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table and a policy."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.toml").write_text(POLICY)
    return tmp_path


def test_points_go_to_files_and_nothing_is_released(folder: Path) -> None:
    """The summary is on standard error; standard output stays empty."""
    run = shoal(folder, "front", "people.toml", "-o", "front.csv", "--html", "front.html")
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    first, proof, *rest = run.stderr.splitlines()
    assert first.startswith("exact   ")
    assert proof.startswith("proved: no other levels of the hierarchies are better ")
    assert "suggested for a risk of at most 50 %: point 1" in rest
    assert any(line.startswith("k = 3: risk at most 33.3 %, a cell keeps ") for line in rest)
    with (folder / "front.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["k"]) for row in rows] == sorted(int(row["k"]) for row in rows)
    assert (folder / "front.html").read_text().startswith("<!DOCTYPE html>")
    assert not (folder / "release.csv").exists()
    assert "Ann" not in (folder / "front.html").read_text()


def test_json_is_the_front_or_the_manifest_of_what_was_picked(folder: Path) -> None:
    """Programs read standard output."""
    told = json.loads(shoal(folder, "front", "people.toml", "--json", "--quiet").stdout)
    assert told["exact"] is True
    picked = max(told["points"], key=lambda point: point["k"])
    run = shoal(folder, "front", "people.toml", "--json", "--pick", str(picked["point"]))
    assert run.returncode == 0, run.stderr
    manifest = json.loads(run.stdout)
    assert manifest == json.loads((folder / "release.csv.manifest.json").read_text())
    assert (manifest["k"], manifest["audit"]["holds"]) == (picked["k"], True)
    assert manifest["recoding"] == picked["recoding"]


def test_the_knee_is_released_with_at_least_the_policys_k(folder: Path) -> None:
    """Where [release] says, without the names."""
    run = shoal(folder, "front", "people.toml", "--objectives", "k,l,discernibility", "--pick", "knee")
    assert run.returncode == 0, run.stderr
    assert "was picked: k " in run.stderr
    assert "audit holds" in run.stderr
    assert (folder / "release.csv").read_text().startswith("age,zip,disease\n")


def test_a_point_goes_where_the_command_says(folder: Path) -> None:
    """--release stands in place of [release], with the same bytes; without a point it is refused."""
    assert shoal(folder, "front", "people.toml", "--pick", "knee").returncode == 0
    (folder / "bare.toml").write_text(POLICY.partition("[release]")[0])
    done = shoal(folder, "front", "bare.toml", "--pick", "knee", "--release", "other.csv")
    assert done.returncode == 0
    assert (folder / "other.csv").read_bytes() == (folder / "release.csv").read_bytes()
    refused = shoal(folder, "front", "bare.toml", "--release", "third.csv")
    assert refused.returncode == 2
    assert "name a point with --pick" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "change", "code", "message"),
    [
        (["--pick", "0"], ("", ""), 2, "the policy demands 2"),
        (["--pick", "99"], ("", ""), 2, "no point 99"),
        (["--pick", "best"], ("", ""), 2, "number of a point, 'suggested' or 'knee'"),
        (["--pick", "suggested"], ("risk = 0.5", ""), 2, "there is nothing to suggest: no point has k = 12"),
        (["--pick", "knee"], ('path = "release.csv"', ""), 2, "under [release]"),
        (["--risk", "0.1", "--pick", "suggested"], ("", ""), 2, "no point has k = 10"),
        (["--risk", "2"], ("", ""), 2, "above 0 and at most 1"),
        (["-o", "front.xlsx"], ("", ""), 2, ".csv or a .json"),
        (["-o", "people.csv"], ("", ""), 2, "is the source itself"),
        (["--html", "people.toml"], ("", ""), 2, "is the policy itself"),
        (["-o", "release.csv"], ("", ""), 2, "is the release itself"),
        (["-o", "release.csv.manifest.json"], ("", ""), 2, "manifest itself"),
        (["-o", "front.csv", "--html", "front.csv"], ("", ""), 2, "is the table of points itself"),
        ([], ("k = 2", 'k = 2\nentity = "name"'), 2, "cannot support entity"),
        (["--objectives", "k,beauty"], ("", ""), 2, "no objective 'beauty'"),
        ([], ("suppression = 0", 'suppression = "unlimited"'), 2, "needs one"),
        (["--nodes", "0", "--require-optimal"], ("", ""), 4, "not proved"),
        (["-o", "no/such/folder/front.csv"], ("", ""), 6, "cannot write"),
        ([], ("people.csv", "nobody.csv"), 6, "does not exist"),
    ],
)
def test_errors_have_their_exit_codes(
    folder: Path, arguments: list[str], change: tuple[str, str], code: int, message: str
) -> None:
    """Usage and policy 2, not proved 4, files 6; and nothing is released."""
    (folder / "people.toml").write_text(POLICY.replace(*change) if change[0] else POLICY)
    run = shoal(folder, "front", "people.toml", *arguments)
    assert (run.returncode, message in run.stderr) == (code, True), run.stderr
    assert not (folder / "release.csv").exists()
    assert (folder / "people.csv").read_text() == PEOPLE
    assert (folder / "people.toml").read_text().lstrip().startswith("[source]")


def test_a_data_file_is_no_policy(folder: Path) -> None:
    """It says what it takes."""
    run = shoal(folder, "front", "people.csv")
    assert run.returncode == 2
    assert "takes a policy" in run.stderr


def test_the_front_over_cuts_tells_gaps(folder: Path) -> None:
    """A point per k that is on the front."""
    text = POLICY.replace('recoding = "levels"', 'recoding = "cuts"\nks = [2, 3, 6]')
    (folder / "people.toml").write_text(text.replace("suppression = 0", ""))
    run = shoal(folder, "front", "people.toml", "-o", "front.json", "--pick", "knee")
    assert run.returncode == 0, run.stderr
    points = json.loads((folder / "front.json").read_text())["points"]
    assert {point["status"] for point in points} == {"optimal"}
    assert {point["k"] for point in points} <= {2, 3, 6}


def test_a_front_is_row_by_row_and_its_suggestion_can_be_picked(folder: Path) -> None:
    """The table has what each k keeps, and could keep at most; the smallest k for the risk is suggested."""
    text = POLICY.replace('recoding = "levels"\n', "").replace("risk = 0.5", "risk = 0.5\nks = [2, 3, 6]")
    (folder / "people.toml").write_text(text)
    run = shoal(folder, "front", "people.toml", "--json", "--pick", "suggested")
    assert run.returncode == 0, run.stderr
    heading = next(line for line in run.stderr.splitlines() if line.startswith("point"))
    assert " ".join(heading.split()) == "point k risk general-loss suppressed groups keeps at most"
    assert "suggested for a risk of at most 50 %: point 0\nk = 3: risk at most 33.3 %" in run.stderr
    assert "point 0 was picked: k = 3: risk at most 33.3 %, a cell keeps " in run.stderr
    assert "proved: no other row-by-row recodings with values of this form keep more" in run.stderr
    manifest = json.loads(run.stdout)
    assert (manifest["k"], manifest["algorithm"], manifest["audit"]["holds"]) == (3, "front: local", True)
    assert len((folder / "release.csv").read_text().splitlines()) == 7


def test_models_are_demanded_of_what_is_picked(folder: Path) -> None:
    """Three different diseases in every group."""
    demand = 'k = 2\nmodels = [{ name = "distinct-l-diversity", attribute = "disease", l = 3 }]'
    text = POLICY.replace('recoding = "levels"\n', "").replace("k = 2", demand, 1)
    (folder / "people.toml").write_text(text.replace("risk = 0.5", "risk = 0.5\nks = [2, 3]"))
    run = shoal(folder, "front", "people.toml", "--json", "--pick", "suggested")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["audit"]["distinct-l-diversity"] == 3
