"""How many jobs Spark runs for a release: a number that no machine's load changes, unlike seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import shoal
from shoal.engines._base import Application
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.spark import lookups
from shoal.engines.spark.engine import Spark
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.recoding import CutRecoding

from .spark_cluster import spark, sparks

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["spark", "sparks"]


def columns(number: int) -> dict[str, list[str | None]]:
    """Columns of categories whose order is learned from the others, with missing cells."""
    return {
        f"c{at}": [None if (row + at) % 13 == 0 else f"v{row * (at + 3) % 5}" for row in range(30)]
        for at in range(number)
    }


def frame(spark: SparkSession, number: int) -> DataFrame:
    """The columns, in a session that plans as users' sessions do."""
    own = spark.newSession()
    own.conf.set("spark.sql.adaptive.enabled", "true")
    cells = columns(number)
    rows = list(zip(*cells.values(), strict=True))
    return own.createDataFrame(rows, ", ".join(f"{name} string" for name in cells))


def jobs(spark: SparkSession, work: Callable[[], Any]) -> tuple[int, Any]:
    """The jobs that a piece of work runs, and what it returns."""
    scheduler = spark.sparkContext._jsc.sc().dagScheduler()
    before = scheduler.numTotalJobs()
    found = work()
    return scheduler.numTotalJobs() - before, found


def quasi(number: int) -> list[Attribute]:
    return [Attribute(name=f"c{at}", role=Role.QUASI_IDENTIFIER) for at in range(number)]


def test_the_number_of_jobs_does_not_depend_on_the_number_of_columns(spark: SparkSession) -> None:
    """Count: a GROUP BY, its number, all cells, one fetch. Write: lookups, groups, labels, rows."""
    found = {}
    for number in (2, 4):
        source = frame(spark, number)
        with Spark(source.sparkSession) as engine:
            count, counted = jobs(spark, lambda s=source, e=engine, n=number: e.count(s, quasi(n)))
            domains = counted.frequencies.domains
            recoding = CutRecoding(cuts=tuple((len(domain) // 2,) for domain in domains))
            application = Application(recoding=recoding, k=4)
            write, _ = jobs(spark, lambda s=source, e=engine, c=counted, a=application: e.apply(s, c, a))
        found[number] = (count, write)
    assert found[2] == found[4]
    count, write = found[4]
    assert count <= 8
    assert write <= 5


def test_a_release_takes_fewer_than_two_dozen_jobs(spark: SparkSession, tmp_path: Path) -> None:
    """From the front door to a folder with its manifest, checks, audit and warnings included."""
    source = frame(spark, 4)
    run, release = jobs(
        spark,
        lambda: shoal.anonymize(
            source,
            quasi_identifiers=[f"c{at}" for at in range(4)],
            k=4,
            algorithm="lattice",
            path=tmp_path / "release",
        ),
    )
    assert release.verdict.holds
    assert run <= 20


def test_cells_with_equal_hashes_are_told_apart(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes can be equal, by chance or by somebody's design: then texts are compared."""
    import pandas as pd

    table: pd.DataFrame = pd.DataFrame(columns(2))
    with DuckDB() as engine:
        expected = engine.count(table, quasi(2)).frequencies
    monkeypatch.setattr(
        lookups.SparkDictionary,
        "__init__",
        lambda self, session, texts, hashes, plain=lookups.SparkDictionary.__init__: plain(
            self, session, texts, [7 for _ in hashes]
        ),
    )
    source = frame(spark, 2)
    with Spark(source.sparkSession) as engine:
        found = engine.count(source, quasi(2)).frequencies
    assert [domain.values for domain in found.domains] == [domain.values for domain in expected.domains]
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


def test_books_keep_the_hashes_of_columns_apart() -> None:
    """The same cells in two columns get different keys; a book that has no room says so."""
    import numpy as np

    book = lookups.Book("book")
    hashes, numbers = np.array([5, 2**62, -9], np.int64), np.array([0, 1, 2], np.int32)
    salts = [book.entered(hashes, numbers) for _ in range(3)]
    assert len(set(salts)) == 3
    entries = book.table()
    assert entries.num_rows == 9
    assert len(set(entries["book_key"].to_pylist())) == 9
    for salt in salts:
        assert salt is not None
        keys = entries["book_key"].to_pylist()
        assert [entries["book_number"][keys.index(int(h) ^ salt)].as_py() for h in hashes] == [0, 1, 2]
    assert book.entered(np.arange(2**18, dtype=np.int64), np.zeros(2**18, np.int32)) is None
    assert book.entered(np.array([5, 5], np.int64), np.zeros(2, np.int32)) is None
    assert book.table().num_rows == 9
