"""Bounds next to labels, wherever a release is written."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import polars

import shoal
from tests.engines.postgres_server import Database
from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ASKED: dict[str, Any] = {
    "quasi_identifiers": ["age", "day"],
    "k": 3,
    "algorithm": "exact",
    "nodes": 500,
    "suppression": 0,
    "companions": True,
}
NAMES = ["age", "age_low", "age_high", "day", "day_low", "day_high", "kept"]
PEOPLE = """
    SELECT i AS age, DATE '2024-01-01' + (i * 9)::INT AS "day", i / 2.0::FLOAT8 AS kept
    FROM generate_series(1, 12) AS s(i)
"""


def check(rows: list[dict[str, Any]]) -> None:
    """Types and bounds of all rows."""
    assert len(rows) == 12
    for row in rows:
        assert list(row) == NAMES
        assert row["age"] == f"[{row['age_low']}, {row['age_high']}]"
        assert isinstance(row["day_low"], datetime.date)
        assert row["day"] == f"[{row['day_low']}, {row['day_high']}]"


def test_tables_and_files_of_postgres_have_companions(postgres: Database, tmp_path: Path) -> None:
    """Written at the server, and streamed to a file; the audit by the comment on the table holds."""
    postgres.execute(f"CREATE TABLE people AS {PEOPLE}")
    shoal.anonymize(postgres.url, table="people", path="released", **ASKED)
    check([dict(zip(NAMES, row, strict=True)) for row in postgres.rows("SELECT * FROM released")])
    source = shoal.TableSource(connection=postgres.url, table="released")
    assert shoal.audit(source, quasi_identifiers=["age", "day"], k=3).meets
    read = shoal.read(source, columns={"age": "lower"})
    assert sorted(read["age"]) == sorted(low for (low,) in postgres.rows("SELECT age_low FROM released"))
    path = tmp_path / "released.parquet"
    shoal.anonymize(postgres.url, table="people", path=path, **ASKED)
    check(polars.read_parquet(path).to_dicts())


def test_tables_and_folders_of_duckdb_have_companions(tmp_path: Path) -> None:
    """Tables with types, and folders of Parquet files."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people AS {PEOPLE}")
        connection.execute(f"COPY people TO '{tmp_path}/people.parquet'")
    shoal.anonymize(f"duckdb:///{path}", table="people", path="released", **ASKED)
    with duckdb.connect(str(path)) as connection:
        released = connection.execute("SELECT * FROM released").fetchall()
    check([dict(zip(NAMES, row, strict=True)) for row in released])
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "people.parquet").rename(folder / "part.parquet")
    shoal.anonymize(folder, path=tmp_path / "released", **ASKED)
    (file,) = (tmp_path / "released").glob("*.parquet")
    check(polars.read_parquet(file).to_dicts())


def test_spark_writes_companions(spark: SparkSession) -> None:  # noqa: F811
    """As columns of the data frame that is handed out."""
    rows = [
        (each, datetime.date(2024, 1, 1) + datetime.timedelta(9 * each), each / 2) for each in range(1, 13)
    ]
    frame = spark.createDataFrame(rows, "age int, day date, kept double")
    release = shoal.anonymize(frame, **ASKED)
    check([row.asDict() for row in release.data.collect()])
