"""What Spark reads: data frames, tables of the catalog, and files that its workers see.

All CSV cells are read as text, as in DuckDB; so are the values in the names of folders, where 02139 stays
02139.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from sqlglot import exp

from shoal.engines.duckdb.file import LONGEST_HEADER, check_names, csv_header
from shoal.engines.spark.errors import translated
from shoal.engines.spark.files import Files
from shoal.engines.spark.lookups import SparkDictionary
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.sql import cell_type as cell_types
from shoal.engines.sql.cell_type import CellType
from shoal.engines.sql.table import Cells, DatabaseTable
from shoal.errors import EngineError, PolicyError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

_TYPES = {
    "boolean": cell_types.BOOLEAN,
    "tinyint": cell_types.INTEGER,
    "smallint": cell_types.INTEGER,
    "int": cell_types.INTEGER,
    "bigint": cell_types.INTEGER,
    "float": cell_types.FLOAT,
    "double": cell_types.FLOAT,
    "date": cell_types.DATE,
    "timestamp": cell_types.TIMESTAMP,
    "timestamp_ntz": cell_types.TIMESTAMP,
    "string": cell_types.TEXT,
}
_INCOMPARABLE = ("binary", "map", "variant", "struct", "array", "geo")


class SparkTable(DatabaseTable):
    """A table of a Spark session.

    Parameters
    ----------
    session
        The session.
    frame
        Its rows, as a data frame of that session.
    about
        What to call it in messages.
    partitions
        The columns by which its files are divided into folders.
    files
        The path of its files, if it was read from a path.
    is_text
        Whether cells are text because the format has no other type.
    """

    def __init__(
        self,
        session: SparkSqlSession,
        frame: DataFrame,
        about: str,
        *,
        partitions: tuple[str, ...] = (),
        files: str | None = None,
        is_text: bool = False,
    ) -> None:
        with translated(about):
            fields = frame.schema.fields
        check_names([field.name for field in fields], about)
        types = {field.name: cell_type(field.dataType) for field in fields}
        super().__init__(session, session.view("source", frame), types, about, is_text=is_text)
        self.frame = frame
        self.partitions = partitions
        self.files = files
        self._schema = {field.name: field.dataType.simpleString() for field in fields}
        self._stamps = None if files is None else Files(session.spark).stamps(files)

    @property
    def schema(self) -> Mapping[str, str]:
        """Spark's own names for the types of the columns."""
        return self._schema

    def cell(self, column: str) -> exp.Expr:
        self._check_comparable(column)
        return super().cell(column)

    def seen(self, column: str) -> exp.Expr:
        self._check_comparable(column)
        return super().seen(column)

    def all_cells(self, columns: Sequence[str], counted: exp.Table, letter: str) -> list[Cells]:
        session = self.session
        assert isinstance(session, SparkSqlSession)
        aliases = [f"{letter}{at}" for at in range(len(columns))]
        found = session.distinct_texts(counted, aliases, self.about)
        return [
            Cells(
                [self._typed(name, text) for text in each.texts],
                bool(each.counts[-1]),
                SparkDictionary(session, each.texts, each.hashes),
                each.counts,
            )
            for name, each in zip(columns, found, strict=True)
        ]

    def _check_comparable(self, column: str) -> None:
        if self._schema[column].startswith(_INCOMPARABLE):
            raise PolicyError(
                f"column {column!r} of {self.about} is of Spark's type {self._schema[column].split('<')[0]}, "
                "whose cells have no text to compare; cast it to text or to a number first"
            )

    def check_unchanged(self) -> None:
        """Raise if the files have changed: counts and rows must come from the same table."""
        if self.files is None:
            return
        assert isinstance(self.session, SparkSqlSession)
        if Files(self.session.spark).stamps(self.files) != self._stamps:
            raise EngineError(f"{self.about} changed while it was read; nothing was published, run it again")


def cell_type(type_: DataType) -> CellType:
    """What one of Spark's types means."""
    name = type_.simpleString()
    if name.startswith("decimal"):
        return cell_types.DECIMAL
    if name.startswith(("char", "varchar")):
        return cell_types.TEXT
    if name.startswith("string"):  # with a collation, different texts can be equal
        return cell_types.TEXT if name == "string" else cell_types.FOLDED_TEXT
    return _TYPES.get(name, cell_types.OTHER)


def frame_table(session: SparkSqlSession, frame: Any) -> SparkTable:
    """A data frame of the session that this one was cloned from, or of any other in its context."""
    if frame.isStreaming:
        raise PolicyError("a stream has no end, and a release needs a whole table; collect it into a table")
    return SparkTable(session, session.taken(frame), "the data frame")


def catalog_table(session: SparkSqlSession, name: exp.Table) -> SparkTable:
    """A table or view of the catalog."""
    rendered = session.rendered(name)
    with translated(name.name):
        frame = session.spark.table(rendered)
        columns = session.spark.catalog.listColumns(rendered)
    partitions = tuple(column.name for column in columns if column.isPartition)
    return SparkTable(session, frame, name.name, partitions=partitions)


def path_table(session: SparkSqlSession, path: str) -> SparkTable:
    """A Parquet or CSV file, or a folder of them, that all workers can read."""
    files = Files(session.spark)
    about = files.name(path)
    if not files.exists(path):
        raise EngineError(f"Spark finds no file or folder {about}")
    if _is_csv(about):
        return _csv(session, files, path, about)
    with translated(about):
        frame = session.run(about, lambda: session.spark.read.parquet(files.literal(path)))
    return SparkTable(session, frame, about, partitions=_partitions(files, path), files=path)


def _is_csv(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))


def _csv(session: SparkSqlSession, files: Files, path: str, about: str) -> SparkTable:
    first = next((file for file, size, _ in files.stamps(path) if size), None)
    if first is None:
        raise EngineError(f"{about} is empty: it has no header and no rows")
    name = about.lower()
    with _opened(files.head(first, LONGEST_HEADER), gzipped=name.endswith(".gz")) as start:
        stated = "\t" if name.removesuffix(".gz").endswith(".tsv") else None
        delimiter, header = csv_header(about, start, stated)
    # Cells may contain line ends, so one worker reads a whole file, and no row is torn.
    options: dict[str, Any] = {"header": True, "sep": delimiter, "quote": '"', "escape": '"'}
    schema = ", ".join(f"{exp.to_identifier(name, quoted=True).sql('spark')} STRING" for name in header)
    frame = session.run(
        about,
        lambda: session.spark.read.schema(schema).csv(
            files.literal(path), multiLine=True, mode="FAILFAST", enforceSchema=False, **options
        ),
    )
    return SparkTable(session, frame, about, files=path, is_text=True)


def _opened(head: bytes, *, gzipped: bool) -> IO[str]:
    """The first bytes of a file as text; for a compressed file, as far as they can be decompressed."""
    if gzipped:
        head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head)
    return io.TextIOWrapper(io.BytesIO(head), encoding="utf-8-sig", errors="surrogateescape", newline="")


def _partitions(files: Files, path: str) -> tuple[str, ...]:
    """The columns whose values are in the names of folders."""
    names: list[str] = []
    while files.is_folder(path):
        divided = [name for name in files.names(path) if "=" in name and not name.startswith((".", "_"))]
        if not divided or not files.is_folder(f"{path}/{divided[0]}"):
            break
        names.append(files.unescaped(divided[0].partition("=")[0]))
        path = f"{path}/{divided[0]}"
    return tuple(names)
