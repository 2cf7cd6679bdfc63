"""Spark's releases under faults: kills between two renames, two writers, a Java process that dies.

The staged folders are written by hand, without a job: what is looked at is how they get their names.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlglot import exp

from shoal.engines.spark.connection import Connected
from shoal.engines.spark.errors import translated
from shoal.engines.spark.files import Files
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.spark.staging import MARK, StagedFolder, StagedTable, manifest_of
from shoal.errors import EngineError, PolicyError
from tests.engines.spark_cluster import SETTINGS, need_spark, spark, sparks  # noqa: F401  fixtures
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class KilledError(BaseException):
    """Ends a run where a kill would."""


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSqlSession]:  # noqa: F811
    opened = SparkSqlSession(Connected(spark, started=False))
    yield opened
    opened.close()


def manifest(version: str) -> str:
    """What counts as a manifest, of one version of a release."""
    return json.dumps({"shoal": version, "policy_digest": "", "recoding": {}, "audit": {}})


def release(session: SparkSqlSession, target: Path, version: str, *, clean: bool = True) -> None:
    """Publish a folder whose only file names its version; a killed run does not clean up."""
    staged = StagedFolder(session, str(target))
    staged.check({})
    staged.__enter__()
    Files(session.spark).write(f"{staged.place}/part.parquet", version)
    staged.settle()
    try:
        staged.publish(manifest(version))
    finally:
        if clean:
            staged.__exit__()


def state(target: Path) -> str | None:
    """The version of a release, and nothing of another next to it."""
    beside = target.with_name(f"{target.name}.manifest.json")
    if not target.exists():
        return None
    version = (target / "part.parquet").read_text()
    assert sorted(path.name for path in target.iterdir()) == [MARK, "part.parquet"]
    assert not beside.exists() or json.loads(beside.read_text())["shoal"] == version
    return version


@pytest.mark.parametrize(
    ("exchanges", "moment", "left"),
    [(True, 1, "old"), (True, 2, "new"), (False, 1, "old"), (False, 2, None), (False, 3, "new")],
)
def test_a_killed_client_leaves_a_folder_old_or_new(
    session: SparkSqlSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exchanges: bool,
    moment: int,
    left: str | None,
) -> None:
    """Where folders cannot be exchanged, the name can be absent: the next run puts the old release back."""
    target = tmp_path / "out"
    release(session, target, "old")
    moves: list[str] = []

    def counted(move: Any) -> Any:
        def moved(files: Files, one: str, other: str) -> Any:
            moves.append(other)
            if len(moves) == moment:
                raise KilledError
            return move(files, one, other)

        return moved

    with monkeypatch.context() as patched:
        patched.setattr(Files, "rename", counted(Files.rename))
        patched.setattr(Files, "exchange", counted(Files.exchange) if exchanges else lambda *_: False)
        with pytest.raises(KilledError):
            release(session, target, "new", clean=False)
    assert state(target) == left
    with StagedFolder(session, str(target)):  # a later run that publishes nothing
        assert state(target) == (left or "old")
    release(session, target, "later")
    assert state(target) == "later"
    assert not list(tmp_path.glob(".shoal-old-*"))


def test_writers_of_one_folder_wait_for_each_other(session: SparkSqlSession, tmp_path: Path) -> None:
    """Release and manifest are of one run, and no folder ends up inside another."""
    target = tmp_path / "out"
    versions = [f"v{number}" for number in range(4)]
    writers = [threading.Thread(target=release, args=(session, target, version)) for version in versions]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert state(target) in versions
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.manifest.json"]


def test_a_folder_that_came_meanwhile_is_not_replaced(session: SparkSqlSession, tmp_path: Path) -> None:
    """It is looked at before the work, and again before the release gets its name."""
    staged = StagedFolder(session, str(tmp_path / "out"))
    staged.check({})
    with staged:
        Files(session.spark).write(f"{staged.place}/part.parquet", "new")
        staged.settle()
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").touch()
        with pytest.raises(PolicyError, match="is not a release of Shoal, so it is not replaced"):
            staged.publish(manifest("new"))
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["out", "out/mine"]


@pytest.fixture
def target(session: SparkSqlSession) -> Iterator[exp.Table]:
    """The name of a table, which is dropped in the end."""
    yield exp.to_table("faults_released")
    session.command("DROP TABLE IF EXISTS faults_released", "the test")


def table_release(session: SparkSqlSession, target: exp.Table, version: str) -> None:
    """Publish a table with one row that names its version."""
    staged = StagedTable(session, target)
    staged.check(None)
    with staged:
        made = f"CREATE TABLE {session.rendered(staged.place)} USING parquet AS SELECT '{version}' AS v"
        session.command(made, "the test")
        staged.publish(manifest(version))


def table_state(session: SparkSqlSession, target: exp.Table) -> str:
    ((version,),) = session.shown(f"SELECT v FROM {session.rendered(target)}", "the test")
    assert json.loads(manifest_of(session, target) or "{}")["shoal"] == version
    return str(version)


def test_a_killed_client_leaves_the_old_table_to_the_next_run(
    session: SparkSqlSession, target: exp.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames the name is absent; the next run took the old release for its own leftover."""
    table_release(session, target, "old")
    rename, moves = StagedTable._rename, []

    def killed(staged: StagedTable, old: exp.Table, new: exp.Table) -> None:
        moves.append(new)
        if len(moves) == 2:
            raise KilledError
        rename(staged, old, new)

    with monkeypatch.context() as patched:
        patched.setattr(StagedTable, "_rename", killed)
        with pytest.raises(KilledError):
            table_release(session, target, "new")
    assert not session.spark.catalog.tableExists(target.name)
    with StagedTable(session, target):
        assert table_state(session, target) == "old"
    table_release(session, target, "later")
    assert table_state(session, target) == "later"


def test_of_two_writers_of_a_table_one_wins(session: SparkSqlSession, target: exp.Table) -> None:
    """The other may fail with a sentence; the table is one of theirs, with its own manifest."""
    table_release(session, target, "old")
    failed: list[str] = []

    def write(version: str) -> None:
        try:
            table_release(session, target, version)
        except EngineError as error:
            failed.append(str(error))

    writers = [threading.Thread(target=write, args=(version,)) for version in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(failed) < 2
    with StagedTable(session, target):
        assert table_state(session, target) in ("one", "two")


DYING = """
import os, signal, sys
from pyspark import SparkContext
from shoal.engines.spark.engine import Spark
apply = Spark.apply
def applied(self, *arguments):
    java = SparkContext._gateway.proc
    os.kill(java.pid, signal.SIGKILL)
    java.wait()
    return apply(self, *arguments)
Spark.apply = applied
from shoal.cli import main
main()
"""


@pytest.mark.slow
def test_a_java_process_that_dies_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    """It ended with the tracebacks of py4j; nothing is published."""
    need_spark()
    (tmp_path / "people.csv").write_text("age\n" + "1\n2\n" * 5)
    source = '[source]\nconnection = "local[1]"\npath = "people.csv"\n[privacy]\nk = 2\n'
    roles = '[attributes.age]\nrole = "quasi-identifier"\n[release]\npath = "out.parquet"\n'
    (tmp_path / "policy.toml").write_text(source + roles)
    run = subprocess.run(
        [sys.executable, "-c", DYING, "anonymize", "policy.toml", "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (run.returncode, run.stdout) == (6, "")
    assert run.stderr == "shoal: Spark: Spark's Java process is gone; run again\n"
    assert not (tmp_path / "out.parquet").exists()


def test_a_lost_connection_to_java_is_a_sentence() -> None:
    """Also one that is only noticed when the next call is refused."""
    need_spark()
    gone = pytest.raises(EngineError, match="the release: Spark's Java process is gone; run again")
    with gone, translated("the release"):
        raise ConnectionRefusedError(111, "Connection refused")
