"""`shoal.attack` and `shoal attack`: a release, what an attacker has, and a verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.auditor.attacks import ATTACKS
from shoal.errors import PolicyError
from shoal.model.policy.attack_names import ATTACK_NAMES
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
    """The others say what they lack; what attacks logs of messages is none of them."""
    report = shoal.attack(RELEASE, **COLUMNS, external=VOTERS, match={"zip": "ZIP"})
    run = [each.name for each in report.results]
    assert run == ["linkage", "homogeneity", "background-knowledge", "skewness", "downcoding"]
    assert {*run, *report.skipped} == {name for name, attack in ATTACKS.items() if not attack.of_logs}
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
        ({"truth": "zip"}, "truth names 'zip', a quasi-identifier"),
        ({"allowed": ["linkage"]}, "allowed is a mapping"),
        ({"match": [("zip", "ZIP")], "external": VOTERS}, "match is a mapping"),
        ({"exclude": -1}, "exclude must be"),
        ({"rise": 0.5}, "rise must be"),
        ({"rise": float("inf")}, "rise must be"),  # JSON has no infinity
        ({"near": 2}, "near must be"),
        ({"allowed": {"linkage": 2}}, "from 0 to 1"),
        ({"policy": "policy.toml"}, "a policy is complete"),
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


def test_a_misspelt_attack_is_refused_wherever_a_policy_is_made(folder: Path) -> None:
    """A limit that nothing heeds would seem to be kept, so `anonymize` and all others say it, too."""
    (folder / "policy.toml").write_text(
        '[source]\npath = "release.csv"\n[attributes.zip]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'
        "[attacks]\nhomogenity = 0\n"
    )
    for asked in (
        ("anonymize", "policy.toml"),
        ("risk", "release.csv", "--policy", "policy.toml"),
        ("audit", "release.csv", "--policy", "policy.toml"),
        ("explain", "policy.toml"),
    ):
        done = command(folder, *asked)
        assert done.returncode == 2, asked
        assert "there is no attack 'homogenity'. Did you mean 'homogeneity'?" in done.stderr, asked
    with pytest.raises(PolicyError, match="no attack 'homogenity'"):
        shoal.anonymize(RELEASE, quasi_identifiers=["zip"], k=2, attacks={"homogenity": 0.1})


def test_a_policy_knows_every_attack() -> None:
    """The names that may be limited are those that can be run, in the same order."""
    assert tuple(ATTACKS) == ATTACK_NAMES


@pytest.mark.parametrize("names", [[], "linkage"])
def test_attacks_are_a_list_with_a_name(names: object) -> None:
    """Nothing withstands because nothing was tried."""
    with pytest.raises(PolicyError, match="list of names"):
        shoal.attack(RELEASE, **COLUMNS, attacks=names)  # type: ignore[arg-type]


def test_the_facts_say_what_does_not_hold() -> None:
    """A program that reads that it does not hold can say why."""
    report = shoal.attack(RELEASE, **COLUMNS, allowed={"linkage": 0.1})
    assert report.to_dict()["failures"] == list(report.failures) != []


def test_one_person_among_fewer_than_k_is_not_hidden_by_an_average() -> None:
    """Ten people of a hundred are alone; the average of 11 % is below the 20 % that k = 5 would mean."""
    rows = [(str(age), "x") for age in range(10)] + [("[50, 59]", "x")] * 90
    release = pd.DataFrame(rows, columns=["age", "d"])
    people = pd.DataFrame({"age": [*map(str, range(10)), *["55"] * 90]})
    asked = {"quasi_identifiers": ["age"], "sensitive": ["d"], "k": 5, "external": people}
    report = shoal.attack(release, **asked, attacks=["linkage"])  # type: ignore[arg-type]
    assert report.results[0].rate < 1 / 5
    assert not report.holds
    assert report.failures == ("linkage finds 10 people among fewer than k rows; k promises that nobody is",)
    # A rate that is stated is one of all people.
    assert shoal.attack(release, **asked, attacks=["linkage"], allowed={"linkage": 0.2}).holds  # type: ignore[arg-type]


@pytest.mark.parametrize("zips", [["2139", "2138"], ["x1", "x2"], [None, None]])
def test_columns_that_cannot_be_compared_are_no_failed_attack(zips: list[str | None]) -> None:
    """A code that lost its zero, another way to write it: nobody is found, and that proves nothing."""
    release = pd.DataFrame({"zip": ["021**"] * 2, "age": ["[20, 29]"] * 2, "disease": ["a", "b"]})
    people = pd.DataFrame({"zip": zips, "age": ["21", "22"]})
    report = shoal.attack(release, **COLUMNS, external=people, allowed={"linkage": 0.5})
    assert "no cell of 'zip' in the external table fits" in report.skipped["linkage"]
    assert not report.holds


def test_an_external_table_without_rows_is_no_attack() -> None:
    """Nobody was looked for, so nobody withstood."""
    report = shoal.attack(RELEASE, **COLUMNS, external=VOTERS.head(0), match={"zip": "ZIP"})
    assert report.skipped["linkage"] == "the external table has no rows"


def test_means_that_fit_nobody_are_no_failed_attack() -> None:
    """Each column has a cell that fits by chance, and no row does: a limit is not met by that."""
    release = pd.DataFrame({"age": ["25", "45"] * 2, "pay": ["30", "70"] * 2})
    people = pd.DataFrame({"age": ["25", "26"], "pay": ["60", "70"]})
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "pay"], "external": people}
    report = shoal.attack(release, k=2, **asked)
    assert "nobody in the external table fits any released row" in report.skipped["linkage"]
    assert not shoal.attack(release, k=2, **asked, allowed={"linkage": 0.5}).holds


def test_a_truth_that_tells_of_nobody_is_no_failed_attack() -> None:
    """Numbers that were given anew match nobody; 7 and 7.0 are the same person."""
    release = RELEASE.assign(person=["7", "8", "9", "10"])
    people = pd.DataFrame({"zip": ["94138"], "age": ["21"]})
    asked = {"attacks": ["linkage"], "truth": "person"}
    with pytest.raises(PolicyError, match="'person' should say whose row it is, but no cell"):
        shoal.attack(release, **COLUMNS, external=people.assign(person=["P7"]), **asked)  # type: ignore[arg-type]
    found = shoal.attack(release, **COLUMNS, external=people.assign(person=[7.0]), **asked)  # type: ignore[arg-type]
    assert found.results[0].succeeded == 0.5


def test_a_harmless_column_hides_no_other_one() -> None:
    """All diseases are told by their group; the salaries beside them halve the rate, and not the harm."""
    release = pd.DataFrame(
        {"age": ["1", "1", "2", "2"], "disease": ["a", "a", "b", "b"], "salary": ["5", "6", "7", "8"]}
    )
    asked = {"quasi_identifiers": ["age"], "k": 2, "allowed": {"homogeneity": 0.5}}
    report = shoal.attack(release, **asked, sensitive=["disease", "salary"])  # type: ignore[arg-type]
    assert report.results[0].rate == 0.5
    assert not report.holds
    assert report.failures == (
        "homogeneity succeeds at 100.0 % of what it tried in a column; 50.0 % is allowed",
    )


def test_an_attack_that_is_limited_and_not_asked_for_is_told(tmp_path: Path) -> None:
    """Who names attacks gets those alone, and is told what the policy limits besides."""
    release = tmp_path / "release.csv"
    release.write_text("age,ill\n3,flu\n3,cold\n")
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "allowed": {"skewness": 0.5}}
    report = shoal.attack(release, **asked, attacks=["homogeneity"])
    assert [each.name for each in report.results] == ["homogeneity"]
    assert report.skipped == {"skewness": "the policy limits it, but it was not requested"}
    assert report.holds
