"""Tables behind a connection, from the command line: by URL and flags, and by a policy."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.cli.command import shoal

POLICY = """
[source]
connection = "duckdb:///people.db"
table = "people"
[attributes.age]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
[privacy]
k = 5
[release]
path = "released"
"""
SECRET = "pa%24sword-7"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "people.db"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE people AS "
            "SELECT i AS id, 20 + i * 7 % 30 AS age, 'z' || i % 4 AS zip FROM range(200) t(i)"
        )
    return path


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(database, read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_flags_release_a_table_into_its_database(database: Path) -> None:
    """The release is called like the source, with k; its manifest is the comment on it."""
    url = f"duckdb:///{database}"
    asked = ("--table", "people", "-q", "age,zip", "--identifiers", "id", "-k", "5")
    ran = shoal(database.parent, "anonymize", url, *asked)
    assert ran.returncode == 0, ran.stderr
    assert "people_k5: 200 rows" in ran.stderr
    ((comment,),) = rows(database, "SELECT comment FROM duckdb_tables() WHERE table_name = 'people_k5'")
    assert json.loads(str(comment))["audit"]["k-anonymity"] >= 5
    assert rows(
        database, "SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM people_k5 GROUP BY age, zip)"
    ) == [(True,)]
    again = shoal(database.parent, "audit", url, "--table", "people_k5", "-q", "age,zip", "-k", "5", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["holds"]


def test_a_policy_names_connection_and_table(database: Path) -> None:
    """The file of a DuckDB database is relative to the policy; its tables can be inspected."""
    (database.parent / "policy.toml").write_text(POLICY)
    elsewhere = database.parent / "elsewhere"
    elsewhere.mkdir()
    ran = shoal(elsewhere, "anonymize", "../policy.toml", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["rows"] == 200
    assert rows(database, "SELECT count(*) FROM released") == [(200,)]
    inspected = shoal(elsewhere, "inspect", "duckdb:///../people.db", "--table", "released")
    assert inspected.returncode == 0, inspected.stderr
    assert "zip" in inspected.stdout + inspected.stderr


def test_a_table_can_be_released_to_a_file(database: Path) -> None:
    ran = shoal(
        database.parent,
        "anonymize",
        "duckdb:///people.db",
        "--table",
        "people",
        "-q",
        "age",
        "-k",
        "5",
        "-o",
        "x.csv",
    )
    assert ran.returncode == 0, ran.stderr
    assert (database.parent / "x.csv.manifest.json").exists()


@pytest.mark.parametrize(
    ("url", "table", "code", "words"),
    [
        ("duckdb:///people.db", None, 2, "a connection needs the name of a table: --table NAME"),
        ("people.db", None, 2, "a database is named as duckdb:///FILE, with a table"),
        ("duckdb:///people.db", "peple", 2, "the database has no table 'peple'"),
        ("duckdb:///nowhere.db", "people", 6, "the database file nowhere.db does not exist"),
        ("mysql://host/db", "people", 2, "a connection is a URL that begins with duckdb:///, postgres://"),
        (f"postgres://me:{SECRET}@127.0.0.1:1/db", "people", 6, "cannot connect to PostgreSQL"),
    ],
)
def test_what_cannot_be_reached_is_told_without_a_password(
    database: Path, url: str, table: str | None, code: int, words: str
) -> None:
    named = () if table is None else ("--table", table)
    ran = shoal(database.parent, "anonymize", url, *named, "-q", "age", "-k", "5")
    assert ran.returncode == code, ran.stderr
    assert words in " ".join(ran.stderr.split())
    assert SECRET not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_table_that_is_no_release_is_not_replaced(database: Path) -> None:
    """Somebody else's table stays as it is."""
    with duckdb.connect(database) as connection:
        connection.execute("CREATE TABLE precious AS SELECT 1 AS x")
    asked = ("--table", "people", "-q", "age", "-k", "5", "-o", "precious")
    ran = shoal(database.parent, "anonymize", "duckdb:///people.db", *asked)
    assert ran.returncode == 2
    assert "exists and is not a release of Shoal" in " ".join(ran.stderr.split())
    assert rows(database, "SELECT x FROM precious") == [(1,)]
