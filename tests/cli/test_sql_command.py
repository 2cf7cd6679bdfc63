"""`shoal sql`: a policy in, a view for the warehouse out; no row is written."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from typer.testing import CliRunner

from shoal.cli.app import app

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
[attributes.job]
role = "sensitive"
[privacy]
k = {k}
{more}
"""


def policy_in(folder: Path, k: int = 3, more: str = "") -> Path:
    """A policy and its table of twenty people."""
    rows = [f"n{n},{20 + n % 4},{('02138', '02139', '10001')[n % 3]},{'abc'[n % 3]}" for n in range(20)]
    (folder / "people.csv").write_text("name,age,zip,job\n" + "\n".join(rows) + "\n")
    path = folder / "policy.toml"
    path.write_text(POLICY.format(k=k, more=more))
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    result = CliRunner().invoke(app, ["sql", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_a_view_is_printed_and_runs(tmp_path: Path) -> None:
    """On standard output, ready for DuckDB; it has what `anonymize` writes, and no identifier."""
    code, text, said = run(policy_in(tmp_path))
    assert code == 0
    assert said.startswith("optimal   loss ")
    assert CliRunner().invoke(app, ["anonymize", str(tmp_path / "policy.toml")]).exit_code == 0
    with duckdb.connect() as connection:
        types = "{'name': 'VARCHAR', 'age': 'INTEGER', 'zip': 'VARCHAR', 'job': 'VARCHAR'}"
        connection.execute(
            f"CREATE TABLE people AS FROM read_csv('{tmp_path}/people.csv', columns = {types})"
        )
        connection.execute(text)
        view = connection.execute("SELECT columns(*)::VARCHAR FROM people_k3 ORDER BY ALL").fetchall()
        names = [column[0] for column in connection.description]
        written = f"read_csv('{tmp_path}/people-k3.csv', all_varchar = true)"
        assert connection.execute(f"FROM {written} ORDER BY ALL").fetchall() == view
    assert names == ["age", "zip", "job"]


def test_every_form_and_name_is_as_asked(tmp_path: Path) -> None:
    """A view of a table in a schema, a query, a model of dbt."""
    policy = policy_in(tmp_path)
    _, view, _ = run(policy, "--dialect", "postgres", "--table", "raw.people", "--name", "open.people")
    created = sqlglot.parse_one(view, read="postgres")
    assert isinstance(created, exp.Create)
    assert created.this.sql() == '"open"."people"'
    assert "security_barrier" in view
    assert 'FROM "raw"."people" AS s' in view
    _, query, _ = run(policy, "--as", "select")
    assert isinstance(sqlglot.parse_one(query, read="duckdb"), exp.Select)
    _, model, _ = run(policy, "--as", "dbt", "--dialect", "snowflake", "--table", "raw.people")
    assert "{{ config(materialized='view', alias='people_k3', secure=true) }}" in model
    assert "FROM {{ source('raw', 'people') }} AS s" in model


def test_files_are_written_whole_and_say_what_was_found(tmp_path: Path) -> None:
    """The SQL and, on request, the facts; nothing else appears."""
    policy = policy_in(tmp_path)
    target, facts = tmp_path / "view.sql", tmp_path / "facts.json"
    code, text, said = run(policy, "--output", target, "--manifest", facts)
    assert (code, text) == (0, "")
    assert "nothing was released" in said
    assert target.read_text() == run(policy)[1]
    assert json.loads(facts.read_text())["status"] == "optimal"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"people.csv", "policy.toml", "view.sql", "facts.json"}


def test_search_flags_are_heeded(tmp_path: Path) -> None:
    """The comment names the algorithm."""
    policy = policy_in(tmp_path)
    assert "algorithm mondrian;" in run(policy, "--algorithm", "mondrian")[1]
    code, text, said = run(policy, "--algorithm", "mondrian", "--require-optimal")
    assert (code, text) == (4, "")
    assert "not proved" in said


def test_what_the_view_does_not_check_is_said(tmp_path: Path) -> None:
    """As a warning for people, also with --quiet."""
    model = '[[privacy.models]]\nname = "t-closeness"\nattribute = "job"\nt = 0.5'
    code, text, said = run(policy_in(tmp_path, more=model), "--quiet")
    assert code == 0
    words = "shoal: warning: the SQL does not check t-closeness: it holds for the rows that were counted\n"
    assert words in said
    assert "NOT checked here: t-closeness" in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--dialect", "mysqll"], 2, "Did you mean 'mysql'"),
        (["--as", "table"], 2, "view, select, dbt"),
        (["--table", "a b; --"], 2, "is not a name of a table"),
        (["--output", "people.csv"], 2, "is the source itself"),
        (["--output", "policy.toml"], 2, "is the policy itself"),
        (["--manifest", "none/facts.json"], 6, "cannot write"),
    ],
)
def test_mistakes_end_with_a_sentence_and_a_code(
    arguments: list[str], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2 for the user's, 6 for the world's."""
    policy = policy_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    found, _, said = run(policy, *arguments)
    assert found == code
    assert words in said


def test_a_table_is_no_policy(tmp_path: Path) -> None:
    """What shapes the release is said in a file, which can be reviewed like the SQL."""
    policy_in(tmp_path)
    code, _, said = run(tmp_path / "people.csv")
    assert code == 2
    assert "takes a policy" in said


def test_a_demand_that_cannot_be_met_prints_no_sql(tmp_path: Path) -> None:
    """Exit code 2 or 3, and nothing on standard output."""
    code, text, _ = run(policy_in(tmp_path, k=21))
    assert code in (2, 3)
    assert text == ""
