"""`shoal risk`, run as a user does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import shoal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        "age,zip,mail,w",
        "20,941,ann@example.org,3",
        "20,941,bob@example.org,5",
        "30,943,cid@example.org,2",
    ]
    (tmp_path / "stays.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "people.csv").write_text("age,zip\n20,941\n20,941\n20,941\n30,943\n30,943\n")
    return tmp_path


def test_the_report_is_words_for_people_and_json_for_programs(folder: Path) -> None:
    """Words on standard error, facts on standard output; no cell in either."""
    done = shoal(folder, "risk", "stays.csv", "-q", "age,zip", "--population-size", "100", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["prosecutor"]["highest"] == 1
    assert facts["prosecutor"]["average"] == pytest.approx(2 / 3)
    assert facts["holds"] is None
    assert {"rows", "groups", "suppressed", "threshold", "marketer", "sample_uniqueness"} <= facts.keys()
    assert {each["column"] for each in facts["safe_harbor"]} == {"mail"}
    assert "prosecutor   highest 100 %   average 66.67 %" in done.stderr
    assert "estimated from the size of the population" in done.stderr
    assert "example.org" not in done.stdout + done.stderr


def test_a_demand_that_fails_is_exit_code_5(folder: Path) -> None:
    """And one that holds is 0."""
    failed = shoal(folder, "risk", "stays.csv", "-q", "age,zip", "--highest", "0.5", "--quiet")
    assert failed.returncode == 5
    assert failed.stderr == "shoal: the highest prosecutor risk is 1, and at most 0.5 is allowed\n"
    by_people = ["--population", "people.csv", "--attacker", "journalist", "--highest", "0.5"]
    held = shoal(folder, "risk", "stays.csv", "-q", "age,zip", *by_people, "--quiet")
    assert (held.returncode, held.stderr) == (0, "")


def test_weights_give_the_individual_risk(folder: Path) -> None:
    """The highest is of the row with weight 2: log 2."""
    done = shoal(folder, "risk", "stays.csv", "-q", "age,zip", "--survey-weight", "w", "--json", "--quiet")
    assert json.loads(done.stdout)["individual"]["highest"] == pytest.approx(0.6931471805599453)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["stays.csv"], 2, "name the quasi-identifiers"),
        (["stays.csv", "-q", "agge"], 2, "Did you mean 'age'"),
        (["none.csv", "-q", "age"], 6, "does not exist"),
        (["stays.csv", "-q", "age", "--population", "none.csv"], 6, "does not exist"),
        (["stays.csv", "-q", "age", "--sampling-fraction", "2"], 2, "above 0 and at most 1"),
        (["stays.csv", "-q", "age", "--attacker", "spy"], 2, "an attacker is one of"),
    ],
)
def test_what_cannot_be_measured_has_its_exit_code(
    folder: Path, arguments: list[str], code: int, words: str
) -> None:
    """2 for what was asked, 6 for files."""
    done = shoal(folder, "risk", *arguments)
    assert done.returncode == code
    assert words in done.stderr
