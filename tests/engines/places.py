"""The places in which a table can lie: the same rows in each, and the rows of a release read back from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import shoal

Rows = list[tuple[Any, ...]]


class Place(ABC):
    """A kind of source."""

    server: str | None = None
    """The server that must run: the mark of a test with this place."""

    typed = True
    """Whether cells have types there, or are all text."""

    def __init__(self, folder: Path, request: pytest.FixtureRequest) -> None:
        self.folder = folder
        self.request = request

    @abstractmethod
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        """Store a table; what `anonymize` is to be told of it."""

    target: str | None = None
    """What to call the release; `None` if it is handed out."""

    @abstractmethod
    def released(self, release: shoal.Release) -> Rows:
        """The rows of a release."""


class Csv(Place):
    typed = False

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        path = self.folder / "source.csv"
        duckdb.sql("SELECT * FROM rows").write_csv(str(path), header=True)
        self.target = str(self.folder / "release.csv")
        return {"source": path}

    def released(self, release: shoal.Release) -> Rows:
        return duckdb.read_csv(str(release.path), all_varchar=True, header=True, sep=",").fetchall()


class Parquet(Place):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        path = self.folder / "source.parquet"
        pyarrow.parquet.write_table(rows, path)
        self.target = str(self.folder / "release.parquet")
        return {"source": path}

    def released(self, release: shoal.Release) -> Rows:
        return duckdb.read_parquet(str(release.path)).fetchall()


class Folder(Parquet):
    """Several Parquet files, not partitioned."""

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        folder = self.folder / "people"
        folder.mkdir()
        half = rows.num_rows // 2
        for number, part in enumerate((rows.slice(0, half), rows.slice(half))):
            pyarrow.parquet.write_table(part, folder / f"part-{number}.parquet")
        self.target = str(self.folder / "released")
        return {"source": folder}

    def released(self, release: shoal.Release) -> Rows:
        return duckdb.read_parquet(f"{release.path}/*.parquet").fetchall()


class DuckTable(Place):
    target = "released people"

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        self.file = self.folder / "people.db"
        with duckdb.connect(self.file) as connection:
            connection.execute('CREATE TABLE "the people" AS SELECT * FROM rows')
        return {"source": f"duckdb:///{self.file}", "table": "the people"}

    def released(self, release: shoal.Release) -> Rows:
        with duckdb.connect(self.file, read_only=True) as connection:
            return connection.table(f'"{release.path}"').fetchall()


class DuckConnection(DuckTable):
    """A user's own connection."""

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        self.connection = duckdb.connect()
        self.connection.execute('CREATE TABLE "the people" AS SELECT * FROM rows')
        return {"source": self.connection, "table": "the people"}

    def released(self, release: shoal.Release) -> Rows:
        return self.connection.table(f'"{release.path}"').fetchall()


class Relation(Place):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        self.connection = duckdb.connect()
        return {"source": self.connection.sql("SELECT * FROM rows")}

    def released(self, release: shoal.Release) -> Rows:
        return release.data.fetchall()


class Arrow(Place):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        return {"source": rows}

    def released(self, release: shoal.Release) -> Rows:
        return list(zip(*release.data.to_pydict().values(), strict=True))


class Pandas(Arrow):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        return {"source": rows.to_pandas(types_mapper=_nullable)}

    def released(self, release: shoal.Release) -> Rows:
        frame = release.data.astype(object).where(release.data.notna(), None)
        return list(frame.itertuples(index=False, name=None))


class Polars(Arrow):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        import polars

        return {"source": polars.from_arrow(rows)}

    def released(self, release: shoal.Release) -> Rows:
        return release.data.rows()


class Postgres(Place):
    server = "postgres"
    target = "released people"

    def __init__(self, folder: Path, request: pytest.FixtureRequest) -> None:
        super().__init__(folder, request)
        self.database = request.getfixturevalue("postgres")

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.database.url) as connection, connection.cursor() as cursor:
            # Written as text and cast: what matters is what PostgreSQL holds, not how it came there.
            types = {
                name: _postgres_type(each)
                for name, each in zip(rows.column_names, rows.schema.types, strict=True)
            }
            texts = [
                column.cast(pyarrow.string()) if str(column.type) != "string" else column
                for column in rows.columns
            ]
            cursor.adbc_ingest("texts", pyarrow.table(texts, names=rows.column_names), mode="create")
            cells = ", ".join(
                f"CAST({_quoted(name)} AS {type_}) AS {_quoted(name)}" for name, type_ in types.items()
            )
            cursor.execute(f'CREATE TABLE "the people" AS SELECT {cells} FROM texts')
            cursor.execute("DROP TABLE texts")
            connection.commit()
        return {"source": self.database.url, "table": "the people"}

    def released(self, release: shoal.Release) -> Rows:
        return self.database.rows(f'SELECT * FROM "{release.path}"')


class PostgresFile(Postgres):
    """A table of PostgreSQL, released as a file."""

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        self.target = str(self.folder / "release.parquet")
        return super().put(rows)

    def released(self, release: shoal.Release) -> Rows:
        return duckdb.read_parquet(str(release.path)).fetchall()


class Psycopg(Postgres):
    """A user's own connection of a DB-API library."""

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        import psycopg

        super().put(rows)
        connection = self.database.closing(psycopg.connect(self.database.url))
        return {"source": connection, "table": "the people"}


class SparkFrame(Place):
    server = "spark"

    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        self.spark = self.request.getfixturevalue("spark")
        path = self.folder / "source.parquet"
        pyarrow.parquet.write_table(rows, path)
        return {"source": self.spark.read.parquet(str(path))}

    def released(self, release: shoal.Release) -> Rows:
        return [tuple(row) for row in release.data.collect()]


class SparkFolder(SparkFrame):
    def put(self, rows: pyarrow.Table) -> dict[str, Any]:
        super().put(rows)
        self.target = str(self.folder / "released")
        return {"source": shoal.TableSource(connection=self.spark, path=str(self.folder / "source.parquet"))}

    def released(self, release: shoal.Release) -> Rows:
        return duckdb.read_parquet(f"{release.path}/*.parquet").fetchall()


PLACES: dict[str, type[Place]] = {
    "csv": Csv,
    "parquet": Parquet,
    "folder": Folder,
    "duckdb": DuckTable,
    "duckdb connection": DuckConnection,
    "relation": Relation,
    "arrow": Arrow,
    "pandas": Pandas,
    "polars": Polars,
    "postgres": Postgres,
    "postgres file": PostgresFile,
    "psycopg": Psycopg,
    "spark": SparkFrame,
    "spark folder": SparkFolder,
}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _postgres_type(arrow: pyarrow.DataType) -> str:
    plain = {"int64": "bigint", "int16": "smallint", "double": "double precision", "string": "text"}
    plain |= {"bool": "boolean", "date32[day]": "date", "timestamp[us]": "timestamp"}
    text = str(arrow)
    return text.replace("decimal128", "numeric") if text.startswith("decimal") else plain[text]


def _nullable(arrow: pyarrow.DataType) -> Any:
    """pandas types that hold whole numbers and truth values beside missing ones."""
    import pandas

    return {
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.int16(): pandas.Int16Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
    }.get(arrow)
