"""A DuckDB session: limits, a private place for spilled data, and errors that never quote a cell."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.duckdb import allowed_folders as duckdb_folders
from shoal.engines.duckdb.lookups import (
    EmptyDictionary,
    EnumDictionary,
    GroupRegister,
    JoinRegister,
    ListDictionary,
)
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Column, Dictionary, Register, TransactionSession
from shoal.engines.sql.worker import Worker
from shoal.errors import EngineError, PolicyError
from shoal.files.private_folder import PrivateFolder
from shoal.model.policy.policy import MOST_THREADS

T = TypeVar("T")

_SIZE = re.compile(r"\d{1,9}(\.\d{1,9})?\s*([KMGT]i?B|B)", re.IGNORECASE)


class DuckSession(TransactionSession):
    """A private in-memory database, so that nothing is kept from one run to the next.

    Parameters
    ----------
    connection
        A user's open connection; the session works next to it in its database and within its limits.
    memory
        Most memory that DuckDB may use before it spills to disk, as in "1GB".
    threads
        Threads for counting and writing; DuckDB's own choice when absent.
    temp_directory
        Where to spill. A folder that only this user can read is created there, and removed at the end.
    """

    dialect = "duckdb"
    keeps_order = True
    lists = True
    notices_changes = True

    def __init__(
        self,
        *,
        memory: str,
        threads: int | None,
        temp_directory: Path | None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        if not isinstance(memory, str) or not _SIZE.fullmatch(memory):
            raise PolicyError(f'memory must be a size like "1GB" or "512MB"; it is {memory!r}')
        if threads is not None and (not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS):
            raise PolicyError(f"threads must be at least 1 and at most {MOST_THREADS:,}; it is {threads!r}")
        place = None if connection is None else _place_of(connection)
        try:
            self._private = PrivateFolder(temp_directory)
        except OSError as error:
            raise EngineError(f"cannot spill to {temp_directory}: {error.strerror}") from None
        self.folder = self._private.path
        self._uploaded: set[str] = set()
        self._in_transaction = False
        self.is_own = connection is None
        self._connection = duckdb.connect() if connection is None else connection.cursor()
        self._worker = Worker("shoal-duckdb", self._connection.interrupt)
        self._connection.execute("SET SESSION TimeZone = 'UTC'")
        self._connection.execute("SET SESSION default_collation = 'binary'")
        if place is not None:
            self._connection.execute(f"USE {place}")
        settings = (
            {}
            if connection is not None
            else {
                "memory_limit": memory,
                "temp_directory": str(self.folder / "spill"),
                "preserve_insertion_order": "true",
            }
        )
        if threads is not None and connection is None:
            # One thread cuts Parquet row groups at different rows than several do: a release written with one
            # would have different bytes.
            settings["threads"] = str(max(2, threads))
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {literal(value)}")
        if connection is None:
            # In a notebook without ipywidgets DuckDB shows no bar, and refuses to have that set.
            with contextlib.suppress(duckdb.InvalidInputException):
                self._connection.execute("SET enable_progress_bar = false")
            for name, value in duckdb_folders.settings(self.folder):
                self._connection.execute(f"SET {name} = {value}")

    def close(self) -> None:
        with contextlib.suppress(EngineError):
            self.rollback()
        self._worker.close()
        self._connection.close()
        self._private.remove()

    def run(self, statement: str, about: str) -> None:
        """Run a statement that only DuckDB knows."""
        self.fetched(statement, about)

    def execute(self, statement: exp.Expr, about: str) -> None:
        self.fetched(self.rendered(statement), about)

    def rows(self, query: exp.Expr, about: str) -> list[tuple[Any, ...]]:
        return self.fetched(self.rendered(query), about)

    def fetched(self, statement: str, about: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that only DuckDB knows."""
        # Always fetched to the end: DuckDB 2 runs a statement while its rows are fetched, and no other one
        # meanwhile.
        return self._interruptibly(about, lambda: self._connection.execute(statement).fetchall())

    def arrays(self, query: exp.Expr, about: str) -> dict[str, NDArray[Any]]:
        return self.fetched_arrays(self.rendered(query), about)

    def fetched_arrays(self, statement: str, about: str) -> dict[str, NDArray[Any]]:
        """The columns of a statement that only DuckDB knows."""
        return self._interruptibly(about, lambda: self._connection.execute(statement).fetchnumpy())

    def streamed(self, query: exp.Expr, about: str) -> Any:
        """A result as a stream of Arrow batches, to be read before the next statement."""
        with translated(about):
            return self._connection.sql(self.rendered(query)).to_arrow_reader()

    def _interruptibly(self, about: str, work: Callable[[], T]) -> T:
        """Run a statement on a thread of its own, and stop it when Ctrl-C arrives here.

        DuckDB itself checks for signals only between its tasks, and one task can take very long.
        """
        with translated(about):
            return self._worker.run(work)

    def keep(self, what: str, query: exp.Expr, about: str) -> exp.Table:
        name = self.fresh(what)
        self.run(f"CREATE TEMP TABLE {name} AS {self.rendered(query)}", about)
        return exp.to_table(name)

    def view(self, what: str, query: str, about: str) -> exp.Table:
        """Give a query that only DuckDB knows a name."""
        name = self.fresh(what)
        self.run(f"CREATE TEMP VIEW {name} AS {query}", about)
        return exp.to_table(name)

    def begin(self) -> None:
        """Begin a transaction: everything read from here on is from one moment."""
        self.run("BEGIN TRANSACTION", "a transaction")
        self._in_transaction = True

    def commit(self) -> None:
        self.run("COMMIT", "publishing")
        self._in_transaction = False

    def rollback(self) -> None:
        if self._in_transaction:
            self._in_transaction = False
            self.run("ROLLBACK", "taking back")

    def comment_on(self, table: exp.Table) -> tuple[bool, str | None]:
        in_schema = " AND ".join(
            f"{column} = {literal(part)}"
            for column, part in (
                ("database_name", table.catalog or "memory"),
                ("schema_name", table.db or "main"),
            )
        )
        same = f"= lower({literal(table.name)})"
        comments = self.fetched(
            f"SELECT comment FROM duckdb_tables() WHERE {in_schema} AND lower(table_name) {same} "
            f"UNION ALL SELECT NULL FROM duckdb_views() WHERE {in_schema} AND lower(view_name) {same}",
            table.name,
        )
        return bool(comments), comments[0][0] if comments else None

    def upload(self, what: str, columns: Mapping[str, Column]) -> exp.Table:
        arrays = {
            name: each if isinstance(each, np.ndarray) else np.array(each, object)
            for name, each in columns.items()
        }
        return self._registered(what, arrays, "a table of numbers")

    def upload_frame(self, what: str, native: object, about: str) -> exp.Table:
        """Register a data frame as a table."""
        return self._registered(what, native, about)

    def _registered(self, what: str, native: object, about: str) -> exp.Table:
        name = self.fresh(what)
        with translated(about):
            self._connection.register(name, native)
        self._uploaded.add(name)
        return exp.to_table(name)

    def forget(self, table: exp.Table) -> None:
        if table.name in self._uploaded:
            self._uploaded.remove(table.name)
            self._connection.unregister(table.name)
        else:
            self.run(f"DROP TABLE IF EXISTS {table.name}", "a table")

    def dictionary(self, cells: exp.Expr, about: str) -> tuple[Dictionary, list[str]]:
        texts = [text for (text,) in self.rows(cells, about)]
        if not texts:
            return EmptyDictionary(), texts
        if ListDictionary.suits(texts):
            return ListDictionary(self, texts), texts
        type_ = self.fresh("cells")
        self.run(f"CREATE TEMP TYPE {type_} AS ENUM ({self.rendered(cells)})", about)
        return EnumDictionary(self, type_, len(texts)), texts

    def register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None = None,
        kept: NDArray[np.bool_] | None = None,
    ) -> Register:
        if numbers is not None:
            return JoinRegister.of(self, keys, numbers, kept, {})
        assert kept is not None
        return GroupRegister.of(self, keys, kept)

    def labelled_register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer],
        kept: NDArray[np.bool_],
        texts: Mapping[int, Sequence[str | None]],
    ) -> Register:
        return JoinRegister.of(self, keys, numbers, kept, texts)

    def set_list(self, what: str, values: NDArray[np.integer]) -> exp.Expr:
        """Keep numbers as a list variable and return SQL for it; negative ones become NULL."""
        table = self.upload("numbers", {"i": np.arange(len(values)), "v": values})
        name = self.fresh(what)
        self.run(
            f"SET VARIABLE {name} = (SELECT list(CASE WHEN v >= 0 THEN v END ORDER BY i) FROM {table.name})",
            "a list",
        )
        self.forget(table)
        return sql.fragment("getvariable(:name)", name=name)

    def set_text(self, what: str, text: str, type_: str = "VARCHAR") -> exp.Expr:
        """Keep a text, or what DuckDB reads in it, as a variable and return SQL for it."""
        name = self.fresh(what)
        self.run(f"SET VARIABLE {name} = {literal(text)}::{type_}", "a text")
        return sql.fragment("getvariable(:name)", name=name)

    def numbered(self, numbers: NDArray[np.integer], position: exp.Expr) -> exp.Expr:
        listed = self.set_list("numbers", numbers)
        return sql.fragment("list_extract(:numbers, :position + 1)", numbers=listed, position=position)

    def hashed(self, cells: Sequence[exp.Expr]) -> exp.Expr:
        joined = exp.Anonymous(this="hash", expressions=[each.copy() for each in cells])
        # Hashed again: DuckDB combines hashes bit by bit, so in a sample by the joint hash each column would
        # reveal the last bits of the others.
        mixed = exp.Anonymous(this="hash", expressions=[joined])
        return sql.as_integer(sql.fragment(":hash % :most", hash=mixed, most=2**62))  # its own are unsigned

    def listed(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        listed = exp.cast(
            exp.Array(expressions=[sql.text(text) for text in texts]), "VARCHAR[]", dialect="duckdb"
        )
        return sql.fragment("list_extract(:texts, :position + 1)", texts=listed, position=position)

    def readable(self, path: Path, *, link: bool = False) -> str:
        """The absolute path that DuckDB can read, through a link if characters in it read as a pattern.

        In a relative path DuckDB would read `~` as a home folder, and `file:` as an address.
        """
        path = path.absolute()
        if not link and not any(sign in str(path) for sign in "*?[]"):
            return str(path)
        name = self.folder / f"{self.fresh('link')}{''.join(path.suffixes[-2:])}"
        with contextlib.suppress(FileExistsError):
            name.symlink_to(path.resolve())
        return str(name)


def _place_of(connection: duckdb.DuckDBPyConnection) -> str:
    """The schema in which a user's connection searches for tables; a second connection starts in another."""
    query = "SELECT current_database(), current_schema(), txid_current()"
    try:
        (catalog, schema, one), (*_, other) = [connection.sql(query).fetchall()[0] for _ in range(2)]
    except duckdb.Error:
        raise PolicyError(
            "cannot read the schema of the connection: it is closed, its transaction has failed, or a "
            "result has not been fetched to its end"
        ) from None
    if one == other:
        raise PolicyError(
            "the connection has an uncommitted transaction; commit it or roll it back first: a "
            "release uses another connection, and would not see its work"
        )
    return f"{quoted(catalog)}.{quoted(schema)}"


def quoted(name: str) -> str:
    """A name in a statement that only DuckDB knows."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in a statement that only DuckDB knows."""
    return "'" + text.replace("'", "''") + "'"


@contextlib.contextmanager
def translated(about: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours. Its messages quote lines and cells, so we do not repeat them."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        # DuckDB reports a signal that arrived while it ran as a plain RuntimeError.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException:
        raise EngineError(f"{about}: the memory limit was reached, even with spilling; allow more") from None
    except duckdb.CatalogException:
        raise EngineError(f"{about}: the table does not exist, or other tables or views use it") from None
    except duckdb.PermissionException:
        raise EngineError(
            f"{about}: it reads files outside the allowed folders; copy its rows into a table"
        ) from None
    except duckdb.IOException as error:
        raise EngineError(f"{about}: {_system_reason(error)}") from None
    except duckdb.Error as error:
        raise EngineError(f"{about}: {_broken_line(error)}") from None


def _system_reason(error: duckdb.Error) -> str:
    """The operating system's message at the end of an I/O error; the rest can quote content."""
    reason = re.search(
        r"No space left on device|Permission denied|No such file or directory|Input/output error|"
        r"Could not set lock on file",
        str(error),
    )
    if reason is None:
        return "the file could not be read or written; is it complete?"
    return "another process is using the database" if "lock" in reason[0] else reason[0]


def _broken_line(error: duckdb.Error) -> str:
    text = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line is not None:
        fault, way = _fault(text)
        return f"line {int(line[1]):,} is broken: {fault}; nothing was skipped: correct the line{way}"
    if isinstance(error, duckdb.InvalidInputException) and "parquet" in text.lower():
        return "it is not a complete Parquet file; write it again, or give it the right suffix"
    if "CSV" in text:
        return "its lines are not regular CSV: line ends or quotes are mixed; correct the file"
    if type(error).__name__ == "ResourceInUseException":  # not in every version
        return "the database is already open in this process; pass that connection, or close it"
    if isinstance(error, duckdb.TransactionException):
        return "another transaction changed the table meanwhile; nothing was published, run it again"
    if isinstance(error, duckdb.ConversionException):
        return "a cell is new since the rows were counted; did the source change meanwhile?"
    return f"DuckDB failed ({type(error).__name__})"


def _fault(text: str) -> tuple[str, str]:
    """What is wrong with a line, and what else than correcting it may help."""
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts is not None:
        way = ", or state the delimiter and the quote if they are others (--delimiter, --quote)"
        return f"it has {counts[2]} fields where the header has {counts[1]}", way
    if "unterminated quote" in text:
        return "a quote is not closed", ", or state the quote if it is another (--quote)"
    if "unicode" in text or "utf-8" in text:
        return "it is not UTF-8 text", ", or state the encoding (--encoding)"
    if "Maximum line size" in text:
        return "it is too long", ", or state the quote if it is another (--quote)"
    return "it does not follow the CSV rules", ", or state the quote if it is another (--quote)"
