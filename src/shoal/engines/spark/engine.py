"""The engine of a cluster: data frames, tables and files, counted, recoded and measured by Spark.

Rows stay on the executors. The driver sees the distinct cells of a column, codes and counts, and writes no
rows itself. A returned data frame has fixed rows: the user gets what was audited, even if the source changes
or is random.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlglot import exp
from sqlglot.errors import ParseError

from shoal.engines._base import Application, Counted, Source
from shoal.engines.duckdb.writing import recoded
from shoal.engines.spark.connection import Connected, connect
from shoal.engines.spark.counting import DistributedCounting
from shoal.engines.spark.errors import missing_package
from shoal.engines.spark.mondrian import SparkRows
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.spark.staging import StagedFolder, StagedTable
from shoal.engines.spark.table import SparkTable, catalog_table, frame_table, path_table
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.fetched_counting import FetchedCounting
from shoal.engines.sql.recoding import plan
from shoal.engines.staging import Staged
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.table.table_source import TableSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Spark(SqlEngine):
    """Spark, as the driver of a cluster or inside this process. Use it in a `with` statement.

    Parameters
    ----------
    connection
        `local`, `local[n]`, `spark://host:port`, or an open `SparkSession`, which stays open.
    settings
        Spark's own settings for a session that is started here, as `{"spark.executor.memory": "8g"}`.
    """

    name = "spark"
    counting = FetchedCounting
    cuts_rows = True

    def __init__(self, connection: str | SparkSession, *, settings: Mapping[str, str] | None = None) -> None:
        try:
            import pyarrow  # type: ignore[import-untyped]  # noqa: F401
            import pyspark  # noqa: F401
        except ImportError:
            raise missing_package() from None
        connected = (
            connect(connection, dict(settings or {}))
            if isinstance(connection, str)
            else Connected(connection, started=False)
        )
        self._session = SparkSqlSession(connected)
        self._distributed: list[SparkRows] = []
        self._source: exp.Table | str | None = None

    @classmethod
    def for_source(
        cls,
        source: Source,
        *,
        memory: str | None,  # noqa: ARG003  the cluster has limits of its own
        threads: int | None,  # noqa: ARG003
        temp_directory: Path | None,  # noqa: ARG003
    ) -> Self:
        return cls(source.connection if isinstance(source, TableSource) else source.sparkSession)

    @property
    def session(self) -> SparkSqlSession:
        """Where its statements run."""
        return self._session

    def close(self) -> None:
        for rows in self._distributed:
            rows.close()
        self._session.close()

    def open(self, source: Source) -> SparkTable:
        if isinstance(source, SparkTable):
            return source
        self._source = None
        if isinstance(source, TableSource):
            self._source = source.path if source.table is None else _table(source.table)
            source = self._source
        if isinstance(source, exp.Table):
            return catalog_table(self._session, source)
        if isinstance(source, str | Path):
            return path_table(self._session, _whole(source))
        if _is_frame(source):
            return frame_table(self._session, source)
        raise PolicyError(
            "for Spark a source is a Spark DataFrame, the name of a table or a path; this is a "
            f"{type(source).__name__}"
        )

    def _has(self, source: Source) -> bool:
        return isinstance(source, TableSource) or _is_frame(source)

    def staging(
        self,
        target: Path | str,
        inputs: Mapping[str, Path],
        *,
        replace: bool = False,  # noqa: ARG002  only files are replaced, and Spark writes none
    ) -> Staged:
        if _is_table(str(target)):
            table = StagedTable(self._session, _table(str(target)))
            table.check(self._source if isinstance(self._source, exp.Table) else None)
            return table
        folder = StagedFolder(self._session, _whole(target))
        own: dict[str, str | Path] = {"the source": self._source} if isinstance(self._source, str) else {}
        folder.check({what: _whole(path) for what, path in {**own, **inputs}.items()})
        return folder

    def count_distributed(
        self, source: Source, attributes: Sequence[Attribute], evidence: Evidence
    ) -> Counted:
        counted = DistributedCounting(self._session, self.open(source), attributes, evidence).counted()
        assert isinstance(counted.distributed, SparkRows)
        self._distributed.append(counted.distributed)
        return counted

    def digest(self, source: Source, counted: Counted) -> str:
        table_digest = super().digest(source, counted)
        if not isinstance(counted.distributed, SparkRows):
            return table_digest
        return hashlib.sha256(f"{table_digest} {counted.distributed.fingerprint()}".encode()).hexdigest()

    def apply(
        self, source: Source, counted: Counted, application: Application, place: Any = None
    ) -> DataFrame | None:
        table, session = self.open(source), self._session
        about = f"the release of {table.about}"
        recoding = plan(session, counted, application)
        query = recoded(table, recoding, table.relation, typed=True)
        if place is None:
            return session.returned(session.fixed(lambda: session.frame(query), about))
        divided = [name for name in table.partitions if name not in application.dropped]

        def write() -> None:
            writer = session.frame(query).write.partitionBy(*divided)
            if isinstance(place, exp.Table):
                writer.format("parquet").saveAsTable(session.rendered(place))
            else:
                writer.parquet(str(place))

        session.run(about, write)
        table.check_unchanged()
        return None


def _is_frame(source: object) -> bool:
    """Whether a source is a data frame of Spark."""
    return type(source).__module__.startswith("pyspark.") and hasattr(source, "sparkSession")


def _table(name: str) -> exp.Table:
    """A table by its name; parts with special characters are in backticks."""
    try:
        return exp.to_table(name, dialect="spark")
    except ParseError:
        raise PolicyError(
            f"{name!r} does not read as the name of a table; write its parts in `...`"
        ) from None


def _is_table(target: str) -> bool:
    """Whether a target is the name of a table: a path has a folder, or ends like a file."""
    return "/" not in target and not target.endswith(".parquet")


def _whole(path: str | Path) -> str:
    """An absolute path, relative to this process and not to Spark's; an address is returned unchanged."""
    return str(path) if ":/" in str(path) else str(Path(path).absolute())
