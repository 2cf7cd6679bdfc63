"""Spark's session keeps what every engine's session promises, and leaves the user's session alone."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlglot import exp, parse_one

from shoal.engines.spark.connection import Connected, connect
from shoal.engines.spark.errors import _cause
from shoal.engines.spark.session import SparkSqlSession
from shoal.errors import EngineError, PolicyError
from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures
from tests.patience import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXTS = [
    *("a", "", " ", "ü😀", "O'Neil", "a''b", "\\", "\\\\", "a\\'b", "\\u0041", "a\nb\tc\r", "%_\\%"),
    *("${x}", '"quoted"', "`tick`", "\x00", "NULL", "null", "x" * 70_000),
]


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSqlSession]:  # noqa: F811
    opened = SparkSqlSession(Connected(spark, started=False))
    yield opened
    opened.close()


def query(text: str) -> exp.Expression:
    return parse_one(text, dialect="spark")


def test_every_text_is_itself_as_a_literal(session: SparkSqlSession) -> None:
    """Quotes, backslashes, line ends, variables and signs of any plane mean nothing in a literal."""
    literals = [exp.alias_(exp.Literal.string(text), f"t{index}") for index, text in enumerate(TEXTS)]
    assert session.row(exp.select(*literals), "texts") == tuple(TEXTS)


def test_every_name_is_itself_when_quoted(session: SparkSqlSession) -> None:
    """Spaces, dots and backticks are parts of a name."""
    names = ["a b", "a`b", "a.b", 'a"b', "ü", "a\\b", "a'b", "select", "A", "a"]
    columns = [exp.alias_(exp.Literal.number(1), name, quoted=True) for name in names]
    assert session.frame(exp.select(*columns)).columns == names


def test_a_dictionary_finds_every_text_and_the_missing_cell(session: SparkSqlSession) -> None:
    """Positions are those of the sorted texts; the missing cell comes last, an unknown one has no number."""
    table = session.upload("texts", {"t": [*TEXTS, None, "stranger"]})
    known = exp.select("t").from_(table).where("t IS NOT NULL AND t <> 'stranger'")
    dictionary, texts = session.dictionary(known, "texts")
    assert texts == sorted(TEXTS)
    assert dictionary.size == len(TEXTS)
    looked = dictionary.value(exp.column("t"))
    found = session.rows(
        exp.select("t", exp.alias_(looked.value, "p")).from_(table).join(looked.join), "texts"
    )
    expected = {text: position for position, text in enumerate(sorted(TEXTS))}
    assert dict(found) == {**expected, None: len(TEXTS), "stranger": None}


def test_numbers_of_cells_may_be_absent(session: SparkSqlSession) -> None:
    """A negative number is no number, for a text and for the missing cell alike."""
    table = session.upload("texts", {"t": ["a", "b", None]})
    dictionary, _ = session.dictionary(query("SELECT 'a' AS t UNION ALL SELECT 'b'"), "texts")
    looked = dictionary.value(exp.column("t"), np.array([7, -1, -1], np.int32))
    found = session.rows(
        exp.select("t", exp.alias_(looked.value, "p")).from_(table).join(looked.join), "texts"
    )
    assert dict(found) == {"a": 7, "b": None, None: None}


def test_an_empty_dictionary_knows_the_missing_cell(session: SparkSqlSession) -> None:
    """A column of which every cell is missing has one code."""
    table = session.upload("texts", {"t": ["a", None]})
    dictionary, texts = session.dictionary(query("SELECT 'a' AS t WHERE false"), "texts")
    looked = dictionary.value(exp.column("t"))
    found = session.rows(exp.select("t", looked.value.as_("p")).from_(table).join(looked.join), "texts")
    assert (texts, dict(found)) == ([], {"a": None, None: 0})


def test_a_list_gives_the_text_at_a_position(session: SparkSqlSession) -> None:
    """Labels are quoted by nobody; beyond the ends and at NULL there is none."""
    texts = [*TEXTS, None]
    table = session.upload("positions", {"p": np.arange(-1, len(texts) + 1)})
    label = session.listed(texts, exp.column("p"))
    found = dict(session.rows(exp.select("p", label.as_("t")).from_(table), "positions"))
    assert found == {-1: None, len(texts): None, **dict(enumerate(texts))}
    nothing = session.listed(texts, query("CAST(NULL AS INT)"))
    assert session.row(exp.select(nothing.as_("t")), "nothing") == (None,)


def test_arrays_mask_what_is_null(session: SparkSqlSession) -> None:
    """Numbers stay whole where others are NULL, and truth values stay truth values."""
    found = session.arrays(
        query("SELECT * FROM VALUES (1, 9007199254740993, true), (NULL, NULL, NULL) AS t(a, b, c)"),
        "numbers",
    )
    assert found["b"].compressed().tolist() == [9007199254740993]
    assert found["a"].dtype == np.int32
    assert found["c"].compressed().tolist() == [True]
    assert found["a"].mask.tolist() == [False, True]


@pytest.mark.parametrize("kind", [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32])
def test_numbers_of_any_width_can_be_uploaded(session: SparkSqlSession, kind: type[np.generic]) -> None:
    """What comes back is what went up."""
    values = np.array([0, 1, 1], kind)
    table = session.upload("numbers", {"v": values})
    assert session.arrays(exp.select("v").from_(table), "numbers")["v"].tolist() == values.tolist()


def test_what_is_kept_is_not_computed_again(session: SparkSqlSession) -> None:
    """A kept answer stays the same, even if its query would give another one now."""
    kept = session.keep("random", query("SELECT rand() AS r FROM range(20)"), "random")
    read = exp.select("r").from_(kept).order_by("r")
    assert session.rows(read, "random") == session.rows(read, "random")
    session.forget(kept)
    with pytest.raises(EngineError, match="random: the table does not exist"):
        session.rows(read, "random")


def test_the_users_session_stays_as_it_was(spark: SparkSession) -> None:  # noqa: F811
    """Settings, views and the active session are the user's; only tables are shared."""
    from pyspark.sql import SparkSession as Sessions

    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    spark.range(3).createOrReplaceTempView("users")
    tables = spark.catalog.listTables()
    active = Sessions._activeSession
    session = SparkSqlSession(Connected(spark, started=False))
    session.upload("numbers", {"v": np.arange(3)})
    assert session.row(query("SELECT count(*) FROM users"), "users") == (3,)
    assert session.row(query("SELECT CAST(TIMESTAMP '1970-01-01 00:00:00' AS LONG)"), "epoch") == (0,)
    session.close()
    assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert spark.conf.get("spark.sql.ansi.enabled") == "false"
    assert spark.catalog.listTables() == tables
    assert Sessions._activeSession is active
    assert spark.range(2).count() == 2
    spark.catalog.dropTempView("users")
    spark.conf.unset("spark.sql.session.timeZone")
    spark.conf.unset("spark.sql.ansi.enabled")


def test_errors_quote_no_cell(session: SparkSqlSession, capfd: pytest.CaptureFixture[str]) -> None:
    """Spark quotes the cell that it cannot cast, in its error and in its log; Shoal does neither."""
    with pytest.raises(EngineError, match="the column: a cell does not fit its type") as caught:
        session.rows(query("SELECT CAST(t AS INT) FROM VALUES ('secret') AS v(t)"), "the column")
    assert "secret" not in str(caught.value)
    out, err = capfd.readouterr()
    assert "secret" not in out + err


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (
            "SparkException: Job aborted\nCaused by: java.io.IOException: No space left on device",
            "No space left",
        ),
        ("AccessControlException: Permission denied: user=nobody, path=/data", "Permission denied"),
        ("java.io.IOException: Mkdirs failed to create file:/closed/_temporary", "Permission denied"),
        ("ExecutorLostFailure (executor 1 exited): Worker lost", "executors were lost"),
        (
            "SparkException: [CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block rdd_3_1 not found!",
            "only it had",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "out of memory"),
        ("is bigger than spark.driver.maxResultSize (1024.0 MiB)", "raise spark.driver.maxResultSize"),
        ("IllegalStateException: Cannot call methods on a stopped SparkContext", "was stopped meanwhile"),
        ("SomethingNew: the cell 'secret'", "Spark failed (CONDITION)"),
    ],
)
def test_causes_are_told_in_our_words(trace: str, words: str) -> None:
    """By the names of classes and conditions; what else stands in a trace is not repeated."""
    told = _cause(trace, "CONDITION")
    assert words in told
    assert not any(private in told for private in ("secret", "nobody", "/data", "/closed"))


def test_ctrl_c_cancels_the_jobs(session: SparkSqlSession) -> None:
    """A statement that would run for days ends, and the session works on."""

    def press() -> None:
        until(session._context.statusTracker().getActiveJobsIds)
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        session.rows(query("SELECT sum(id % 7) FROM range(1000000000000000)"), "sum")
    pressing.join()
    assert session.row(query("SELECT 1"), "one") == (1,)


def test_where_nobody_listens_the_error_says_so() -> None:
    """Spark itself would try for a minute."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    from shoal.engines.spark import connection as spark_connection

    with pytest.raises(EngineError, match=f"no Spark master answers at 127.0.0.1:{port}"):
        spark_connection._check_answers("127.0.0.1", port)


@pytest.mark.parametrize("connection", ["spark://", "local[0x]", "spark://user:secret@host:7077", "yarn"])
def test_other_connections_are_refused(connection: str) -> None:
    """What is asked for is named, without what could be a password."""
    with pytest.raises(PolicyError, match="local, local\\[n\\] or spark://host:port") as caught:
        connect(connection)
    assert "secret" not in str(caught.value)


def test_a_second_master_is_refused(spark: SparkSession) -> None:  # noqa: F811
    """A process has room for one Spark session; the open one is not stopped behind the user's back."""
    assert connect("local[2]").spark is spark
    with pytest.raises(PolicyError, match="another Spark session is open"):
        connect("local[1]")
    assert spark.range(1).count() == 1
