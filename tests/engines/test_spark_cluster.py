"""A cluster finds what one machine does. The loss of a worker is survived, that of all is an error."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

import shoal
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.engines.spark import session as spark_session
from shoal.engines.spark.connection import Connected
from shoal.engines.spark.engine import Spark
from shoal.engines.spark.session import SparkSqlSession
from shoal.errors import EngineError
from tests.engines.spark_cluster import Cluster, Sparks, cluster, sparks  # noqa: F401  fixtures
from tests.engines.test_spark_mondrian import check_as_in_one_place, cube
from tests.patience import until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 24

pytestmark = pytest.mark.slow


def table_of(spark: SparkSession, milliseconds: int = 0) -> DataFrame:
    """A table of eight parts; whoever reads `slow` waits so long a row."""
    slow = f"reflect('java.lang.Thread', 'sleep', bigint({milliseconds})) AS slow"
    return spark.range(0, ROWS, 1, 8).selectExpr("id % 4 AS age", "id AS person", slow)


def has_a_part(folder: Path) -> bool:
    """Whether Spark has begun to write; folders that it moves meanwhile are passed over."""
    return any(
        name.endswith(".parquet")
        for place, _, names in os.walk(folder)
        for name in names
        if "_temporary" in place
    )


@contextlib.contextmanager
def killed_while_writing(cluster: Cluster, folder: Path, workers: int) -> Iterator[None]:  # noqa: F811
    """Kill workers as soon as a first part of a release is written; fail if the run ended before."""
    over = threading.Event()

    def kill() -> None:
        while not has_a_part(folder):
            if over.wait(0.02):
                return
        for _ in range(workers):
            cluster.kill_worker()

    before = cluster.workers
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert cluster.workers == before - workers, "the run ended before anything was written"


def with_all_workers(cluster: Cluster, sparks: Sparks) -> SparkSession:  # noqa: F811
    """A session that has an executor in each worker: they need seconds to start, or to be missed."""
    spark = sparks.session(cluster.master)
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    until(lambda: executors().size() - 1 == cluster.workers)  # the driver is one
    return spark


def released(path: Path) -> Counter[str]:
    return Counter(pyarrow.parquet.read_table(path)["age"].to_pylist())


def test_two_workers_find_the_same(cluster: Cluster, sparks: Sparks) -> None:  # noqa: F811
    """The fragments of Mondrian are cut in both processes, and nothing else changes."""
    session = SparkSqlSession(Connected(with_all_workers(cluster, sparks), started=False))
    check_as_in_one_place(session, cube(), Mondrian(), 700)
    session.close()


def test_a_worker_that_dies_is_replaced_by_the_other(
    cluster: Cluster,  # noqa: F811
    sparks: Sparks,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Its rows are written by the other one, each of them once."""
    spark = with_all_workers(cluster, sparks)
    target = tmp_path / "out.parquet"
    with Spark(spark) as engine:
        with killed_while_writing(cluster, tmp_path, workers=1):
            release = shoal.anonymize(
                table_of(spark, milliseconds=200), quasi_identifiers=["age"], k=3, path=target, engine=engine
            )
        until(lambda: engine.session._executors() == 1)
    assert release.verdict.holds
    assert set(released(target).values()) == {ROWS // 4}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.parquet.manifest.json"]


def test_a_cluster_without_workers_is_an_error(
    cluster: Cluster,  # noqa: F811
    sparks: Sparks,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark would wait for workers forever. Nothing is visible, and a run with a new worker succeeds."""
    spark = with_all_workers(cluster, sparks)
    target = tmp_path / "out.parquet"
    with monkeypatch.context() as soon, Spark(spark) as engine:
        soon.setattr(spark_session, "SECONDS_WITHOUT_EXECUTOR", 3.0)
        with (
            killed_while_writing(cluster, tmp_path, workers=cluster.workers),
            pytest.raises(EngineError, match=r"no executor|executors were lost"),
        ):
            shoal.anonymize(
                table_of(spark, milliseconds=200), quasi_identifiers=["age"], k=3, path=target, engine=engine
            )
    assert list(tmp_path.iterdir()) == []
    cluster.add_workers("another")
    spark = with_all_workers(cluster, sparks)
    with Spark(spark) as engine:
        shoal.anonymize(table_of(spark), quasi_identifiers=["age"], k=3, path=target, engine=engine)
    assert set(released(target).values()) == {ROWS // 4}
