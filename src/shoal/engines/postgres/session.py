"""A PostgreSQL session: one transaction for a whole run, and errors that never quote a cell.

With REPEATABLE READ, counting, writing and auditing see one state of the database, whatever others change
meanwhile. Kept tables are temporary and end with the transaction.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.postgres.drivers import AdbcDriver, Driver, driver_of
from shoal.engines.postgres.errors import LOST, fault
from shoal.engines.postgres.lookups import CELL, COLUMN, NUMBER, ROWS, PostgresDictionary, PostgresRegister
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Column, Dictionary, Register, TransactionSession
from shoal.engines.sql.worker import Worker
from shoal.errors import EngineError, PolicyError

T = TypeVar("T")

WORK_MEMORY = 64
"""Megabytes per sort or hash table. A GROUP BY of a million rows took 1.4 s; 5.5 with the server's own 4."""

MOST_DIGITS = 38
"""Of a decimal in DuckDB and Parquet."""

# Settings that make cells read the same on every server, and let the transaction wait for a search.
_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "idle_in_transaction_session_timeout": "0",
    # For our own tables, and for the release until the server analyzes it by itself, after the commit. A
    # tenth of the server's sample: 0.02 processor seconds instead of 0.14 for 100,000 combinations.
    "default_statistics_target": "10",
    # Compiling takes longer than it saves on a million rows: 2.6 processor seconds for a join, 2.3 without.
    "jit": "off",
}

_MISSING = "\x1f"
"""What a missing cell is hashed as. If a table has such a text, too, rows are not found by hashes."""

_UNSURE = (
    "the connection to the server was lost during the commit. The release is complete or absent; "
    "check its table before you run again"
)


class PostgresSession(TransactionSession):
    """A transaction of a connection, begun when the first statement runs.

    Parameters
    ----------
    connection
        An address, `postgres://user@host:port/database`, or a user's connection of ADBC, psycopg or psycopg2.
    """

    dialect = "postgres"
    estimates = False
    finds_by_hash = True

    def __init__(self, connection: object) -> None:
        self._driver = (
            AdbcDriver.connect(connection) if isinstance(connection, str) else _driver_for(connection)
        )
        self._worker = Worker("shoal-postgres", self._driver.cancel)
        self._begun = False

    def close(self) -> None:
        """Undo what is not committed, and give the connection back."""
        self.rollback()
        self._worker.close()
        self._driver.close()

    def commit(self) -> None:
        try:
            self._worker.run(self._driver.commit)
        except self._driver.error as error:
            message = _UNSURE if fault(error) == LOST else fault(error)
            raise EngineError(f"publishing: {message}") from None
        self._begun = False

    def rollback(self) -> None:
        if self._begun:
            self._worker.run(self._driver.rollback)
            self._begun = False

    def comment_on(self, table: exp.Table) -> tuple[bool, str | None]:
        comments = self.fetched(
            "SELECT obj_description(c.oid, 'pg_class') FROM pg_class AS c "
            "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
            f"WHERE c.relname = {literal(table.name)} AND n.nspname = {literal(table.db)}",
            table.name,
        )
        return bool(comments), comments[0][0] if comments else None

    def execute(self, statement: exp.Expr, about: str) -> None:
        self.run(self.rendered(statement), about)

    def run(self, statement: str, about: str) -> None:
        """Run a statement that only PostgreSQL knows."""
        self._run(about, lambda: self._driver.execute(statement))

    def rows(self, query: exp.Expr, about: str) -> list[tuple[Any, ...]]:
        return self.fetched(self.rendered(query), about)

    def fetched(self, query: str, about: str) -> list[tuple[Any, ...]]:
        """All rows of a small result of a query that only PostgreSQL knows."""
        return self._run(about, lambda: self._driver.rows(query))

    def arrays(self, query: exp.Expr, about: str) -> dict[str, NDArray[Any]]:
        statement = self.rendered(query)
        return self._run(about, lambda: self._driver.arrays(statement))

    @contextlib.contextmanager
    def streamed(self, query: exp.Expr, about: str) -> Iterator[Any]:
        """A result as a stream of Arrow batches; no other statement runs meanwhile."""
        with self._translated(about), self._driver.streamed(self.rendered(query)) as reader:
            yield reader

    def decimal(self, table: exp.Expr, column: str) -> str | None:
        """The type of a column of decimals with a fixed number of digits, if it is one, as DECIMAL(9,2)."""
        ((name,),) = self.fetched(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = "
            f"CAST({literal(self.rendered(table))} AS regclass) AND attname = {literal(column)}",
            column,
        )
        match = re.fullmatch(r"numeric\((\d+),(\d+)\)", name)
        return f"DECIMAL({match[1]},{match[2]})" if match and int(match[1]) <= MOST_DIGITS else None

    def is_nan(self, cell: exp.Expr) -> exp.Expr:
        return sql.fragment(":cell = CAST('NaN' AS DOUBLE)", cell=cell)

    def keep(self, what: str, query: exp.Expr, about: str) -> exp.Table:
        return self._kept(what, self.rendered(query), about)

    def upload(self, what: str, columns: Mapping[str, Column]) -> exp.Table:
        name, about = self.fresh(what), "a temporary table"
        stored = {column: _stored(cells) for column, cells in columns.items()}
        declared = ", ".join(
            f"{exp.to_identifier(column, quoted=True).sql(self.dialect)} {_type(cells)}"
            for column, cells in stored.items()
        )
        self.run(f'CREATE TEMP TABLE "{name}" ({declared}) ON COMMIT DROP', about)
        self._run(about, lambda: self._driver.load(name, stored))
        self._analyze(name, about)
        return _temporary(name)

    def forget(self, table: exp.Table) -> None:
        self.run(f"DROP TABLE {table.sql(dialect=self.dialect)}", "a temporary table")

    def dictionary(self, cells: exp.Expr, about: str) -> tuple[Dictionary, list[str]]:
        ((made, found),) = self.dictionaries(
            [f"SELECT c, 1 FROM ({self.rendered(cells)}) AS given(c)"], about
        )
        return made, [text for text, _ in found if text is not None]

    def dictionaries(
        self, cells: Sequence[str], about: str
    ) -> list[tuple[Dictionary, list[tuple[str | None, int]]]]:
        """For each query for the distinct cells of a column and their rows, a dictionary, cells and rows.

        Texts are ordered by code points, as everywhere in Shoal, and not by the database's language; the
        missing cell, if there is one, comes last.
        """
        given = " UNION ALL ".join(
            f'SELECT {number} AS {COLUMN}, CAST(c AS TEXT) COLLATE "C" AS {CELL}, '
            f"CAST(n AS BIGINT) AS {ROWS} FROM ({query}) AS q{number}(c, n)"
            for number, query in enumerate(cells)
        )
        place = f"row_number() OVER (PARTITION BY {COLUMN} ORDER BY {CELL} NULLS LAST) - 1"
        numbered = f"SELECT *, CAST({place} AS INTEGER) AS {NUMBER} FROM ({given}) AS found"
        kept = self._kept("cells", numbered, about)
        rows = self.rows(exp.select(COLUMN, CELL, ROWS).from_(kept).order_by(COLUMN, NUMBER), about)
        found: list[list[tuple[str | None, int]]] = [[] for _ in cells]
        for number, text, count in rows:
            found[number].append((text, count))
        return [
            (PostgresDictionary(self, kept, number, sum(text is not None for text, _ in each)), each)
            for number, each in enumerate(found)
        ]

    def register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None = None,
        kept: NDArray[np.bool_] | None = None,
    ) -> Register:
        return PostgresRegister.of(self, keys, numbers, kept)

    def labelled_register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer],
        kept: NDArray[np.bool_],
        texts: Mapping[int, Sequence[str | None]],
    ) -> Register:
        return PostgresRegister.of(self, keys, numbers, kept, texts)

    def hashed(self, cells: Sequence[exp.Expr]) -> exp.Expr:
        # The hash of a cell is the seed for the next. Not `#` over separate hashes: in a sample by the joint
        # hash each column would reveal the last bits of the others. Nor hashint8extended, which has 32 bits.
        hash_: exp.Expr = sql.number(0)
        for cell in cells:
            text = sql.fragment("coalesce(:text, :missing)", text=sql.as_text(cell), missing=_MISSING)
            hash_ = exp.Anonymous(this="hashtextextended", expressions=[text, hash_])
        return sql.fragment(":hash & :most", hash=hash_, most=2**63 - 1)

    def storable(self, texts: Sequence[str | None]) -> NDArray[np.object_]:
        """Labels as an array; `PolicyError` for one that PostgreSQL cannot store."""
        if any(text is not None and "\0" in text for text in texts):
            raise PolicyError("a label has the character U+0000, which PostgreSQL cannot store")
        return np.array(texts, np.object_)

    def listed(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        # An element of a constant jsonb array is read by its offset: 0.4 s for a million rows, also with
        # 100,000 labels. A text[] is scanned (25 s with 10,000), and so is a CASE (4 s with 1,000).
        self.storable(texts)
        array = exp.cast(exp.Literal.string(json.dumps(list(texts), ensure_ascii=False)), "JSONB")
        return exp.Anonymous(
            this="jsonb_array_element_text", expressions=[array, exp.cast(position.copy(), "INT")]
        )

    def _kept(self, what: str, query: str, about: str) -> exp.Table:
        name = self.fresh(what)
        self.run(f'CREATE TEMP TABLE "{name}" ON COMMIT DROP AS {query}', about)
        self._analyze(name, about)
        return _temporary(name)

    def _analyze(self, name: str, about: str) -> None:
        # The planner has no other statistics of a temporary table; without them 12 lookups took 11 s, not 5.
        self.run(f'ANALYZE pg_temp."{name}"', about)

    def _run(self, about: str, work: Callable[[], T]) -> T:
        with self._translated(about):
            if not self._begun:
                # If this is refused, the open transaction is the user's, not ours to roll back.
                self._worker.run(self._driver.begin)
                self._begun = True
                self._worker.run(self._prepare)
            return self._worker.run(work)

    def _prepare(self) -> None:
        settings = [f"set_config('{name}', '{value}', true)" for name, value in _SETTINGS.items()]
        megabytes = "SELECT CAST(setting AS INTEGER) / 1024 FROM pg_settings WHERE name = 'work_mem'"
        settings.append(f"set_config('work_mem', greatest(({megabytes}), {WORK_MEMORY}) || 'MB', true)")
        allowed = "has_database_privilege(current_database(), 'TEMPORARY')"
        ((*_, temporary),) = self._driver.rows(f"SELECT {', '.join(settings)}, {allowed}")
        if not temporary:
            raise EngineError(
                "the user may not create temporary tables, which counting and auditing need: "
                "GRANT TEMPORARY ON DATABASE ... TO ..."
            )

    @contextlib.contextmanager
    def _translated(self, about: str) -> Iterator[None]:
        """Turn the driver's errors into ours. Its messages quote cells, so we do not repeat them."""
        try:
            yield
        except self._driver.error as error:
            raise EngineError(f"{about}: {fault(error)}") from None
        except UnicodeDecodeError:
            raise EngineError(f"{about}: it has text that is not UTF-8") from None


def _driver_for(connection: object) -> Driver:
    driver = driver_of(connection)
    if driver is None:
        raise PolicyError(
            "a connection to PostgreSQL is one of adbc_driver_postgresql.dbapi, psycopg or psycopg2; "
            f"this is a {type(connection).__module__}.{type(connection).__name__}"
        )
    return driver


def literal(text: str) -> str:
    """A string literal for a statement that is written as text."""
    return exp.Literal.string(text).sql(dialect=PostgresSession.dialect)


def _temporary(name: str) -> exp.Table:
    return exp.table_(exp.to_identifier(name, quoted=True), db="pg_temp")


def _stored(cells: Column) -> Column:
    """Cells in one of the types that the tables declare; COPY converts nothing."""
    if not isinstance(cells, np.ndarray) or cells.dtype.kind == "b":
        return cells
    return cells.astype(np.int32 if np.can_cast(cells.dtype, np.int32) else np.int64)


def _type(cells: Column) -> str:
    if not isinstance(cells, np.ndarray):
        return 'TEXT COLLATE "C"'
    return {"bool": "BOOLEAN", "int32": "INTEGER", "int64": "BIGINT"}[cells.dtype.name]
