"""A separate Spark session: statements, kept results and dictionaries on a cluster.

The session is a clone of the given one: it sees the same tables and views, while its settings and new views
are its own. The user's session never changes.

Kept results are local checkpoints: materialized on the executors, with their lineage cut. If they were only
cached, Spark would silently recompute the lost part after the loss of an executor, from a source that may
have changed meanwhile. Codes, counts and rows would then come from two tables. A lost checkpoint is an error.
On a cluster every part has a second copy, so that the loss of one executor does no harm.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.spark.connection import Connected
from shoal.engines.spark.errors import quieten_lost_calls, translated, unlogged
from shoal.engines.spark.lookups import Book, Hashes, Lists, SparkDictionary, SparkRegister, hash_of
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Column, Dictionary, Register, Session
from shoal.engines.sql.worker import Worker
from shoal.errors import EngineError, InternalError, PolicyError

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

SECONDS_WITHOUT_EXECUTOR = 60.0
_BROADCAST_BYTES = 16 * 2**20
"""A table up to this size is sent to every executor; a larger one is shuffled with the rows."""

# What the generated SQL relies on.
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.variable.substitute": "false",  # a text like ${x} is a text
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.orderByOrdinal": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}


@dataclass(frozen=True, eq=False)
class Texts:
    """The distinct cells of a column, as texts in order.

    Parameters
    ----------
    texts, hashes
        The texts of those that are not missing, and what `hash_of` gives for them.
    counts
        The rows of each, and of the missing one at the end.
    """

    texts: list[str]
    hashes: list[int]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, cells: Sequence[tuple[str, int, int]], missing: int) -> Texts:
        """Texts with their rows and hashes, and the rows without a text."""
        counts = np.array([*(rows for _, rows, _ in cells), missing], np.int64)
        return cls([text for text, _, _ in cells], [hash_ for _, _, hash_ in cells], counts)


class SparkSqlSession(Session):
    """Spark SQL over a session that Shoal started or the user passed in.

    Parameters
    ----------
    connected
        The session; it is stopped at the end if Shoal started it.
    """

    dialect = "spark"

    def __init__(self, connected: Connected) -> None:
        from pyspark.sql import SparkSession

        self._connected = connected
        users = connected.spark
        if not hasattr(users, "_jsparkSession"):
            raise PolicyError("Shoal runs in Spark's driver; a Spark Connect session has no driver here")
        self._worker = Worker("shoal-spark", self._cancel, self._watch)
        self._group = ""
        self._checked = self._last_executor = 0.0
        self._views: set[str] = set()
        self._checkpoints: dict[str, DataFrame] = {}
        self._books: list[Book] = []
        self._lists: list[Lists] = []
        quieten_lost_calls()
        with translated("Spark"):
            self.spark: SparkSession = SparkSession(users.sparkContext, users._jsparkSession.cloneSession())
            for name, value in _SETTINGS.items():
                self.spark.conf.set(name, value)
        self._context = users.sparkContext
        self._cluster = not str(self._context.master).startswith("local")

    def close(self) -> None:
        """Drop kept results, and stop the session if it was started here."""
        with contextlib.suppress(EngineError), translated("Spark"):
            for name in sorted(self._views):
                self._drop(name)
        self._worker.close()
        if self._connected.started:
            with contextlib.suppress(EngineError), translated("Spark"):
                self._connected.spark.stop()

    def frame(self, query: exp.Expr | str) -> DataFrame:
        """A query as a data frame of this session; nothing is run yet."""
        self._settle()
        return self.spark.sql(query if isinstance(query, str) else self.rendered(query))

    def entered(self, hashes: Hashes, numbers: NDArray[np.int32]) -> tuple[Book, int]:
        """A book in which numbers of cells are found, and what their hashes are mixed with there."""
        if self._books:
            salt = self._books[-1].entered(hashes, numbers)
            if salt is not None:
                return self._books[-1], salt
        book = Book(self.fresh("book"))
        salt = book.entered(hashes, numbers)
        if salt is None:
            raise InternalError("different cells of a dictionary have the same hash")
        self._books.append(book)
        return book, salt

    def _settle(self) -> None:
        """Make tables of the books and lists that statements wait for."""
        waiting: list[Book | Lists] = [*self._books, *self._lists]
        self._books, self._lists = [], []
        for each in waiting:
            self._named(each.name, self._sent(each.table()))

    def execute(self, statement: exp.Expr, about: str) -> None:
        self.command(self.rendered(statement), about)

    def command(self, statement: str, about: str) -> None:
        """Run a statement that only Spark knows."""
        self.run(about, lambda: self.frame(statement))

    def shown(self, statement: str, about: str) -> list[tuple[Any, ...]]:
        """The rows of a statement that only Spark knows."""
        return self.run(about, lambda: [tuple(row) for row in self.frame(statement).collect()])

    def rows(self, query: exp.Expr, about: str) -> list[tuple[Any, ...]]:
        table = self._answer(query, about)
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def arrays(self, query: exp.Expr, about: str) -> dict[str, NDArray[Any]]:
        table = self._answer(query, about)
        return {name: _array(table.column(name)) for name in table.column_names}

    def _answer(self, query: exp.Expr, about: str) -> pa.Table:
        return self.run(about, lambda: self.frame(query).toArrow())

    def keep(self, what: str, query: exp.Expr, about: str) -> exp.Table:
        frame = self.fixed(lambda: self.frame(query), about)
        table = self.view(what, frame)
        self._checkpoints[table.name] = frame
        return table

    def fixed(self, build: Callable[[], DataFrame], about: str) -> DataFrame:
        """A data frame whose rows are computed once and then fixed."""
        from pyspark import StorageLevel

        level = StorageLevel.MEMORY_AND_DISK_2 if self._cluster else StorageLevel.MEMORY_AND_DISK
        return self.run(about, lambda: build().localCheckpoint(eager=True, storageLevel=level))

    def upload(self, what: str, columns: Mapping[str, Column]) -> exp.Table:
        import pyarrow as pa

        arrays = {
            name: pa.array(_signed(column))
            if isinstance(column, np.ndarray)
            else pa.array(column, pa.string())
            for name, column in columns.items()
        }
        return self.offer(what, pa.table(arrays))

    def offer(self, what: str, table: pa.Table) -> exp.Table:
        """Register an Arrow table; joins send it to every executor, unless it is large."""
        return self.view(what, self.run("Spark", lambda: self._sent(table)))

    def _sent(self, table: pa.Table) -> DataFrame:
        # No checkpoint is needed: the rows are in the plan, or the driver sends them again.
        frame = self.spark.createDataFrame(table)
        return frame.hint("broadcast") if table.nbytes <= _BROADCAST_BYTES else frame

    def taken(self, frame: DataFrame) -> DataFrame:
        """A data frame of the user's session as one of this session, with its settings."""
        return _moved(frame, self.spark)

    def returned(self, frame: DataFrame) -> DataFrame:
        """A data frame of this session as one of the user's."""
        return _moved(frame, self._connected.spark)

    def view(self, what: str, frame: DataFrame) -> exp.Table:
        """A data frame as a table that only this session sees."""
        name = self.fresh(what)
        self._named(name, frame)
        return exp.to_table(name)

    def _named(self, name: str, frame: DataFrame) -> None:
        with translated("Spark"):
            frame.createTempView(name)
        self._views.add(name)

    def forget(self, table: exp.Table) -> None:
        with translated("Spark"):
            self._drop(table.name)

    def _drop(self, name: str) -> None:
        self._views.discard(name)
        self.spark.catalog.dropTempView(name)
        kept = self._checkpoints.pop(name, None)
        if kept is not None:  # other views have the user's rows
            kept._jdf.queryExecution().analyzed().rdd().unpersist(False)

    def dictionary(self, cells: exp.Expr, about: str) -> tuple[Dictionary, list[str]]:
        unsorted = cells.copy()
        unsorted.set("order", None)  # sorted here: Spark would read everything twice to divide the work
        distinct = sql.rows_of(unsorted, "d")
        found = self._answer(
            exp.select("t", exp.alias_(hash_of(exp.column("t")), "h")).from_(distinct), about
        )
        known = sorted(zip(found.column("t").to_pylist(), found.column("h").to_pylist(), strict=True))
        texts = [text for text, _ in known]
        return SparkDictionary(self, texts, [hash_ for _, hash_ in known]), texts

    def distinct_texts(self, table: exp.Table, columns: Sequence[str], about: str) -> list[Texts]:
        """The distinct cells of columns of a kept table with rows `n`, all in one pass over it."""
        cells = ", ".join(f"{at}, CAST({name} AS STRING)" for at, name in enumerate(columns))
        stacked = f"SELECT stack({len(columns)}, {cells}) AS (i, t), n FROM {self.rendered(table)}"
        query = f"SELECT i, t, CAST(sum(n) AS BIGINT) AS n, xxhash64(t) AS h FROM ({stacked}) GROUP BY i, t"
        found = self.run(about, lambda: self.frame(query).toArrow())
        known: list[list[tuple[str, int, int]]] = [[] for _ in columns]
        missing = [0 for _ in columns]
        for at, text, rows, hash_ in zip(*(found.column(name).to_pylist() for name in "itnh"), strict=True):
            if text is None:
                missing[at] = rows
            else:
                known[at].append((text, rows, hash_))
        return [Texts.of(sorted(cells), absent) for cells, absent in zip(known, missing, strict=True)]

    def register(
        self,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None = None,
        kept: NDArray[np.bool_] | None = None,
    ) -> Register:
        return SparkRegister(self, keys, numbers, kept)

    def hashed(self, cells: Sequence[exp.Expr]) -> exp.Expr:
        hash_ = exp.Anonymous(this="xxhash64", expressions=[each.copy() for each in cells])
        return sql.fragment(":hash & :most", hash=hash_, most=2**63 - 1)

    def listed(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        if not self._lists:
            self._lists.append(Lists(self.fresh("lists")))
        return self._lists[-1].at(texts, position)

    def run(self, about: str, work: Callable[[], T]) -> T:
        """Run work on a separate thread, and stop its jobs when Ctrl-C arrives here."""
        self._group = self.fresh("jobs")
        self._checked = self._last_executor = 0.0
        with translated(about):
            return self._worker.run(lambda: self._grouped(work))

    def _cancel(self) -> None:
        with contextlib.suppress(EngineError), translated("Spark"):
            self._context.cancelJobGroup(self._group)

    def _grouped(self, work: Callable[[], T]) -> T:
        from pyspark.sql import SparkSession

        before = SparkSession._activeSession
        self._context.setJobGroup(self._group, "shoal")
        try:
            with unlogged(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # pyspark warns of versions of pandas, which is not used
                return work()
        finally:
            # Some calls make their session the active one of the process; it must stay the user's.
            SparkSession._activeSession = before

    def _watch(self, seconds: float) -> None:
        """Raise if the cluster has no executor for too long: Spark would wait for one forever."""
        if not self._cluster or seconds - self._checked < 1:
            return
        self._checked = seconds
        if self._executors():
            self._last_executor = seconds
        elif seconds - self._last_executor > SECONDS_WITHOUT_EXECUTOR:
            raise EngineError(
                f"Spark: the cluster had no executor for {SECONDS_WITHOUT_EXECUTOR:.0f} seconds; are its "
                "workers running, with memory and cores to spare?"
            )

    def _executors(self) -> int:
        with translated("Spark"):
            return int(self._context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # the driver is one


def _moved(frame: DataFrame, spark: SparkSession) -> DataFrame:
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    jvm: Any = spark._jvm
    with translated("the data frame"):
        rows = jvm.org.apache.spark.sql.classic.Dataset.ofRows(
            spark._jsparkSession, frame._jdf.queryExecution().analyzed()
        )
        return Classic(rows, spark)


def _signed(column: NDArray[Any]) -> NDArray[Any]:
    """Spark has no unsigned numbers."""
    return column.astype(np.int64) if column.dtype.kind == "u" else column


def _array(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of whole numbers or booleans; NULL is masked."""
    import pyarrow as pa

    if not column.null_count:
        return np.asarray(column.to_numpy())
    empty = pa.scalar(False if pa.types.is_boolean(column.type) else 0, column.type)
    values = np.asarray(column.fill_null(empty).to_numpy())
    return np.ma.MaskedArray(values, np.asarray(column.is_null().to_numpy()))
