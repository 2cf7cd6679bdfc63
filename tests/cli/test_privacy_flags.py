"""Privacy models on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import shoal

STAYS = "patient,age,illness,weight\n" + "".join(
    f"{patient},{age},{illness},{weight}\n"
    for patient, age, illness, weight in [
        ("a", 30, "flu", 2.5),
        ("b", 30, "hiv", 1),
        ("c", 40, "flu", 2),
        ("d", 40, "cold", 2),
    ]
)
FLAGS = ("stays.csv", "-q", "age", "-k", "2", "--identifiers", "patient", "--sensitive", "illness")
DIVERSE = "distinct-l-diversity attribute=illness l=2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of stays."""
    (tmp_path / "stays.csv").write_text(STAYS)
    return tmp_path


def test_models_are_asked_for_by_flags_and_told(folder: Path) -> None:
    """One line per model: what is demanded, what was measured."""
    run = shoal(
        folder,
        "anonymize",
        *FLAGS,
        *("--model", DIVERSE, "--model", "k-map k=3", "--survey-weight", "weight"),
        *("-o", "out.csv", "--json"),
    )
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stderr.splitlines() if line.startswith("  ")]
    assert lines == [
        "  distinct-l-diversity: at least 2 distinct values of 'illness' in each group; measured 2",
        "  k-map: at least 3 people of the population like each row; measured 3.5",
    ]
    assert json.loads(run.stdout)["audit"] == {
        "k-anonymity": 2,
        "distinct-l-diversity": 2,
        "k-map": 3.5,
        "holds": True,
    }


def test_persons_are_asked_for_by_a_flag(folder: Path) -> None:
    """k of them in each group."""
    run = shoal(folder, "anonymize", *FLAGS, "--entity", "patient", "-o", "out.csv", "--json")
    assert run.returncode == 0, run.stderr
    assert "  k-anonymity(patient): at least 2 persons in each group; measured 2" in run.stderr
    assert json.loads(run.stdout)["audit"]["k-anonymity(patient)"] == 2


def test_a_population_is_named_by_a_flag(folder: Path) -> None:
    """A file with the quasi-identifiers."""
    (folder / "people.csv").write_text("age\n" + "30\n" * 5 + "40\n" * 4)
    flags = ("--model", "k-map k=4", "--population", "people.csv", "-o", "out.csv", "--json")
    run = shoal(folder, "anonymize", *FLAGS, *flags)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["audit"]["k-map"] == 4


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--model", ""), "an argument is empty"),
        (("--model", "k-map 3"), "--model takes NAME=VALUE"),
        (("--model", "k-mop k=3"), "Did you mean 'k-map'?"),
        (("--model", "k-map k=3"), "survey_weight, a column of weights"),
        (("--model", "distinct-l-diversity attribute=weight l=2"), "--sensitive weight"),
        (("--survey-weight", "weight"), "survey_weight is for models that need the population"),
        (
            ("--model", "k-map k=3", "--survey-weight", "weight", "--entity", "patient"),
            "would be counted several times",
        ),
    ],
)
def test_a_model_that_does_not_fit_is_a_usage_error(folder: Path, flags: tuple[str, ...], words: str) -> None:
    """Exit code 2, one sentence, nothing written."""
    run = shoal(folder, "anonymize", *FLAGS, *flags, "-o", "out.csv")
    assert run.returncode == 2
    assert words in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (folder / "out.csv").exists()


def test_values_of_a_model_are_numbers_truths_and_lists(folder: Path) -> None:
    """Quotes hold a value with spaces together."""
    from shoal.cli.arguments import model

    assert model("t-closeness attribute=5 t=0.2 ground=ordered joint=true") == {
        "name": "t-closeness",
        "attribute": "5",
        "t": 0.2,
        "ground": "ordered",
        "joint": True,
    }
    assert model("alpha-k-anonymity 'attribute=main illness' alpha=1 values=hiv,flu") == {
        "name": "alpha-k-anonymity",
        "attribute": "main illness",
        "alpha": 1,
        "values": ["hiv", "flu"],
    }


def test_audit_measures_models_of_any_table(folder: Path) -> None:
    """It holds, and then a stricter demand does not: exit code 5 and the reason."""
    run = shoal(folder, "audit", "stays.csv", "-q", "age", "-k", "2", "--model", DIVERSE, "--json")
    assert run.returncode == 0, run.stderr
    facts = json.loads(run.stdout)
    assert facts["models"]["distinct-l-diversity"]["measured"] == 2
    assert facts["holds"] is True
    assert "  distinct-l-diversity: at least 2 distinct values" in run.stderr
    strict = DIVERSE.replace("l=2", "l=3").replace("distinct-l-diversity", "p-sensitivity")
    run = shoal(folder, "audit", "stays.csv", "-q", "age", "--model", strict.replace("l=3", "p=3"))
    assert run.returncode == 5
    assert "p-sensitivity is broken by 2 group(s) with 4 row(s)" in run.stderr


def test_audit_takes_what_a_policy_demands(folder: Path) -> None:
    """Quasi-identifiers, k, models and entity; flags beside it are refused."""
    (folder / "stays.toml").write_text(
        '[source]\npath = "stays.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.illness]\nrole = "sensitive"\n[privacy]\nk = 2\nentity = "patient"\n'
        'models = [ { name = "distinct-l-diversity", attribute = "illness", l = 2 } ]\n'
        '[search]\nalgorithm = "hill-climb"\n[release]\npath = "out.csv"\n'
    )
    assert shoal(folder, "anonymize", "stays.toml").returncode == 0
    run = shoal(folder, "audit", "out.csv", "--policy", "stays.toml", "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)["models"]
    demanded = {key for key, model in told.items() if model["demand"] is not None}
    assert demanded == {"k-anonymity(patient)", "distinct-l-diversity"}
    run = shoal(folder, "audit", "out.csv", "--policy", "stays.toml", "-k", "3")
    assert (run.returncode, "leave out -k" in run.stderr) == (2, True)


def test_audit_says_which_column_is_gone(folder: Path) -> None:
    """Persons cannot be counted in a release without them."""
    shoal(folder, "anonymize", *FLAGS, "--entity", "patient", "-o", "out.csv")
    run = shoal(folder, "audit", "out.csv", "-q", "age", "-k", "2", "--entity", "patient")
    assert run.returncode == 2
    assert "no column 'patient', so nothing that needs it can be measured" in run.stderr


def test_audit_without_quasi_identifiers_is_a_usage_error(folder: Path) -> None:
    """One sentence with the way out."""
    run = shoal(folder, "audit", "stays.csv", "-k", "2")
    assert (run.returncode, "name the quasi-identifiers" in run.stderr) == (2, True)


def test_the_help_tells_of_models(folder: Path) -> None:
    """A panel of their own."""
    run = shoal(folder, "anonymize", "--help")
    for word in ("Privacy", "--model", "--entity", "--survey-weight", "--population"):
        assert word in run.stdout
