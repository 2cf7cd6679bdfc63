"""PostgreSQL's session, whatever the driver: what it looks up, keeps, hands out and leaves behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import adbc_driver_postgresql.dbapi
import numpy as np
import psycopg
import psycopg2
import pytest
from psycopg.rows import dict_row
from sqlglot import exp, parse_one

from shoal.engines.postgres.session import PostgresSession
from shoal.errors import EngineError, PolicyError
from tests.engines.postgres_server import Database
from tests.patience import PATIENCE, until

CONNECTIONS = (
    "adbc",
    "adbc, autocommit",
    "psycopg",
    "psycopg, autocommit",
    "psycopg2",
    "psycopg2, autocommit",
)
ODD_TEXTS = [
    "",
    " ",
    "'",
    '"',
    "\\",
    "\\N",
    "a\tb",
    "a\nb\r",
    "ä",
    "日本",
    "🐟",
    "%s",
    "{}",
    "null",
    "x" * 10_000,
]


def connected(kind: str, url: str) -> Any:
    """A connection as a user could have made it."""
    library, _, rest = kind.partition(", ")
    if library == "adbc":
        return adbc_driver_postgresql.dbapi.connect(url, autocommit=bool(rest))
    if library == "psycopg":
        return psycopg.connect(url, autocommit=bool(rest), row_factory=dict_row)  # type: ignore[arg-type]
    connection = psycopg2.connect(url)
    connection.autocommit = bool(rest)
    return connection


@contextmanager
def speaking(kind: str, database: Database) -> Iterator[PostgresSession]:
    """A session over a connection of some kind; its own when the kind is "url"."""
    if kind == "url":
        session = PostgresSession(database.url)
        try:
            yield session
        finally:
            session.close()
        return
    connection = connected(kind, database.url)
    session = PostgresSession(connection)
    try:
        yield session
    finally:
        session.close()
        connection.close()


@pytest.fixture(params=("url", *CONNECTIONS))
def session(request: pytest.FixtureRequest, postgres_for_all: Database) -> Iterator[PostgresSession]:
    """A session over each kind of connection."""
    with speaking(request.param, postgres_for_all) as made:
        yield made


def query(text: str) -> exp.Expression:
    """A query in PostgreSQL's words."""
    return parse_one(text, dialect="postgres")


def test_rows_are_of_pythons_own_types(session: PostgresSession) -> None:
    """Numbers, texts and truth values come as Python has them, and NULL as None."""
    found = session.rows(
        query("SELECT 1, CAST(2 AS BIGINT), 'ä', TRUE, NULL, sum(x) FROM (VALUES (1)) v(x)"), "q"
    )
    assert found == [(1, 2, "ä", True, None, 1)]


def test_arrays_mask_null_and_keep_whole_numbers_exact(session: PostgresSession) -> None:
    """A number above 2**53 beside a NULL is still that number."""
    found = session.arrays(
        query("SELECT a, a > 1 AS b FROM (VALUES (9007199254740993), (NULL), (-1)) v(a) ORDER BY a"), "q"
    )
    assert found["a"].tolist() == [-1, 9007199254740993, None]
    assert found["b"].tolist() == [False, True, None]
    assert found["a"].dtype.kind == "i"


def test_arrays_of_an_empty_answer_are_empty(session: PostgresSession) -> None:
    """No rows are arrays of length zero, each with its name."""
    found = session.arrays(query("SELECT 1 AS a, TRUE AS b WHERE FALSE"), "q")
    assert {name: len(array) for name, array in found.items()} == {"a": 0, "b": 0}


def test_arrays_take_sums_that_postgresql_calls_numeric(session: PostgresSession) -> None:
    """The sum of a BIGINT is NUMERIC there; it is a whole number all the same."""
    found = session.arrays(query("SELECT sum(CAST(x AS BIGINT)) AS s FROM (VALUES (1), (2)) v(x)"), "q")
    assert found["s"].tolist() == [3]


def test_uploaded_cells_come_back_as_they_were(session: PostgresSession) -> None:
    """Signs that a driver's format uses for itself are cells like others."""
    numbers = np.arange(len(ODD_TEXTS) + 1, dtype=np.int64) + 2**40
    truths = numbers % 2 == 0
    small = numbers.astype(np.uint8)
    kept = session.upload("t", {'odd "name"': [*ODD_TEXTS, None], "n": numbers, "b": truths, "u": small})
    found = session.rows(exp.select("*").from_(kept).order_by("n"), "q")
    assert [row[0] for row in found] == [*ODD_TEXTS, None]
    assert [row[1:] for row in found] == list(
        zip(numbers.tolist(), truths.tolist(), small.tolist(), strict=True)
    )


def test_a_dictionary_finds_each_cell_and_the_missing_one(session: PostgresSession) -> None:
    """Positions follow the order of code points, and the missing cell comes after the last."""
    kept = session.upload("t", {"c": [*ODD_TEXTS, None]})
    cells = exp.select("c").from_(kept.copy()).where("NOT c IS NULL")
    dictionary, texts = session.dictionary(cells, "q")
    assert texts == sorted(ODD_TEXTS)
    assert dictionary.size == len(ODD_TEXTS)
    own = looked_up(session, dictionary, kept, None)
    assert own == {**{text: at for at, text in enumerate(texts)}, None: len(texts)}


def test_a_dictionary_gives_other_numbers_and_null_for_negative_ones(session: PostgresSession) -> None:
    """`of_cell` renumbers the cells; some have no number, and several the same."""
    kept = session.upload("t", {"c": ["a", "b", "c", None]})
    dictionary, _ = session.dictionary(exp.select("c").from_(kept.copy()).where("NOT c IS NULL"), "q")
    for numbers in ([7, -1, 7, 3], [0, 1, 2, -1], [-1, -1, -1, -1]):
        found = looked_up(session, dictionary, kept, np.array(numbers, np.int32))
        assert found == {
            cell: None if number < 0 else number for cell, number in zip("abc", numbers[:3], strict=True)
        } | {None: None if numbers[3] < 0 else numbers[3]}


def test_an_empty_dictionary_knows_only_the_missing_cell(session: PostgresSession) -> None:
    """A column without a single cell is all missing."""
    kept = session.upload("t", {"c": [None]})
    dictionary, texts = session.dictionary(exp.select("c").from_(kept.copy()).where("NOT c IS NULL"), "q")
    assert texts == []
    assert looked_up(session, dictionary, kept, None) == {None: 0}
    assert looked_up(session, dictionary, kept, np.array([-1], np.int32)) == {None: None}


def looked_up(session: PostgresSession, dictionary: Any, kept: exp.Table, of_cell: Any) -> dict[Any, Any]:
    looked = dictionary.value(exp.column("c", table="t"), of_cell)
    statement = exp.select("t.c", looked.value).from_(exp.alias_(kept.copy(), "t", table=True))
    if looked.join is not None:
        statement = statement.join(looked.join)
    found = session.rows(statement, "q")
    assert len(found) == len(dict(found)), "a lookup neither drops nor multiplies rows"
    return dict(found)


def test_listed_texts_are_found_by_position(session: PostgresSession) -> None:
    """A position out of NULLs and odd texts; NULL has no text."""
    texts = [*ODD_TEXTS, None]
    places = session.upload("p", {"p": np.arange(len(texts))})
    found = session.rows(exp.select(session.listed(texts, exp.column("p"))).from_(places).order_by("p"), "q")
    assert [text for (text,) in found] == texts
    assert session.rows(exp.select(session.listed(["a"], exp.null())), "q") == [(None,)]


@pytest.mark.parametrize("kind", ["url", *CONNECTIONS])
def test_cells_read_alike_whatever_the_server_is_set_to(postgres: Database, kind: str) -> None:
    """Time zone, date style and float digits of the database do not change a cell's text."""
    for name, value in (("TimeZone", "Asia/Kolkata"), ("DateStyle", "German"), ("extra_float_digits", "0")):
        postgres.execute(f"ALTER DATABASE {postgres.name} SET {name} = '{value}'")
    with speaking(kind, postgres) as session:
        assert session.rows(
            query(
                "SELECT CAST(CAST('2020-02-01 12:00+00' AS TIMESTAMPTZ) AS TEXT), "
                "CAST(CAST('2020-02-01' AS DATE) AS TEXT), CAST(CAST(0.1 AS DOUBLE PRECISION) * 3 AS TEXT)"
            ),
            "q",
        ) == [("2020-02-01 12:00:00+00", "2020-02-01", "0.30000000000000004")]


@pytest.mark.parametrize("kind", ["url", *CONNECTIONS])
def test_a_run_sees_one_state_of_the_database(postgres: Database, kind: str) -> None:
    """What others commit during a run is not seen in it."""
    postgres.store("t", {"x": [1]}, {"x": "int"})
    count = query("SELECT count(*) FROM t")
    with speaking(kind, postgres) as session:
        assert session.rows(count, "q") == [(1,)]
        postgres.execute("INSERT INTO t VALUES (2)")
        assert session.rows(count, "q") == [(1,)]


@pytest.mark.parametrize("kind", CONNECTIONS)
def test_a_users_connection_is_given_back_as_it_was(postgres: Database, kind: str) -> None:
    """It is open and idle, its settings are its own, and nothing of the run is left."""
    connection = connected(kind, postgres.url)
    session = PostgresSession(connection)
    kept = session.upload("t", {"c": ["a"]})
    session.close()
    settings = ", ".join(
        f"current_setting('{name}')" for name in ("TimeZone", "transaction_isolation", "work_mem")
    )
    asked = f"SELECT concat_ws(' ', {settings}, to_regclass('{kept.name}')) AS found"
    with connection.cursor() as cursor:
        cursor.execute(asked)
        found = cursor.fetchone()
    assert (tuple(found.values()) if isinstance(found, dict) else found) == postgres.rows(asked)[0]
    connection.rollback()
    autocommitted = kind.endswith("autocommit")
    assert getattr(connection, "autocommit", getattr(connection, "_autocommit", None)) == autocommitted
    state = (
        "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert postgres.rows(state) == [("idle",)]
    connection.close()


@pytest.mark.parametrize("kind", [each for each in CONNECTIONS if not each.endswith("autocommit")])
def test_a_connection_with_uncommitted_work_is_refused(postgres: Database, kind: str) -> None:
    """Publishing would commit the user's work with ours; one that has only read is taken."""
    postgres.execute("CREATE TABLE theirs (x int)")
    connection = connected(kind, postgres.url)
    cursor = connection.cursor()
    cursor.execute("INSERT INTO theirs VALUES (1)")
    session = PostgresSession(connection)
    with pytest.raises(PolicyError, match="uncommitted"):
        session.rows(query("SELECT 1"), "q")
    session.close()
    connection.commit()
    assert postgres.rows("SELECT * FROM theirs") == [(1,)], "their work is theirs to commit"
    cursor.execute("SELECT 1")
    cursor.fetchall()
    session = PostgresSession(connection)
    assert session.rows(query("SELECT 1"), "q") == [(1,)]
    session.close()
    cursor.close()
    connection.close()


@pytest.mark.parametrize("kind", ["adbc", "psycopg", "psycopg2"])
def test_a_connection_whose_transaction_has_failed_is_refused(postgres: Database, kind: str) -> None:
    """Rolled back by the user, it is taken."""
    connection = connected(kind, postgres.url)
    with connection.cursor() as cursor, pytest.raises(Exception, match="division by zero"):
        cursor.execute("SELECT 1 / 0")
    session = PostgresSession(connection)
    with pytest.raises(PolicyError, match="roll it back first"):
        session.rows(query("SELECT 1"), "q")
    connection.rollback()
    assert session.rows(query("SELECT 1"), "q") == [(1,)]
    session.close()
    connection.close()


def test_a_block_that_is_a_transaction_is_refused(postgres: Database) -> None:
    """psycopg ends it when the block ends, and nothing else may."""
    with psycopg.connect(postgres.url) as connection, connection.transaction():
        session = PostgresSession(connection)
        with pytest.raises(PolicyError, match="uncommitted"):
            session.rows(query("SELECT 1"), "q")
        session.close()


@pytest.mark.parametrize("kind", ["url", "psycopg", "psycopg2"])
def test_ctrl_c_stops_the_statement_at_the_server(postgres: Database, kind: str) -> None:
    """The run ends with KeyboardInterrupt before the statement would, and the server works no longer."""

    def works() -> bool:
        active = "SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
        return bool(postgres.rows(f"{active} AND query ILIKE '%pg_sleep(%'"))

    def press() -> None:
        until(works)
        os.kill(os.getpid(), signal.SIGINT)

    with speaking(kind, postgres) as session:
        session.rows(query("SELECT 1"), "q")
        pressing, began = threading.Thread(target=press), time.monotonic()
        pressing.start()
        with pytest.raises(KeyboardInterrupt):
            session.keep("t", query(f"SELECT 1 AS a FROM pg_sleep({PATIENCE})"), "q")
        assert time.monotonic() - began < PATIENCE
        pressing.join()
    until(lambda: not works())


def test_a_connection_of_another_kind_is_refused() -> None:
    """The message says which ones are taken."""
    with pytest.raises(PolicyError, match="psycopg or psycopg2; this is a builtins"):
        PostgresSession(3)


@pytest.mark.parametrize("kind", ["url", "psycopg", "psycopg2"])
def test_a_lost_connection_is_named(postgres: Database, kind: str) -> None:
    """A server that ends the connection in the middle is an EngineError, and closing is still fine."""
    with speaking(kind, postgres) as session:
        ((pid,),) = session.rows(query("SELECT pg_backend_pid()"), "q")
        postgres.execute(f"SELECT pg_terminate_backend({pid})")
        for _ in range(2):
            with pytest.raises(EngineError, match="the source: the connection to the server was lost"):
                session.rows(query("SELECT 1"), "the source")


@pytest.mark.parametrize("kind", ["url", "psycopg", "psycopg2"])
def test_errors_never_quote_a_cell(postgres: Database, kind: str) -> None:
    """The server quotes the text that it cannot read as a number; the message does not."""
    with speaking(kind, postgres) as session, pytest.raises(EngineError) as caught:
        session.rows(query("SELECT CAST(c AS INTEGER) FROM (VALUES ('Ann''s secret')) v(c)"), "the source")
    assert str(caught.value) == "the source: a value does not fit its type"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "wrong-secret"}, "the login failed"),
        ({"user": "nobody"}, "the login failed"),
        ({"database": "nowhere"}, "database does not exist"),
        ({"port": 1}, "no server answers"),
        ({"host": "no-such-host.invalid"}, "host does not exist"),
        ({"password": "a b"}, "percent-encode"),
    ],
)
def test_why_there_is_no_connection_is_said_without_the_password(
    postgres: Database, change: dict[str, Any], words: str
) -> None:
    """libpq's own messages repeat parts of the address."""
    server = postgres.server
    parts = {"user": "postgres", "password": server.password, "host": "127.0.0.1", "port": server.port}
    parts |= {"database": postgres.name, **change}
    url = "postgres://{user}:{password}@{host}:{port}/{database}".format(**parts)
    with pytest.raises(EngineError, match=words) as caught:
        PostgresSession(url)
    assert parts["password"] not in str(caught.value)
    assert caught.value.__context__ is None
