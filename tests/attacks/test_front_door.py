"""`shoal.attack` and `shoal attack`: a release, what an attacker has, and a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.audit.attacks import ATTACKS
from shoal.errors import PolicyError
from tests.cli.command import shoal as command

RELEASE = pd.DataFrame(
    {
        "zip": ["9413*", "9413*", "9414*", "9414*"],
        "age": ["[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]"],
        "disease": ["gastritis", "gastritis", "influenza", "bronchitis"],
    }
)
VOTERS = pd.DataFrame({"ZIP": ["94138", "94141", "94555"], "Name": ["Quentin", "Rosalind", "Thaddeus"]})
COLUMNS = {"quasi_identifiers": ["zip", "age"], "sensitive": ["disease"], "k": 2}


def test_all_attacks_that_can_be_run_are_run() -> None:
    """The others say what they lack."""
    report = shoal.attack(RELEASE, **COLUMNS, external=VOTERS, match={"zip": "ZIP"})
    run = [each.name for each in report.results]
    assert run == ["linkage", "homogeneity", "background-knowledge", "skewness"]
    assert set(run) | set(report.skipped) == set(ATTACKS)
    assert report.holds
    linkage = report.results[0]
    assert (linkage.tried, linkage.succeeded, linkage.threshold) == (2, 1.0, 0.5)


def test_a_rate_above_what_is_allowed_does_not_hold() -> None:
    """Half of the cells are told by their group, a quarter is allowed."""
    report = shoal.attack(RELEASE, **COLUMNS, allowed={"homogeneity": 0.25})
    assert not report.holds
    assert report.to_dict()["holds"] is False
    assert report.failures == ("homogeneity succeeds at 50.0 % of what it tried; 25.0 % is allowed",)
    assert shoal.attack(RELEASE, **COLUMNS, allowed={"homogeneity": 0.5}).holds


def test_a_limit_that_cannot_be_measured_does_not_hold() -> None:
    """No demand is passed over in silence."""
    report = shoal.attack(RELEASE, **COLUMNS, allowed={"linkage": 0.1})
    assert report.unmeasured == ("linkage",)
    assert not report.holds


def test_no_private_value_is_told() -> None:
    """Neither cells of the release's sensitive column, nor of the external table, nor of the original."""
    original = pd.DataFrame(
        {
            "zip": ["94138", "94139", "94141", "94142"],
            "age": ["21", "22", "33", "34"],
            "disease": list(RELEASE["disease"]),
        }
    )
    hierarchy = {
        "94138": ["9413*", "*"],
        "94139": ["9413*", "*"],
        "94141": ["9414*", "*"],
        "94142": ["9414*", "*"],
    }
    report = shoal.attack(
        RELEASE,
        **COLUMNS,
        hierarchies={"zip": hierarchy},
        models=[{"name": "distinct-l-diversity", "attribute": "disease", "l": 2}],
        external=original[["zip", "age"]],
        original=original,
        earlier=[original],
    )
    assert {"minimality", "downcoding"} <= {each.name for each in report.results}
    told = json.dumps(report.to_dict()) + " ".join(report.failures)
    shown = [str(cell) for frame in (original, VOTERS, RELEASE) for column in frame for cell in frame[column]]
    assert not [cell for cell in shown if len(cell) > 2 and cell in told]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"attacks": ["linkages"]}, "Did you mean 'linkage'"),
        ({"allowed": {"linkages": 0.1}}, "there is no attack 'linkages'"),
        ({"attacks": ["linkage"]}, "no external table is given"),
        ({"match": {"zip": "ZIP"}}, "none is given"),
        ({"external": VOTERS}, "none of the quasi-identifiers"),
        ({"external": VOTERS, "match": {"zip": "PLZ"}}, "no column 'PLZ'"),
        ({"external": VOTERS, "match": {"disease": "ZIP"}}, "no quasi-identifier"),
        ({"external": VOTERS, "match": {"zip": "ZIP"}, "truth": "disease"}, "no column 'disease'"),
        ({"original": VOTERS}, "the original has no column 'zip'"),
        ({"truth": "Name"}, "the release has no column 'Name'"),
        ({"exclude": -1}, "exclude must be"),
        ({"rise": 0.5}, "rise must be"),
        ({"near": 2}, "near must be"),
        ({"allowed": {"linkage": 2}}, "from 0 to 1"),
        ({"policy": "policy.toml"}, "a policy says it all"),
    ],
)
def test_what_does_not_fit_is_said(arguments: dict[str, object], message: str) -> None:
    """What was asked, and the way out."""
    with pytest.raises(PolicyError, match=message):
        shoal.attack(RELEASE, **COLUMNS, **arguments)  # type: ignore[arg-type]


def test_a_release_without_rows_cannot_be_attacked() -> None:
    """Nothing withstands because nothing is there."""
    with pytest.raises(PolicyError, match="no rows"):
        shoal.attack(RELEASE.head(0), **COLUMNS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The release and the voter list as files."""
    RELEASE.to_csv(tmp_path / "release.csv", index=False)
    VOTERS.to_csv(tmp_path / "voters.csv", index=False)
    return tmp_path


ASKED = ("attack", "release.csv", "-q", "zip,age", "--sensitive", "disease", "-k", "2")


def test_the_command_prints_a_table_and_facts(folder: Path) -> None:
    """Words on standard error, JSON on standard output, 0 where everything holds."""
    done = command(folder, *ASKED, "--external", "voters.csv", "--match", "zip=ZIP", "--json")
    assert done.returncode == 0
    facts = json.loads(done.stdout)
    assert facts["attacks"]["linkage"]["rate"] == 0.5
    assert "linkage" in done.stderr
    assert "not run: minimality" in done.stderr


def test_the_command_leaves_with_5_where_an_attack_does_too_well(folder: Path) -> None:
    """By a flag or by the policy."""
    done = command(folder, *ASKED, "--attack", "homogeneity", "--allow", "homogeneity=0.25", "--quiet")
    assert done.returncode == 5
    assert done.stderr.startswith("shoal: homogeneity succeeds at 50.0 %")
    (folder / "policy.toml").write_text(
        '[attributes.zip]\nrole = "quasi-identifier"\n[attributes.disease]\nrole = "sensitive"\n'
        "[privacy]\nk = 2\n[attacks]\nhomogeneity = 0.25\n"
    )
    assert command(folder, "attack", "release.csv", "--policy", "policy.toml").returncode == 5


def test_the_command_refuses_what_does_not_fit(folder: Path) -> None:
    """2 for usage, 6 for files."""
    assert command(folder, "attack", "release.csv", "-q", "zip,age").returncode == 2  # nothing to learn
    assert command(folder, *ASKED, "--external", "absent.csv").returncode == 6
