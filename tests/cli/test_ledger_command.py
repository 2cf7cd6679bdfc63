"""`shoal ledger`, and the ledger of `shoal anonymize` and `shoal attack`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from shoal.cli.app import app

ROWS = "age,sex,disease\n" + "".join(
    f"{age},{sex},{disease}\n"
    for age, sex, disease in zip(
        [20, 20, 21, 21, 30, 30, 31, 31] * 2, "FMFMFMFM" * 2, "abcdefghijklmnop", strict=True
    )
)
POLICY = """
[source]
path = "people.csv"
[attributes.{one}]
role = "quasi-identifier"
[privacy]
k = 2
[release]
path = "{one}.csv"
ledger = "releases.jsonl"
"""


def shoal(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source and a policy that names a ledger, in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "age.toml").write_text(POLICY.format(one="age"))
    return tmp_path


def test_releases_are_written_down_shown_and_verified(folder: Path) -> None:
    """By the policy or by --ledger; earlier releases are told of, and the exit code is still 0."""
    assert shoal("anonymize", "age.toml").exit_code == 0
    again = shoal(
        *("anonymize", "people.csv", "-q", "age,sex", "-k", "2"),
        *("-o", "both.csv", "--ledger", "releases.jsonl"),
    )
    assert again.exit_code == 0
    assert "warning: the ledger has an earlier release of this source (line 1: age)" in again.stderr
    shown = shoal("ledger", "show", "releases.jsonl")
    assert shown.exit_code == 0
    assert [line.split()[:1] for line in shown.stdout.splitlines()] == [["line"], ["1"], ["3"]]
    assert "both.csv" in shown.stdout
    verified = shoal("ledger", "verify", "releases.jsonl", "--json")
    assert verified.exit_code == 0
    told = json.loads(verified.stdout)
    assert (told["lines"], told["releases"], told["unconfirmed"], told["torn"]) == (4, 2, [], False)
    assert f"head {told['head']}" in verified.stderr
    assert shoal("ledger", "verify", "releases.jsonl", "--head", "0" * 64).exit_code == 5


def test_a_broken_ledger_ends_verify_and_anonymize_with_5(folder: Path) -> None:
    """Both name the line; nothing is published."""
    assert shoal("anonymize", "age.toml").exit_code == 0
    ledger = folder / "releases.jsonl"
    ledger.write_text(ledger.read_text().replace('"rows":16', '"rows":15'))
    (folder / "age.csv").unlink()
    for command in (("ledger", "verify", "releases.jsonl"), ("anonymize", "age.toml")):
        run = shoal(*command)
        assert run.exit_code == 5
        assert "releases.jsonl is broken at line 1: it was changed after it was written" in run.stderr
    assert not (folder / "age.csv").exists()


def test_what_a_crash_left_is_told(folder: Path) -> None:
    """A release that nobody confirmed and a part of a line; both are no fault of the chain."""
    assert shoal("anonymize", "age.toml").exit_code == 0
    ledger = folder / "releases.jsonl"
    text = ledger.read_text()
    ledger.write_text(text[: text.index("\n") + 20])
    run = shoal("ledger", "verify", "releases.jsonl")
    assert run.exit_code == 0
    assert "line 1 announced a release and nobody confirmed it" in run.stderr
    assert "Look whether age.csv is there" in run.stderr
    assert "the last line is only a part of one" in run.stderr


def test_no_ledger_and_no_folder_are_told_apart(folder: Path) -> None:
    """A file that is not there cannot be verified; one that cannot be written stops the release."""
    missing = shoal("ledger", "verify", "nothing.jsonl")
    assert missing.exit_code == 6
    assert "there is no ledger nothing.jsonl" in missing.stderr
    run = shoal("anonymize", "age.toml", "--ledger", "no/releases.jsonl")
    assert run.exit_code == 6
    assert "there is no folder" in run.stderr
    assert not (folder / "age.csv").exists()


def test_attacks_know_the_releases_of_the_ledger(folder: Path) -> None:
    """By --ledger or by the policy's own; a limit holds where there is no earlier release."""
    limited = (folder / "age.toml").read_text() + "[attacks]\ncomposition = 0.5\n"
    (folder / "age.toml").write_text(limited)
    assert shoal("anonymize", "age.toml").exit_code == 0
    attack = ("attack", "age.csv", "--policy", "age.toml", "--original", "people.csv", "--json")
    first = json.loads(shoal(*attack, "--attack", "composition").stdout)
    assert first["attacks"]["composition"]["tried"] == 0
    assert first["holds"]
    both = ("people.csv", "-q", "age,sex", "-k", "4", "-o", "both.csv", "--ledger", "releases.jsonl")
    assert shoal("anonymize", *both).exit_code == 0
    run = shoal(*attack, "--attack", "composition")
    assert json.loads(run.stdout)["attacks"]["composition"]["releases"] == 2
