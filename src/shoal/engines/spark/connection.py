"""Spark sessions: open in this process, or started for a connection like `spark://host:7077`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.engines.spark.errors import missing_package, translated
from shoal.errors import EngineError, PolicyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL = re.compile(r"local(\[(\d+|\*)\])?")
_MASTER = re.compile(r"spark://([^/@:,\s]+):(\d+)")
_SECONDS_TO_ANSWER = 5.0


@dataclass(frozen=True)
class Connected:
    """A Spark session, and whether it was started here: then it is also stopped here."""

    spark: SparkSession
    started: bool


def is_connection(text: str) -> bool:
    """Whether a text is a Spark connection."""
    return bool(_LOCAL.fullmatch(text)) or text.startswith("spark://")


def connect(connection: str, settings: dict[str, str] | None = None) -> Connected:
    """The session of a connection; this process's own, if it uses the same master.

    Parameters
    ----------
    connection
        `local` for all cores of this machine, `local[n]` for some, or the address of a master.
    settings
        Spark's own settings for a new session; they override those below.
    """
    local, master = _LOCAL.fullmatch(connection), _MASTER.fullmatch(connection)
    if local is None and master is None:
        raise PolicyError(
            f"a Spark connection is local, local[n] or spark://host:port; it is {_without_user(connection)!r}"
        )
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_package() from None

    requested = "local[*]" if connection == "local" else connection
    running = SparkSession.getActiveSession()
    if running is not None and running.sparkContext._jsc is not None:
        if running.sparkContext.master == requested:
            return Connected(running, started=False)
        raise PolicyError(
            "another Spark session is open in this process, and only one is possible; stop it, or pass "
            "one of its data frames"
        )
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise EngineError("Spark needs Java 17 or newer, and java was not found; install it")
    if master is not None:
        _check_answers(master[1], int(master[2]))
    merged = {**_SETTINGS, **(_LOOPBACK if local else {}), **(settings or {})}
    return Connected(_started(requested, merged), started=True)


# Errors reach the user as our messages; Spark's log would print cells.
_SETTINGS = {
    "spark.app.name": "shoal",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def _started(master: str, settings: dict[str, str]) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf().setMaster(master).setAll(list(settings.items()))
    with translated("Spark"), _own_signals(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of versions of pandas, which is not used
        try:
            # A Java process outlives its sessions. It prints warnings before it reads its log level.
            gateway: Any = SparkContext._gateway
            if gateway is None:
                launch: Any = launch_gateway
                gateway = launch(conf, popen_kwargs={"stderr": subprocess.DEVNULL})
            context = SparkContext(conf=conf, gateway=gateway)
        except (RuntimeError, OSError) as error:
            if isinstance(error, ConnectionError):
                raise
            raise EngineError("Spark's Java process did not start; is it Java 17 or newer?") from None
        if _LOCAL.fullmatch(master):
            # The first python3 on the path, which Spark would use, may lack Shoal.
            context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
        return SparkSession(context)


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep the handler of Ctrl-C: Spark sets one that cancels everybody's jobs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _check_answers(host: str, port: int) -> None:
    """Raise if nobody listens: Spark itself would try for a minute, and give no reason."""
    try:
        socket.create_connection((host, port), timeout=_SECONDS_TO_ANSWER).close()
    except OSError as error:
        raise EngineError(
            f"no Spark master answers at {host}:{port} ({error.strerror or 'no answer'}); is it running, and "
            "is the port that of the master, mostly 7077?"
        ) from None


def _without_user(connection: str) -> str:
    return re.sub(r"//[^/]*@", "//…@", connection)
