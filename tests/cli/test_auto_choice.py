"""What the command prints about the automatic choice, and the flag for one recoding per column."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.command import shoal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table of sixty people, each near some others."""
    lines = [f"{at % 17},{at * at % 23}" for at in range(60)]
    (tmp_path / "people.csv").write_text("age,pay\n" + "\n".join(lines) + "\n")
    return tmp_path


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_advice_is_printed_after_the_summary_and_quiet_is_quiet(folder: Path) -> None:
    """A line of the command, on standard error; programs read the manifest."""
    told = shoal(folder, "anonymize", "people.csv", "-q", "age,pay", "-k", "3")
    assert told.stderr.splitlines()[-1].startswith(
        "one recoding per column (--consistent) would lose at most 0."
    )
    assert shoal(folder, "anonymize", "people.csv", "-q", "age,pay", "-k", "3", "--quiet").stderr == ""


def test_consistent_releases_equal_values_alike(folder: Path) -> None:
    """The flag does what the policy's key does, also with a policy file."""
    asked = ("anonymize", "people.csv", "-q", "age,pay", "-k", "3", "--consistent", "-o", "release.csv")
    told = shoal(folder, *asked)
    assert "row by row (without --consistent), the release would lose at most 0." in told.stderr
    source, release = (
        [row["age"] for row in rows_of(folder / name)] for name in ("people.csv", "release.csv")
    )
    assert len(set(zip(source, release, strict=True))) == len(set(source))
    facts = json.loads((folder / "release.csv.manifest.json").read_text())
    assert facts["choice"]["kind"] == "one recoding per column"
    (folder / "p.toml").write_text(
        '[source]\npath = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.pay]\nrole = "quasi-identifier"\n[privacy]\nk = 3\n[release]\npath = "r.csv"\n'
    )
    printed = shoal(folder, "anonymize", "p.toml", "--consistent", "--json")
    assert json.loads(printed.stdout)["choice"] == facts["choice"]
