"""Spark counts, recodes and measures what DuckDB does, and publishes all of it or nothing."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from sqlglot import exp

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.duckdb.folder import folder_digest
from shoal.engines.spark import session as spark_session
from shoal.engines.spark.engine import Spark
from shoal.engines.spark.staging import MARK, manifest_of
from shoal.engines.sql import sampling
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.evidence import Evidence
from shoal.model.table.domain import Domain
from shoal.model.table.table_source import TableSource
from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 240
NAN = float("nan")
# Names that Shoal uses itself inside its statements, and names that need quotes.
STRANGE: dict[str, list[Any]] = {
    "c": [None if row % 11 == 0 else 20 + row % 3 for row in range(ROWS)],
    "kept": [("O'Neil", "a\\b", "ü😀", "${x}", "line\nend", "", None)[row % 7] for row in range(ROWS)],
    "zip code": [("02139", "02140")[row // 5 % 2] for row in range(ROWS)],
    "x.y": [(0.0, -0.0, NAN, 1.5, 1e300, None)[row // 4 % 6] for row in range(ROWS)],
    "tick`s": [Decimal(("1.50", "2.25", "1.50")[row % 3]) for row in range(ROWS)],
    "day": [datetime.date(2020, 2, 1 + row // 7 % 3) for row in range(ROWS)],
    "at": [datetime.datetime(2020, 2, 1, 3, 4, 5, 250_000 * (row % 2)) for row in range(ROWS)],
    "ok": [(True, False, None)[row // 9 % 3] for row in range(ROWS)],
    "n": [("short", "x" * 40_000)[row // 60 % 2] for row in range(ROWS)],
    "who": [f"person {row // 2}" for row in range(ROWS)],
    "ill": [("flu", "cold", "hiv", None)[row * 7 % 4] for row in range(ROWS)],
    "weighs": [str(1 + row % 3 / 2) for row in range(ROWS)],
}
QUASI = ["c", "kept", "zip code", "x.y", "tick`s", "day", "at", "ok", "n"]
FEW = ["c", "zip code", "day"]


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    return pyarrow.table({**STRANGE, "c": pyarrow.array(STRANGE["c"], pyarrow.int16())})


@pytest.fixture(scope="module")
def stored(table: pyarrow.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as a Parquet file."""
    path = tmp_path_factory.mktemp("stored") / "stays.parquet"
    pyarrow.parquet.write_table(table, path)
    return path


@pytest.fixture
def frame(spark: SparkSession, stored: Path) -> DataFrame:  # noqa: F811
    return spark.read.parquet(str(stored))


@pytest.fixture(scope="module")
def narrow(table: pyarrow.Table) -> pyarrow.Table:
    """The columns that `asked` names: where a release goes does not depend on the others, which cost time."""
    return table.select([*FEW, "ok", "who", "ill"])


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[Spark]:  # noqa: F811
    with Spark(spark) as opened:
        yield opened


def asked(**more: Any) -> dict[str, Any]:
    """What is asked of a release of the table."""
    return {"quasi_identifiers": FEW, "k": 3, "identifiers": ["who"], "sensitive": ["ill"], **more}


def rows(table: pyarrow.Table) -> Counter[str]:
    """The rows of a release, without their order."""
    return Counter(map(repr, table.to_pylist()))


def same_verdict(one: shoal.Release, other: shoal.Release) -> None:
    """Two engines found the same recoding, and measured the same."""
    for fact in ("cost", "rows", "suppressed", "groups", "recoding", "audit", "policy_digest"):
        assert getattr(one.manifest, fact) == getattr(other.manifest, fact), fact
    assert one.verdict == other.verdict


def test_the_frequency_table_is_that_of_duckdb(engine: Spark, frame: DataFrame, stored: Path) -> None:
    """Missing cells, signs of any plane, one zero, decimals, moments and long texts have the same codes."""
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in QUASI]
    with DuckDB() as reference:
        expected = reference.count(stored, attributes).frequencies
    found = engine.count(frame, attributes).frequencies
    assert [each.values for each in found.domains] == [each.values for each in expected.domains]
    assert [each.kind for each in found.domains] == [each.kind for each in expected.domains]
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


@pytest.mark.filterwarnings("ignore:the release keeps the order of the source:shoal.errors.ShoalWarning")
@pytest.mark.parametrize(
    "more",
    [
        {"quasi_identifiers": QUASI, "algorithm": "mondrian"},
        {"algorithm": "exact", "suppressed": "mask", "k": 9, "suppression": "20%"},
        {"algorithm": "k-member", "k": 4},
        {"entity": "who", "models": [{"name": "distinct-l-diversity", "attribute": "ill", "l": 2}]},
        {"survey_weight": "weighs", "models": [{"name": "k-map", "k": 6}], "identifiers": ["who", "weighs"]},
    ],
    ids=["strange cells", "masked rows", "divided rows", "dropped persons", "dropped weights"],
)
def test_the_release_is_that_of_duckdb(
    engine: Spark, frame: DataFrame, stored: Path, tmp_path: Path, more: dict[str, Any], monkeypatch: Any
) -> None:
    """Same recoding, same rows but for their order, same verdict; of the rows only a sample is collected."""
    for name in ("READ_ROWS", "SAMPLED_ROWS"):  # as if the table were larger than the sample
        monkeypatch.setattr(sampling, name, ROWS // 10)
    answers: list[int] = []
    answer = spark_session.SparkSqlSession._answer

    def counting(self: Any, query: exp.Expr, about: str) -> Any:
        found = answer(self, query, about)
        answers.append(found.num_rows)
        return found

    monkeypatch.setattr(spark_session.SparkSqlSession, "_answer", counting)
    release = shoal.anonymize(frame, **asked(**more), engine=engine)
    same_verdict(release, shoal.anonymize(stored, **asked(**more), path=tmp_path / "expected.parquet"))
    if "entity" not in more:  # persons and their cells: as many combinations as rows
        assert max(answers) < ROWS
    released, expected = release.data.toArrow(), pyarrow.parquet.read_table(tmp_path / "expected.parquet")
    assert released.column_names == expected.column_names
    if more.get("algorithm") != "k-member":  # which of two equal rows goes where is the engine's choice
        assert rows(released) == rows(expected)
    assert release.data.sparkSession is frame.sparkSession


def test_other_questions_are_answered_as_by_duckdb(engine: Spark, stored: Path, tmp_path: Path) -> None:
    """Facts about columns, uniqueness, rows that are alike where `*` is like everything, and words."""
    stars = tmp_path / "stars.parquet"
    duckdb.sql(
        "COPY (SELECT * FROM VALUES ('*', 'a', 1), ('x', 'a', 1), ('x', '*', 2), ('y', 'b', 2), "
        f"(NULL, 'b', 1) t(p, q, r)) TO '{stars}'"
    )
    domains = [
        Domain(name="p", kind="category", values=("x", "y", None)),
        Domain(name="r", kind="number", values=(1, 2)),
    ]
    plain = [name for name in QUASI if name != "x.y"]  # DuckDB's inspection takes NaN for a value
    with DuckDB() as reference:
        (rows, facts), (expected_rows, expected) = engine.inspect(stored), reference.inspect(stored)
        assert (rows, [each for each in facts if each.name != "x.y"]) == (
            expected_rows,
            [each for each in expected if each.name != "x.y"],
        )
        assert engine.uniqueness(stored, plain) == reference.uniqueness(stored, plain)
        for k in (1, 2, 3):
            found = engine.measure_wildcards(stars, ["p", "q"], k)
            assert found == reference.measure_wildcards(stars, ["p", "q"], k)
        assert engine.written_columns(stars, domains) == reference.written_columns(stars, domains)


def test_a_population_is_counted_where_it_lives(engine: Spark, spark: SparkSession, stored: Path) -> None:  # noqa: F811
    """The source is contained in it, and its people are those that DuckDB counts."""
    attributes = [Attribute(name="zip code", role=Role.QUASI_IDENTIFIER)]
    people = spark.read.parquet(str(stored)).unionAll(spark.read.parquet(str(stored)))
    with DuckDB() as reference:
        expected = reference.count(stored, attributes, Evidence(population=people.toArrow())).frequencies
    found = engine.count(stored, attributes, Evidence(population=people)).frequencies
    assert found.population.tolist() == expected.population.tolist()
    assert found.codes.tolist() == expected.codes.tolist()


def test_a_frame_is_handed_out_as_it_was_audited(spark: SparkSession) -> None:  # noqa: F811
    """Even what was random in the source has been drawn once."""
    source = spark.range(60).selectExpr("id % 5 AS age", "rand() AS luck").localCheckpoint()
    data = shoal.anonymize(source.filter("luck < 2"), quasi_identifiers=["age"], k=3).data
    assert data.collect() == data.collect()
    assert data.filter("age = 3").count() == 12
    # What was fixed by the user, or for the user, outlives the engine.
    again = shoal.anonymize(data, quasi_identifiers=["age"], k=3).data
    assert (source.count(), data.count(), again.count()) == (60, 60, 60)


@pytest.mark.slow
def test_files_become_a_folder_of_parquet(engine: Spark, stored: Path, tmp_path: Path) -> None:
    """The folder, and its manifest beside it; a second release replaces the first. Nothing else is left."""
    target = tmp_path / "out.parquet"
    release = shoal.anonymize(stored, **asked(), path=target, engine=engine)
    expected = shoal.anonymize(stored, **asked(), path=tmp_path / "expected.parquet")
    same_verdict(release, expected)
    written = pyarrow.parquet.read_table(target)
    assert rows(written) == rows(pyarrow.parquet.read_table(tmp_path / "expected.parquet"))
    manifest = json.loads((tmp_path / "out.parquet.manifest.json").read_text(encoding="utf-8"))
    assert manifest["release_digest"] == release.manifest.release_digest == folder_digest(target)
    shoal.anonymize(stored, **asked(k=5), path=target, engine=engine)
    assert json.loads((tmp_path / "out.parquet.manifest.json").read_text(encoding="utf-8"))["k"] == 5
    (tmp_path / "expected.parquet").unlink()
    (tmp_path / "expected.parquet.manifest.json").unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.parquet.manifest.json"]


def test_a_divided_folder_stays_divided(engine: Spark, narrow: pyarrow.Table, tmp_path: Path) -> None:
    """Folders like `zip code=02139` are made again, and 02139 stays 02139."""
    source = tmp_path / "in[1].parquet"
    pyarrow.parquet.write_to_dataset(narrow, source, partition_cols=["zip code"])
    target = tmp_path / "out.parquet"
    shoal.anonymize(source, **asked(quasi_identifiers=["c", "day", "ok"]), path=target, engine=engine)
    folders = sorted(path.name for path in target.iterdir() if path.is_dir())
    assert folders == ["zip code=02139", "zip code=02140"]
    assert engine.measure(target, ["c", "day", "ok"], 3).rows_below == 0


def test_a_csv_file_is_read_as_text(engine: Spark, table: pyarrow.Table, tmp_path: Path) -> None:
    """Zeros in front stay, cells hold line ends, and an empty cell is missing, as in DuckDB."""
    source = tmp_path / "stays.csv"
    duckdb.from_arrow(table).write_csv(str(source), sep=";")
    names = ["c", "kept", "zip code"]
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in names]
    with DuckDB() as reference:
        expected = reference.count(source, attributes).frequencies
    found = engine.count(TableSource(connection="local", path=str(source)), attributes).frequencies
    assert [each.values for each in found.domains] == [each.values for each in expected.domains]
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


@pytest.mark.slow
def test_a_table_of_the_catalog_becomes_another(
    engine: Spark,
    spark: SparkSession,  # noqa: F811
    frame: DataFrame,
    narrow: pyarrow.Table,
) -> None:
    """Divided as the source, with its manifest in its properties; replaced only if it is a release."""
    spark.sql("DROP TABLE IF EXISTS stays")
    spark.sql("DROP TABLE IF EXISTS released")
    frame.select(*[f"`{name}`" for name in narrow.column_names]).write.partitionBy("zip code").saveAsTable(
        "stays"
    )
    for k in (3, 4):
        release = shoal.anonymize(
            TableSource(connection=spark, table="stays"), **asked(k=k), path="released", engine=engine
        )
        told = manifest_of(engine.session, exp.to_table("released"))
        assert told == release.manifest.to_json()
        assert json.loads(told)["k"] == k
    divided = [column.name for column in spark.catalog.listColumns("released") if column.isPartition]
    assert divided == ["zip code"]
    assert [found.name for found in spark.catalog.listTables()] == ["released", "stays"]
    with pytest.raises(PolicyError, match="table 'stays' exists and is not a release"):
        shoal.anonymize(frame, **asked(), path="stays", engine=engine)
    assert spark.table("stays").count() == ROWS


@pytest.mark.parametrize("what", ["a folder", "a file"])
def test_what_is_no_release_is_not_replaced(
    engine: Spark, frame: DataFrame, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused before any work, with the way out."""
    target = tmp_path / "out.parquet"
    target.mkdir() if what == "a folder" else target.write_text("mine", encoding="utf-8")
    monkeypatch.setattr(Spark, "count", None)
    with pytest.raises(PolicyError, match=r"not a release of Shoal.*another name"):
        shoal.anonymize(frame, **asked(), path=target, engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_a_release_never_overwrites_its_source(engine: Spark, stored: Path, tmp_path: Path) -> None:
    """Neither the source itself nor a folder within it."""
    source = tmp_path / "stays.parquet"
    pyarrow.parquet.write_to_dataset(pyarrow.parquet.read_table(stored), source)
    (source / MARK).touch()
    for target in (source, source / "deeper.parquet"):
        with pytest.raises(PolicyError, match="never overwrites what it is made from"):
            shoal.anonymize(source, **asked(), path=target, engine=engine)


def test_a_killed_run_leaves_nothing_for_good(engine: Spark, frame: DataFrame, tmp_path: Path) -> None:
    """The folder of a process that is gone is removed by the next run to any target; no other is touched."""
    from shoal.engines.staging import host

    gone = subprocess.Popen(["true"])
    gone.wait()
    for process in (gone.pid, os.getppid()):
        (tmp_path / f".shoal-{host()}-{process}-ab12cd34-another.parquet").mkdir()
    shoal.anonymize(
        frame.select("c", "`zip code`", "day", "who", "ill"),
        **asked(),
        path=tmp_path / "out.parquet",
        engine=engine,
    )
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert left == [f".shoal-{host()}-{os.getppid()}-ab12cd34-another.parquet"]


def test_a_table_without_rows_is_refused(engine: Spark, frame: DataFrame) -> None:
    """There is nothing to release; an empty release would be a success that nobody wanted."""
    with pytest.raises(PolicyError, match="the data frame has no rows; there is nothing to release"):
        shoal.anonymize(frame.limit(0), **asked(), engine=engine)


def test_cells_without_a_text_are_refused(engine: Spark, spark: SparkSession) -> None:  # noqa: F811
    """Of a map or of bytes nobody could say which are alike."""
    source = spark.sql("SELECT map('a', 1) AS m, CAST('x' AS BINARY) AS b")
    for name, type_ in (("m", "map"), ("b", "binary")):
        with pytest.raises(
            PolicyError, match=f"column '{name}' of the data frame is of Spark's type {type_}"
        ):
            shoal.anonymize(source, quasi_identifiers=[name], k=1, engine=engine)


def test_texts_that_a_collation_holds_for_equal_are_told_apart(
    engine: Spark,
    spark: SparkSession,  # noqa: F811
) -> None:
    """A reader sees ADA and ada: two groups, whatever the column's collation says."""
    source = spark.sql(
        "SELECT CAST(t AS STRING COLLATE UTF8_LCASE) AS t FROM VALUES ('ADA'), ('ada') AS v(t)"
    )
    assert source.distinct().count() == 1
    assert engine.measure(source, ["t"], 2).groups == 2


def test_a_source_that_changes_is_noticed(
    engine: Spark, narrow: pyarrow.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts and rows must be of one table; nothing is published."""
    source, target = tmp_path / "stays.parquet", tmp_path / "out.parquet"
    pyarrow.parquet.write_table(narrow, source)
    apply = Spark.apply

    def changed(self: Spark, *given: Any) -> Any:
        pyarrow.parquet.write_table(narrow.slice(0, 200), source)
        return apply(self, *given)

    monkeypatch.setattr(Spark, "apply", changed)
    with pytest.raises(EngineError, match=r"stays.parquet|changed while it was read"):
        shoal.anonymize(source, **asked(), path=target, engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["stays.parquet"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A disk whose options can be set; mounting one is for root alone."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("no disk can be mounted here")

    def remounted(options: str) -> Path:
        subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
        return folder

    yield remounted
    # Lazily: a writer of Spark that met a full disk does not close its file at once.
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize(
    ("options", "healed", "cause"),
    [("size=64k", "size=4m", "No space left on device"), ("ro", "rw,size=4m", "Read-only file system")],
    ids=["full", "read-only"],
)
def test_a_disk_that_fails_leaves_nothing_behind(
    engine: Spark,
    spark: SparkSession,  # noqa: F811
    small_disk: Callable[[str], Path],
    options: str,
    healed: str,
    cause: str,
) -> None:
    """The error names the cause, nothing half-written is visible, and a second run succeeds."""
    source = spark.range(30_000).selectExpr("id % 5 AS age", "uuid() AS secret")
    folder = small_disk(options)
    with pytest.raises(EngineError, match=cause):
        shoal.anonymize(source, quasi_identifiers=["age"], k=3, path=folder / "out.parquet", engine=engine)
    assert list(folder.iterdir()) == []
    small_disk(healed)
    shoal.anonymize(source, quasi_identifiers=["age"], k=3, path=folder / "out.parquet", engine=engine)
    assert pyarrow.parquet.read_table(folder / "out.parquet").num_rows == 30_000


def test_a_folder_that_may_not_be_written_is_named(engine: Spark, frame: DataFrame, tmp_path: Path) -> None:
    """Missing permissions are found before any work."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(EngineError, match="Permission denied"):
        shoal.anonymize(frame, **asked(), path=folder / "out.parquet", engine=engine)


def test_a_missing_folder_or_source_is_named(engine: Spark, frame: DataFrame, tmp_path: Path) -> None:
    """What is not there is named before any work."""
    with pytest.raises(EngineError, match=r"cannot write out.parquet: its folder does not exist"):
        shoal.anonymize(frame, **asked(), path=tmp_path / "none" / "out.parquet", engine=engine)
    with pytest.raises(EngineError, match=r"no file or folder none.parquet"):
        shoal.anonymize(tmp_path / "none.parquet", **asked(), path=tmp_path / "out.parquet", engine=engine)
    with pytest.raises(EngineError, match="nowhere: the table does not exist"):
        engine.columns(TableSource(connection="local", table="nowhere"))
