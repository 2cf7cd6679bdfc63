"""Tables of PostgreSQL whose names, collations and transactions invite a mistake."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import shoal
from shoal.auditor import audit
from shoal.engines.connection import engine_for
from shoal.errors import EngineError, PolicyError
from tests.engines.postgres_server import Database

ASKED: dict[str, Any] = {"table": "people", "quasi_identifiers": ["age"], "k": 2}


@pytest.fixture
def people(postgres: Database) -> Database:
    postgres.execute("CREATE TABLE people AS SELECT i % 3 AS age FROM generate_series(1, 12) AS i")
    return postgres


def test_a_name_that_is_cut_off_replaces_no_other_release(people: Database) -> None:
    """PostgreSQL cuts a name off after 63 bytes, also one that it is asked for."""
    name = "x" * 63
    shoal.anonymize(people.url, path=name, **ASKED)
    (before,) = people.rows(f"SELECT obj_description('{name}'::regclass)")
    with pytest.raises(PolicyError, match="more than 63 bytes"):
        shoal.anonymize(people.url, path=name + "y", **{**ASKED, "k": 4})
    with pytest.raises(PolicyError, match="more than 63 bytes"):
        shoal.anonymize(people.url, path="y", **{**ASKED, "table": name + "y"})
    assert people.rows(f"SELECT obj_description('{name}'::regclass)") == [before]


def test_work_that_is_refused_is_not_taken_back(people: Database) -> None:
    """The connection's work was rolled back, and then the user told to commit it."""
    with psycopg.connect(people.url) as connection:
        connection.execute("INSERT INTO people VALUES (99)")
        with pytest.raises(PolicyError, match="uncommitted"):
            shoal.anonymize(connection, path="released", **ASKED)
        connection.commit()
        assert connection.execute("SELECT count(*) FROM people WHERE age = 99").fetchall() == [(1,)]
        connection.commit()


def test_work_of_adbc_that_is_refused_is_not_taken_back(people: Database) -> None:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(people.url) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO people VALUES (99)")
        with pytest.raises(PolicyError, match="uncommitted"):
            shoal.anonymize(connection, path="released", **ASKED)
        connection.commit()
    assert people.rows("SELECT count(*) FROM people WHERE age = 99") == [(1,)]


@pytest.mark.parametrize("type_", ["text COLLATE nocase", "text[] COLLATE nocase"])
def test_cells_are_compared_by_their_bytes(postgres: Database, type_: str) -> None:
    """Of arrays, too, whose text keeps the collation of the column: Bob and bob were one group of two."""
    postgres.execute(
        "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    postgres.execute(f"CREATE TABLE people (name {type_})")
    for name in ("Bob", "bob", "Ann", "ann"):
        cell = f"ARRAY['{name}']" if "[]" in type_ else f"'{name}'"
        postgres.execute(f"INSERT INTO people VALUES ({cell})")
    source = shoal.TableSource(connection=postgres.url, table="people")
    with engine_for(source) as engine:
        assert audit(engine, source, ["name"], 2).measured.smallest == 1
    release = shoal.anonymize(postgres.url, table="people", path="released", quasi_identifiers=["name"], k=2)
    assert release.verdict.k == 2


def test_an_address_that_cannot_be_read_is_quoted_nowhere() -> None:
    """Not even by the error that was there before, which libpq writes the password into."""
    with pytest.raises(EngineError, match="the address cannot be read") as raised:
        shoal.anonymize("postgres://user:hush%zz@127.0.0.1:1/people", path="released", **ASKED)
    error: BaseException | None = raised.value
    while error is not None:
        assert "hush" not in str(error)
        error = error.__cause__ or error.__context__
