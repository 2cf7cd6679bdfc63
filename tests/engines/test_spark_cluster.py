"""On a cluster the loss of a worker is survived; that of all is an error, and nothing is left behind."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

import shoal
from shoal.engines import spark_session
from shoal.engines.spark import Spark
from shoal.errors import EngineError
from tests.engines.spark_cluster import Cluster, Sparks, cluster, sparks  # noqa: F401  fixtures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 48


def slow_table(spark: SparkSession) -> DataFrame:
    """A table of twelve parts; whoever reads `slow` waits a fifth of a second a row."""
    slow = "reflect('java.lang.Thread', 'sleep', bigint(200)) AS slow"
    return spark.range(0, ROWS, 1, 12).selectExpr("id % 4 AS age", "id AS person", slow)


def kill_while_writing(cluster: Cluster, folder: Path, workers: int) -> threading.Thread:  # noqa: F811
    """Kill workers as soon as a first part of a release is written."""

    def kill() -> None:
        end = time.monotonic() + 120
        while not list(folder.glob(".shoal-*/_temporary/**/*.parquet")) and time.monotonic() < end:
            time.sleep(0.05)
        for _ in range(workers):
            cluster.kill_worker()

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def released(path: Path) -> Counter[str]:
    return Counter(pyarrow.parquet.read_table(path)["age"].to_pylist())


def test_a_worker_that_dies_is_replaced_by_the_other(
    cluster: Cluster,  # noqa: F811
    sparks: Sparks,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Its rows are written by the other one, each of them once."""
    spark = sparks.session(cluster.master)
    target = tmp_path / "out.parquet"
    with Spark(spark) as engine:
        killing = kill_while_writing(cluster, tmp_path, workers=1)
        release = shoal.anonymize(
            slow_table(spark), quasi_identifiers=["age"], k=3, path=target, engine=engine
        )
        killing.join()
        assert engine.session._executors() == 1
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
    spark = sparks.session(cluster.master)
    target = tmp_path / "out.parquet"
    with monkeypatch.context() as soon, Spark(spark) as engine:
        soon.setattr(spark_session, "SECONDS_WITHOUT_EXECUTOR", 3.0)
        killing = kill_while_writing(cluster, tmp_path, workers=cluster.workers)
        with pytest.raises(EngineError, match=r"no executor|executors were lost"):
            shoal.anonymize(slow_table(spark), quasi_identifiers=["age"], k=3, path=target, engine=engine)
        killing.join()
    assert list(tmp_path.iterdir()) == []
    cluster.add_workers("another")
    with Spark(spark) as engine:
        shoal.anonymize(slow_table(spark), quasi_identifiers=["age"], k=3, path=target, engine=engine)
    assert set(released(target).values()) == {ROWS // 4}
