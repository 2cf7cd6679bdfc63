"""Spark's errors, in our own messages.

Spark quotes cells, plans and addresses in its messages, and logs some of them by itself. None of that is
repeated: the names of Java classes and Spark's own conditions identify the cause.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from typing import Any

from shoal.errors import EngineError, PolicyError

# The first match in a trace names the cause; symptoms come after their possible causes.
_CAUSES = [
    (r"No space left on device|DiskOutOfSpaceException|QuotaExceeded", "No space left on device"),
    (r"Read-only file system", "Read-only file system"),
    (
        r"AccessControlException|AccessDeniedException|Permission denied|Operation not permitted"
        r"|Mkdirs failed to create|Unable to create directory|INSUFFICIENT_PERMISSIONS",
        "Permission denied",
    ),
    (r"maxResultSize", "the result is too large for the driver; raise spark.driver.maxResultSize"),
    (
        r"SparkOutOfMemory|OutOfMemoryError|CannotGrowBufferHolder|GC overhead|_OUT_OF_MEMORY",
        "Spark ran out of memory; give its executors or its driver more",
    ),
    (
        r"CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND|Checkpoint block .* not found",
        "an executor was lost, with rows that only it had; run again",
    ),
    (
        r"PATH_ALREADY_EXISTS|FileAlreadyExistsException|ALREADY_EXISTS|LOCATION_ALREADY",
        "the target already exists",
    ),
    (r"TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|NoSuchTable|NoSuchNamespace", "the table does not exist"),
    (r"PATH_NOT_FOUND|Path does not exist", "the file or folder does not exist"),
    (
        r"FileNotFoundException|FILE_NOT_EXIST|NoSuchFileException|SparkFileNotFound",
        "a file is missing; did it change meanwhile, or do some workers not see it?",
    ),
    (r"UNABLE_TO_INFER_SCHEMA", "the path contains no data"),
    (
        r"CANNOT_READ_FILE|FAILED_READ_FILE|is not a Parquet file|PARQUET_COLUMN_DATA_TYPE_MISMATCH",
        "a file cannot be read; is it complete, with the same columns as the others?",
    ),
    (
        r"ExecutorLostFailure|ExecutorDeadException|FetchFailed|SHUFFLE_BLOCK|heartbeat timed out"
        r"|ResultStage.* has failed the maximum",
        "executors were lost until Spark gave up; run again",
    ),
    (r"masters are unresponsive|Connection refused|ConnectException|UnknownHost", "no server answers there"),
    (
        r"SparkContext was shut down|stopped SparkContext|SparkContext has been shutdown",
        "the Spark session was stopped meanwhile",
    ),
    (r"cancelled|CANCELLED", "the job was cancelled"),
    (
        r"ModuleNotFoundError|ImportError|Cannot run program",
        "the workers' Python lacks Shoal; install it there, and set PYSPARK_PYTHON to that Python",
    ),
    (
        r"CAST_INVALID_INPUT|CAST_OVERFLOW|ARITHMETIC_OVERFLOW|NumberFormatException",
        "a cell does not fit its type; did the source change since its rows were counted?",
    ),
]

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextlib.contextmanager
def translated(about: str) -> Iterator[None]:
    """Turn Spark's errors into ours.

    Parameters
    ----------
    about
        What to call the subject of the work.
    """
    from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        with unlogged():
            yield
    except Py4JJavaError as error:
        raise EngineError(
            f"{about}: {_cause(str(error), error.java_exception.getClass().getName())}"
        ) from None
    except PySparkException as error:
        raise EngineError(f"{about}: {_cause(_trace(error), _condition(error))}") from None
    except (Py4JError, ConnectionError):
        raise EngineError(f"{about}: Spark's Java process is gone; run again") from None


@contextlib.contextmanager
def unlogged() -> Iterator[None]:
    """Keep Spark's Python side from logging error messages, even for errors that are caught."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [each.disabled for each in loggers]
    for each in loggers:
        each.disabled = True
    try:
        yield
    finally:
        for each, disabled in zip(loggers, before, strict=True):
            each.disabled = disabled


def quieten_lost_calls() -> None:
    """Keep py4j from logging a traceback for each call after Java is gone, for the rest of the process.

    Not only inside `translated`: Python calls Java, too, for every object that it clears away, at any time.
    """
    logging.getLogger().addFilter(_QUIET)


class _Quiet(logging.Filter):
    """Drops what py4j logs by the root logger; a call that failed also raises, and `translated` says so."""

    def filter(self, record: logging.LogRecord) -> bool:
        return f"{os.sep}py4j{os.sep}" not in record.pathname


_QUIET = _Quiet()


def _trace(error: Exception) -> str:
    """The text to search for causes: the message, and the traces of this error and its causes."""
    texts: list[str] = []
    at: Any = error
    while at is not None and len(texts) < 20:
        texts += [getattr(at, "_desc", None) or "", getattr(at, "_stackTrace", None) or "", _condition(at)]
        at = getattr(at, "_cause", None)
    return "\n".join(texts)


def _condition(error: Exception) -> str:
    """Spark's own name for what went wrong."""
    named = getattr(error, "getCondition", lambda: None)()
    return str(named or type(error).__name__)


def _cause(trace: str, otherwise: str) -> str:
    for pattern, message in _CAUSES:
        if re.search(pattern, trace):
            return message
    return f"Spark failed ({otherwise})"


def missing_package() -> PolicyError:
    """The error if pyspark is not installed."""
    return PolicyError("Spark is an extra: pip install 'shoal[spark]'")
