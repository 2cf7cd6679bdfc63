"""Tables of DuckDB whose names, columns and collations invite a mistake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

import shoal
from shoal.auditor import audit
from shoal.cli.app import app
from shoal.engines.connection import engine_for
from shoal.errors import PolicyError


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def people(connection: Any, more: str = "i") -> None:
    connection.execute(
        "CREATE TABLE people AS SELECT 'p' || (i // 6) AS name, i % 3 AS age, 1 + i % 2 AS stands, "
        f"{more} FROM range(24) AS t(i)"
    )


@pytest.mark.filterwarnings("ignore:the release keeps the order:shoal.ShoalWarning")
@pytest.mark.parametrize("name", ["e0", "E0", "w", "kept", "c0", "i0", "x0", "p_", "o_", "star", "r", "n"])
@pytest.mark.parametrize("asked", ["persons", "weights"])
def test_columns_named_like_ours_change_no_verdict(
    connection: duckdb.DuckDBPyConnection, name: str, asked: str
) -> None:
    """What was kept beside the release was taken from its column of the same name."""
    people(connection, f'i AS "{name}"')
    more: dict[str, Any] = (
        {"entity": "name"}
        if asked == "persons"
        else {"survey_weight": "stands", "models": [{"name": "k-map", "k": 2}]}
    )
    release = shoal.anonymize(
        connection,
        table="people",
        path="released",
        quasi_identifiers=["age"],
        identifiers=["name", "stands"],
        k=2,
        **more,
    )
    assert release.verdict.models[0].measured == (4 if asked == "persons" else 12)
    cells = connection.execute(f'SELECT "{name}" FROM released').fetchall()
    assert sorted(cells) == [(row,) for row in range(24)]


def test_a_name_with_another_database_is_refused(connection: duckdb.DuckDBPyConnection) -> None:
    """The table of the same name in this database was released in its place."""
    people(connection)
    connection.execute("ATTACH ':memory:' AS other; CREATE TABLE other.people AS SELECT 1 AS age")
    with pytest.raises(PolicyError, match="in a different database"):
        shoal.anonymize(
            connection, table="other.main.people", path="released", quasi_identifiers=["age"], k=2
        )


def test_tables_are_looked_for_where_the_connection_does(connection: duckdb.DuckDBPyConnection) -> None:
    """After USE, the table of the same name in the first schema was released."""
    people(connection)
    connection.execute("CREATE SCHEMA mine; USE mine; CREATE TABLE people AS SELECT 7 AS age FROM range(5)")
    shoal.anonymize(connection, table="people", path="released", quasi_identifiers=["age"], k=2)
    assert connection.execute("SELECT count(*) FROM mine.released").fetchall() == [(5,)]


def test_uncommitted_work_is_refused(connection: duckdb.DuckDBPyConnection) -> None:
    """The release would be of rows that the connection no longer sees."""
    people(connection)
    connection.execute("BEGIN; DELETE FROM people WHERE age = 1")
    with pytest.raises(PolicyError, match="uncommitted"):
        shoal.anonymize(connection, table="people", path="released", quasi_identifiers=["age"], k=2)
    connection.execute("COMMIT")
    shoal.anonymize(connection, table="people", path="released", quasi_identifiers=["age"], k=2)
    assert connection.execute("SELECT count(*) FROM released").fetchall() == [(16,)]


def test_an_answer_that_is_not_fetched_is_named(connection: duckdb.DuckDBPyConnection) -> None:
    people(connection)
    connection.execute("SELECT * FROM range(5000)").fetchone()
    with pytest.raises(PolicyError, match="fetched to its end"):
        shoal.anonymize(connection, table="people", path="released", quasi_identifiers=["age"], k=2)


def test_a_release_is_not_its_own_source_in_capitals(connection: duckdb.DuckDBPyConnection) -> None:
    """Names of DuckDB are alike whatever their case: the source was replaced."""
    people(connection)
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2}
    shoal.anonymize(connection, table="people", path="released", **asked)
    with pytest.raises(PolicyError, match="the release is the source itself"):
        shoal.anonymize(connection, table="released", path="RELEASED", **asked)


@pytest.mark.parametrize("by", ["column", "setting"])
def test_texts_are_compared_by_their_bytes(connection: duckdb.DuckDBPyConnection, by: str) -> None:
    """A collation takes Bob and bob for equal, and a reader does not: they were one group of two."""
    if by == "setting":
        connection.execute("SET default_collation = 'nocase'")
    declared = "VARCHAR COLLATE NOCASE" if by == "column" else "VARCHAR"
    connection.execute(f"CREATE TABLE people (name {declared})")
    connection.execute("INSERT INTO people VALUES ('Bob'), ('bob'), ('ann'), ('Ann')")
    source = shoal.TableSource(connection=connection, table="people")
    with engine_for(source) as engine:
        assert audit(engine, source, ["name"], 2).measured.smallest == 1
    shoal.anonymize(connection, table="people", path="released", quasi_identifiers=["name"], k=2)
    labels = connection.execute('SELECT DISTINCT name COLLATE "binary" FROM released ORDER BY 1').fetchall()
    assert len(labels) == 2
    assert connection.execute("SELECT current_setting('default_collation')").fetchall() == [
        ("nocase" if by == "setting" else "",)
    ]


def test_a_table_is_audited_and_inspected_by_its_url(tmp_path: Path) -> None:
    """The audit took a table of DuckDB for a data frame."""
    with duckdb.connect(tmp_path / "people.db") as connection:
        people(connection)
    where = [f"duckdb:///{tmp_path}/people.db", "--table", "people"]
    found = CliRunner().invoke(app, ["audit", *where, "-q", "age", "-k", "8"])
    assert found.exit_code == 0, found.output
    assert CliRunner().invoke(app, ["audit", *where, "-q", "age", "-k", "9"]).exit_code == 5
    assert CliRunner().invoke(app, ["inspect", *where]).exit_code == 0


@pytest.mark.parametrize(
    "cell",
    ["340282366920938463463374607431768211455::UHUGEINT", "'10:00:00+01'::TIMETZ", "[5::BIT]"],
)
def test_relations_with_cells_that_arrow_changes_are_refused(
    connection: duckdb.DuckDBPyConnection, cell: str
) -> None:
    """The greatest number was released as -1."""
    relation = connection.sql(f"SELECT 1 AS age, {cell} AS cell FROM range(4)")
    with pytest.raises(PolicyError, match=r"column 'cell' is of type .* cast it to VARCHAR"):
        shoal.anonymize(relation, quasi_identifiers=["age"], k=2)
    told = connection.sql(f"SELECT 1 AS age, CAST({cell} AS VARCHAR) AS cell FROM range(4)")
    shoal.anonymize(told, quasi_identifiers=["age"], k=2)


@pytest.mark.parametrize(
    "cell", ["100000000000000000001::HUGEINT", "INTERVAL '1.123456 seconds'", "'10:00:00+01'::TIMETZ"]
)
def test_tables_with_cells_that_parquet_changes_are_refused(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, cell: str
) -> None:
    """A number of 21 digits was released as 1e20; a table and CSV have it whole."""
    connection.execute(f"CREATE TABLE people AS SELECT 1 AS age, {cell} AS cell FROM range(4)")
    asked: dict[str, Any] = {"table": "people", "quasi_identifiers": ["age"], "k": 2}
    with pytest.raises(PolicyError, match=r"column 'cell' is of type .* cast it to VARCHAR"):
        shoal.anonymize(connection, path=tmp_path / "released.parquet", **asked)
    shoal.anonymize(connection, path=tmp_path / "released.csv", **asked)
    shoal.anonymize(connection, path="released", **asked)
    found = connection.execute("SELECT count(DISTINCT cell) FROM (FROM people UNION ALL FROM released)")
    assert found.fetchall() == [(1,)]
