"""`shoal explain`: words on standard error, facts on standard output, the verdict in the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app

POLICY = """
[source]
path = "people.csv"
[attributes.race]
role = "quasi-identifier"
order = "sorted"
{race}
[attributes.zip]
role = "quasi-identifier"
type = "category"
[attributes.zip.hierarchy]
prefixes = [4, 3]
[privacy]
k = {k}
[objective]
cost = "discernibility"
suppression = {limit}
[search]
algorithm = "lattice"
"""
ROWS = [
    *("asian,94142", "asian,94141", "asian,94139", "asian,94139", "asian,94139"),
    *("black,94138", "black,94139", "white,94139", "white,94141"),
]


def policy_in(folder: Path, *, k: int = 2, limit: str = '"unlimited"', race: str = "") -> Path:
    """The survey's nine people, ZIP by digits."""
    (folder / "people.csv").write_text("race,zip\n" + "\n".join(ROWS) + "\n")
    path = folder / "policy.toml"
    path.write_text(POLICY.format(k=k, limit=limit, race=race))
    return path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    done = CliRunner().invoke(app, ["explain", *map(str, arguments)], env={"COLUMNS": "200"})
    return done.exit_code, done.stdout, done.stderr


def test_words_go_to_people_and_nothing_to_programs(tmp_path: Path) -> None:
    """The reason of each column, the prices, a line after each search."""
    code, out, err = run(policy_in(tmp_path))
    assert (code, out) == (0, "")
    assert "One level less of zip would leave at least 2 rows in groups below 2" in err
    assert "k = 1: optimal, cost 15, saves 18" in err
    assert "If race were no quasi-identifier, zip would gain most" in err


def test_json_has_the_promised_shape(tmp_path: Path) -> None:
    """What the report draws is there under its names."""
    code, out, err = run(policy_in(tmp_path), "--json", "--quiet")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts["attributes"][1]["name"] == "zip"
    assert {"released", "words"} <= facts["attributes"][1].keys()
    (step,) = facts["attributes"][1]["finer"]
    assert [step[key] for key in ("step", "groups_below", "rows_below", "sizes")] == ["level 1", 2, 2, [1, 1]]
    told = {"constraint": "k = 1", "cost": 15, "gap": 0.0, "status": "optimal", "saves": 18}
    assert told.items() <= facts["constraints"][0].items()


def test_markdown_is_printed_on_request(tmp_path: Path) -> None:
    """Headings and tables; columns alone without --constraints."""
    code, out, _ = run(policy_in(tmp_path), "--markdown", "--quiet", "--no-constraints")
    assert code == 0
    assert out.startswith("## Release\n")
    assert "| zip | level 2 of 2; 1 label |" in out
    assert "## Constraints" not in out


def test_an_infeasible_policy_is_explained_with_exit_code_3(tmp_path: Path) -> None:
    """What stands in the way is told; `anonymize` could only refuse."""
    race = "max_level = 0"
    code, _, err = run(policy_in(tmp_path, k=3, limit="0", race=race), "--quiet", "--json")
    assert (code, err) == (3, "")
    code, out, err = run(policy_in(tmp_path, k=3, limit="0", race=race))
    assert (code, out) == (3, "")
    assert "Each of these alone would make a release possible: k = 2; " in err
    assert "any level of race" in err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["people.csv"], 2, "shoal explain takes a policy (.toml)"),
        (["nowhere.toml"], 6, "cannot read the policy"),
        (["policy.toml", "--seconds", "-1"], 2, "seconds must not be negative"),
        ([], 2, "Missing argument"),
    ],
)
def test_bad_input_has_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    """Usage, files, numbers."""
    policy_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert words in err
