"""What a steward sees on the way from an ugly file to a release."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path

import pytest

from tests.cli.command import shoal

QUICK = ("--nodes", "40", "--seconds", "2")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A German export: Windows-1252, title lines, semicolons, decimal commas, k.A. for no answer."""
    draw = random.Random(1)
    lines = ["Universitätsklinik Köln", "Stand: 01.03.2024", "", "PatNr;Geschlecht;GebDatum;Gewicht;Kosten"]
    for row in range(60):
        weight = "k.A." if row % 20 == 3 else f"{draw.randint(500, 1200) / 10:.1f}".replace(".", ",")
        cost = f"{draw.randint(100_000, 900_000) + row / 100:,.2f}".translate(str.maketrans(",.", ".,"))
        born = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1930, 2005)}"
        lines.append(f"{1000 + row};{draw.choice(['männlich', 'weiblich'])};{born};{weight};{cost} €")
    (tmp_path / "klinik.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    return tmp_path


def test_a_clinic_export_goes_through_all_commands(clinic: Path) -> None:
    """Inspect, init, anonymize, codebook, audit and report, without an edit."""
    assert "encoding windows-1252, delimiter semicolon" in shoal(clinic, "inspect", "klinik.csv").stderr
    made = shoal(clinic, "init", "klinik.csv")
    assert made.returncode == 0
    assert "klinik.csv: encoding windows-1252, delimiter semicolon, 3 lines skipped" in made.stderr
    stated = tomllib.loads((clinic / "klinik.toml").read_text())["attributes"]
    assert stated["Gewicht"]["missing"] == ["k.A."]
    assert "Kosten" not in stated  # amounts differ in every row, and are no identifier
    released = shoal(clinic, "anonymize", "klinik.toml", *QUICK)
    assert released.returncode == 0
    assert "'Gewicht' was read as numbers written as 1234,5; missing: k.A. (3)" in released.stderr
    release = tomllib.loads((clinic / "klinik.toml").read_text())["release"]["path"]
    book = shoal(clinic, "codebook", release).stdout
    assert 'sep = ";"' in book
    assert shoal(clinic, "audit", release, "--policy", "klinik.toml").returncode == 0
    assert shoal(clinic, "report", release, "-o", "report.html").returncode == 0


def test_what_is_stated_at_init_is_in_the_policy(clinic: Path) -> None:
    """Options of the file, markers of all columns and formats; and the policy is taken as it is."""
    flags = ("--encoding", "cp1252", "--skip", "3", "--missing", "k.A.,weiblich")
    assert shoal(clinic, "init", "klinik.csv", *flags, "--format", "Gewicht=1234,5").returncode == 0
    stated = tomllib.loads((clinic / "klinik.toml").read_text())
    assert {"encoding": "cp1252", "skip": 3, "missing": ["k.A.", "weiblich"]}.items() <= stated[
        "source"
    ].items()
    assert stated["attributes"]["Gewicht"]["format"] == "1234,5"
    assert shoal(clinic, "anonymize", "klinik.toml", *QUICK).returncode == 0


@pytest.mark.parametrize("command", ["inspect", "init"])
def test_a_statement_about_a_column_that_is_not_there_is_refused(clinic: Path, command: str) -> None:
    """With the names that exist."""
    refused = shoal(clinic, command, "klinik.csv", "--missing", "Gewiht=999")
    assert refused.returncode == 2
    assert "the table has no column 'Gewiht'" in refused.stderr
    assert "Gewicht" in refused.stderr


def test_row_names_of_r_are_a_column_without_a_name(tmp_path: Path) -> None:
    """The line says so, and a decision about a marker names its column."""
    draw = random.Random(2)
    rows = [
        f'"{row}",{draw.randint(18, 80)},{draw.choice(["low", "high", "NA"])},{row % 2}' for row in range(40)
    ]
    (tmp_path / "r.csv").write_text("\n".join(['"","age","educ","sex"', *rows]) + "\n")
    made = shoal(tmp_path, "init", "r.csv")
    assert "r.csv: column without a name: column_1" in made.stderr
    assert "- 'educ': NA occurs in" in made.stderr


def test_nested_objects_are_pointed_out(tmp_path: Path) -> None:
    """An age inside an object is not recoded, so the user is told."""
    rows = [json.dumps({"user": {"age": row}, "sex": "FM"[row % 2], "tags": ["a"]}) for row in range(30)]
    (tmp_path / "events.jsonl").write_text("\n".join(rows))
    for command in ("inspect", "init"):
        said = shoal(tmp_path, command, "events.jsonl").stderr
        assert "user, tags have objects or lists inside, and are read as text as a whole" in said


@pytest.mark.parametrize("command", ["risk", "anonymize"])
def test_weights_with_decimal_commas_are_refused_with_the_way_out(tmp_path: Path, command: str) -> None:
    """Weights are summed in the engine, which reads plain numbers."""
    rows = [f"{20 + row % 3};{row % 4 + 1},5" for row in range(30)]
    (tmp_path / "people.csv").write_text("\n".join(["age;w", *rows]) + "\n")
    flags = ["-q", "age", "--survey-weight", "w"]
    if command == "anonymize":
        flags += ["-k", "2", "-o", "out.csv", "--model", "k-map k=5"]
    refused = shoal(tmp_path, command, "people.csv", *flags)
    assert refused.returncode == 2
    assert "write them plainly, like 12.5" in refused.stderr
