"""Spark for tests: a local session, and a standalone cluster of one master and two workers on loopback.

There is room for one Spark session in a process, and starting Java takes seconds: the local one is opened
once, and shut for the tests that need the cluster.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from tests.patience import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tests run many small statements once: the second compiler never pays, nor does checking Spark's own classes.
_QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.extraJavaOptions": _QUICK,
}

# Compiling whole stages and planning anew take longer than the few rows; the cluster does both, as users do.
_INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
}

# A worker that dies is noticed when its connections break; where one does not, when it is silent for so long.
# Spark's own default is two minutes.
_CLUSTER = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.heartbeatInterval": "3s",
    "spark.network.timeout": "30s",
    "spark.network.timeoutInterval": "5s",
}


def need_spark() -> None:
    """Skip where Spark cannot run; fail if servers are demanded."""
    reason = None
    try:
        import pyspark  # noqa: F401
    except ImportError:
        reason = "pyspark is not installed"
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        reason = "there is no Java"
    if reason is None:
        return
    if os.environ.get("SHOAL_REQUIRE_SERVERS") == "1":
        pytest.fail(f"SHOAL_REQUIRE_SERVERS=1, but {reason}")
    pytest.skip(reason)


class Sparks:
    """The Spark sessions of a test run, one at a time.

    A fixture that several modules import is made once for each of them; what is open is known to all.
    """

    _open: ClassVar[dict[str, SparkSession]] = {}

    def __init__(self, warehouse: Path) -> None:
        self._warehouse = warehouse

    def session(self, master: str) -> SparkSession:
        """The session of a master; the one of another is stopped."""
        from shoal.engines.spark.connection import connect

        if master not in self._open:
            self.stop()
            more = {"spark.sql.warehouse.dir": str(self._warehouse)}
            more |= _INTERPRETED if master.startswith("local") else _CLUSTER
            self._open[master] = connect(master, {**SETTINGS, **more}).spark
            # The workers are of this machine, and their Python is this one.
            self._open[master].sparkContext.pythonExec = sys.executable
        return self._open[master]

    def stop(self) -> None:
        for session in self._open.values():
            session.stop()
        self._open.clear()


@pytest.fixture(scope="session")
def sparks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sparks]:
    """Where tests get their Spark sessions from."""
    need_spark()
    made = Sparks(tmp_path_factory.mktemp("warehouse"))
    yield made
    made.stop()


@pytest.fixture
def spark(sparks: Sparks) -> SparkSession:
    """Spark inside one Java process of this machine."""
    return sparks.session("local[2]")


class Cluster:
    """A master and its workers, each a Java process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        self._port = _free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.master = f"spark://127.0.0.1:{self._port}"
        ports = ["--host", "127.0.0.1", "--port", str(self._port), "--webui-port", "0"]
        master = self._start("master", "org.apache.spark.deploy.master.Master", ports)
        until(lambda: _listens(self._port), master.poll)
        self._workers: list[subprocess.Popen[bytes]] = []
        self.add_workers(*(f"worker{index}" for index in range(workers)))

    def add_workers(self, *names: str) -> None:
        """More workers, registered when this returns."""
        asked = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "600m"]
        started = {}
        for name in names:
            own = [*asked, "--work-dir", str(self._folder / name), self.master]
            started[name] = self._start(name, "org.apache.spark.deploy.worker.Worker", own)
        self._workers += started.values()
        for name, process in started.items():
            log = self._folder / f"{name}.log"
            until(lambda log=log: b"registered with master" in log.read_bytes(), process.poll)

    @property
    def workers(self) -> int:
        """How many workers live."""
        return len(self._workers)

    def kill_worker(self) -> None:
        """Kill a worker with its executors, as if the machine had lost its power."""
        os.killpg(self._workers.pop().pid, signal.SIGKILL)

    def stop(self) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, java_class: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "128m",
            "SPARK_DAEMON_JAVA_OPTS": _QUICK,
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [home / "bin" / "spark-class", java_class, *arguments],
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,  # killed as a group: an executor is a child of its worker
            )
        self._processes.append(process)
        return process


@pytest.fixture(scope="module")
def cluster(sparks: Sparks, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with two workers."""
    made = Cluster(tmp_path_factory.mktemp("cluster"), workers=2)
    yield made
    sparks.stop()
    made.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False
