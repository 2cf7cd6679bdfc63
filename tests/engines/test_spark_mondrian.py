"""Mondrian on Spark: the groups of one machine, found without bringing rows to the driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import shoal
from shoal.algorithms._definitions import made_by
from shoal.algorithms.rows.distributed_mondrian import DistributedMondrian, why_not_distributed
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.engines.search_memory import SearchMemory
from shoal.engines.spark.connection import Connected
from shoal.engines.spark.mondrian import SparkRows
from shoal.engines.spark.session import SparkSqlSession
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.recoding.cut_tree import CutTree
from shoal.model.recoding.distributed import DistributedRecoding, Fragment, marginal_table
from shoal.model.recoding.groups import released_codes
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.privacy import AverageRisk, DistinctLDiversity, TCloseness
from tests.agreement.level_problems import level_problems, levelled_table
from tests.agreement.problems import problems

from .spark_cluster import spark, sparks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["spark", "sparks"]

FEW = settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSqlSession]:
    """A session of Shoal's in the local Spark."""
    made = SparkSqlSession(Connected(spark, started=False))
    yield made
    made.close()


def rows_in(session: SparkSqlSession, table: FrequencyTable) -> SparkRows:
    """A table's distinct rows as Spark has them: in no order, and in several places."""
    import pyarrow as pa

    kept = np.random.default_rng(3).permutation(np.flatnonzero(table.counts))
    columns = {f"a{a}": pa.array(table.codes[kept, a]) for a in range(len(table.domains))}
    coded = pa.table({**columns, "n": pa.array(table.counts[kept])})
    frame = session.fixed(lambda: session.spark.createDataFrame(coded).repartition(3), "rows")
    return SparkRows(session, frame, table.domains)


def check_as_in_one_place(
    session: SparkSqlSession, problem: Problem, algorithm: Mondrian, fragment: int
) -> None:
    """Group by group, value by value: what Spark finds is what the core finds of all rows at once."""
    table, rows = problem.table, rows_in(session, problem.table)
    asked = replace(problem, table=marginal_table(table.domains, rows.whole))
    result = DistributedMondrian(
        algorithm=replace(algorithm, fragment=fragment), problem=asked, rows=rows
    ).solve()
    local, answer = algorithm.solve(problem, Budget()), algorithm.partition(problem, Budget())
    assert isinstance(result.recoding, DistributedRecoding)
    assert local.recoding is not None
    groups, made = result.recoding.groups, made_by(problem, local.recoding)
    assert groups.released_codes == released_codes(table, made, local.recoding)
    assert (result.status, result.cost, result.nodes) == (local.status, local.cost, local.nodes)
    assert groups.values == local.recoding.nodes
    found = {
        tuple(row[: len(table.domains)]): tuple(row[len(table.domains) :])
        for row in groups.place.frame.collect()
    }
    released = local.recoding.released(table).tolist()
    assert found == {
        tuple(codes): (count, group, *values)
        for codes, count, group, values in zip(
            table.codes.tolist(), table.counts.tolist(), answer.group_of.tolist(), released, strict=True
        )
        if count
    }
    rows.close()


@FEW
@given(
    drawn=st.one_of(level_problems(), problems(max_rows=40)),
    algorithm=st.builds(Mondrian, values=st.sampled_from(["hierarchy", "sets", "intervals"])),
    fragment=st.integers(1, 12),
)
def test_strict_groups_are_those_of_one_place(
    session: SparkSqlSession, drawn: Problem, algorithm: Mondrian, fragment: int
) -> None:
    """Groups, values, cost and nodes agree on any table; `test_distributed_mondrian` tries many more."""
    table = replace(drawn.table, labels=(), label_counts=np.zeros((0, 0), np.int64))
    cost = METRICS["ncp"]() if drawn.cost.name == "classification" else drawn.cost
    problem = replace(drawn, table=table, levels=(), cost=cost)
    if why_not_distributed(algorithm, problem) is None:
        check_as_in_one_place(session, problem, algorithm, fragment)


CITIES = (
    ("Bergen", "Norway", "*"),
    ("Milan", "Italy", "*"),
    ("Oslo", "Norway", "*"),
    ("Rome", "Italy", "*"),
)


def numbers(codes: NDArray[np.int32], *, missing: bool = False) -> FrequencyTable:
    """A table of numbers, with their codes; the last of each column can be the missing value."""
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    domains = [
        Domain(name=f"n{a}", kind="number", values=(*range(last), None if missing else last))
        for a, last in enumerate(codes.max(axis=0).tolist())
    ]
    return FrequencyTable(domains=tuple(domains), codes=rows.astype(np.int32), counts=counts.astype(np.int64))


TABLES = {
    "all rows equal": (numbers(np.zeros((9, 2), np.int32)), 3),
    "one attribute": (numbers(np.arange(24, dtype=np.int32)[:, None]), 2),
    "k is 1": (numbers(np.array([[i, i % 5] for i in range(20)], np.int32)), 1),
    "k is all rows": (numbers(np.array([[i, i % 5] for i in range(20)], np.int32)), 20),
    "many copies": (numbers(np.array([[0, 0]] * 50 + [[i, 1] for i in range(1, 8)], np.int32)), 3),
    "missing values": (numbers(np.array([[i % 6, i % 7] for i in range(42)], np.int32), missing=True), 3),
    "a hierarchy": (
        levelled_table({"city": CITIES}, [[CITIES[i % 4][0]] for i in range(30)] + [[None]] * 5),
        4,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_at_the_ends_of_what_there_can_be(session: SparkSqlSession, name: str) -> None:
    """Both phases run, or only one of them; the groups are those of one place."""
    table, k = TABLES[name]
    bare = replace(table, labels=(), label_counts=np.zeros((0, 0), np.int64))
    check_as_in_one_place(session, Problem(table=bare, k=k, cost=METRICS["ncp"]()), Mondrian(), 3)


def cube() -> Problem:
    """All 4,096 combinations of three columns of 16 values."""
    codes = np.array(list(np.ndindex(16, 16, 16)), np.int32)
    return Problem(table=numbers(codes), k=40, cost=METRICS["discernibility"]())


def test_only_sums_come_to_the_driver(session: SparkSqlSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the driver fetches is bounded by open regions times codes, by released values and by sizes."""
    problem = cube()
    rows = rows_in(session, problem.table)
    fetched: list[int] = []
    frames = type(session.spark.range(1))

    def counted(name: str) -> Any:
        plain = getattr(frames, name)

        def fetch(self: Any, *args: Any, **also: Any) -> Any:
            answer = plain(self, *args, **also)
            fetched.append(len(answer))
            return answer

        return fetch

    for name in ("collect", "toArrow", "toPandas"):
        monkeypatch.setattr(frames, name, counted(name))
    monkeypatch.delattr(frames, "toLocalIterator")
    asked = replace(problem, table=marginal_table(problem.table.domains, rows.whole))
    result = DistributedMondrian(algorithm=Mondrian(fragment=1100), problem=asked, rows=rows).solve()
    assert isinstance(result.recoding, DistributedRecoding)
    groups = result.recoding.groups
    codes, values, leaves = 3 * 16, sum(map(len, groups.values)), 4
    assert len(fetched) == 4
    assert sum(fetched) <= (1 + 2) * codes + values + 2 * leaves + len(groups.sizes)
    assert sum(fetched) < len(problem.table.counts) // 10


def test_histograms_that_are_too_large_for_an_array_are_the_same(
    session: SparkSqlSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks list the codes that have rows where an array of all codes would be too large."""
    import pyarrow as pa

    from shoal.engines.spark import mondrian_tasks as tasks

    table = cube().table
    coded = pa.record_batch(
        [pa.array(table.codes[:, a]) for a in range(3)] + [pa.array(table.counts)], ["a0", "a1", "a2", "n"]
    )
    task = tasks.counting(CutTree(), [0], [16, 16, 16], 1)
    (dense,) = task(iter([coded, coded]))
    monkeypatch.setattr(tasks, "_DENSE", 1)
    (sparse,) = task(iter([coded, coded]))
    assert dense.equals(sparse)
    assert dense["n"].to_pylist() == [512] * 48


def failing(codes: NDArray[np.int32], counts: NDArray[np.int64], facts: None) -> Fragment:
    """A worker that tells what it sees."""
    raise ValueError(f"private {codes.tolist()} {counts.tolist()}")


def test_errors_of_workers_are_told_without_their_words(session: SparkSqlSession) -> None:
    """What a worker raises can quote codes; the driver says that Spark could not do it."""
    problem = cube()
    rows = rows_in(session, problem.table)
    with pytest.raises(EngineError, match="mondrian on Spark") as caught:
        rows.grouped(CutTree(), {}, failing, ["spans"] * 3)
    assert "private" not in str(caught.value)


COLUMNS = {
    "name": [f"person {i}" for i in range(60)],
    "age": [None if i % 11 == 0 else 20 + i * 7 % 31 for i in range(60)],
    "visit": [f"2024-0{1 + i % 9}-1{i % 3}" for i in range(60)],
    "city": [CITIES[i * i % 4][0] for i in range(60)],
    "job": [f"job {i % 7}" for i in range(60)],
    "disease": [f"disease {i % 5}" for i in range(60)],
}
ASKED: dict[str, Any] = {
    "quasi_identifiers": ["age", "visit", "city", "job"],
    "identifiers": ["name"],
    "types": {"visit": "date"},
    "hierarchies": {"city": {leaf: list(above) for leaf, *above in CITIES}},
    "k": 3,
    "cost": "ncp",
    "recoding_model": "CG_",
    "algorithm": "mondrian",
}


@pytest.mark.slow
def test_a_release_of_scattered_rows_is_that_of_one_place(spark: SparkSession) -> None:
    """Through the front door: the same rows, manifest and verdict as DuckDB's, whatever Spark does."""
    import pandas as pd

    rows = list(zip(*COLUMNS.values(), strict=True))
    frame = spark.createDataFrame(
        rows, ", ".join(f"{name} {'int' if name == 'age' else 'string'}" for name in COLUMNS)
    )
    table = pd.DataFrame(COLUMNS).astype({"age": "Int64"})
    options = {"distributed": True, "fragment": 7}
    release = shoal.anonymize(frame.repartition(3), **ASKED, options=options)
    plain = shoal.anonymize(table, **ASKED)
    assert release.verdict.holds
    found = [tuple(row) for row in release.data.collect()]
    expected = [
        tuple(None if cell is pd.NA else cell for cell in row) for row in plain.data.itertuples(index=False)
    ]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert release.manifest.recoding == plain.manifest.recoding
    # What an attacker could refine is measured only where the groups are at hand.
    assert {*release.manifest.notes} <= {*plain.manifest.notes}
    same = ("cost", "groups", "rows", "suppressed", "nodes", "status", "audit")
    for name in same:
        assert getattr(release.manifest, name) == getattr(plain.manifest, name), name


@pytest.mark.slow
@pytest.mark.parametrize("automatic", [False, True])
def test_models_hold_of_scattered_rows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, automatic: bool
) -> None:
    """Two models on two sensitive columns: the groups are those of one place, and the audit measures both."""
    import pandas as pd

    columns = {name: COLUMNS[name] for name in ("age", "city", "job", "disease")}
    columns["ward"] = [None if i % 13 == 0 else f"ward {i * i % 3}" for i in range(60)]
    schema = ", ".join(f"{name} {'int' if name == 'age' else 'string'}" for name in columns)
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), schema)
    models = [DistinctLDiversity(l=3, attribute="disease"), TCloseness(t=0.6, attribute="ward")]
    asked = {**ASKED, "quasi_identifiers": ["age", "city", "job"], "identifiers": [], "types": {}}
    asked |= {"models": models, "sensitive": ["disease", "ward"]}
    plain = shoal.anonymize(pd.DataFrame(columns).astype({"age": "Int64"}), **asked)
    if automatic:
        monkeypatch.setattr(SearchMemory, "allows", lambda *_: False)
    options = {"fragment": 5} if automatic else {"distributed": True, "fragment": 5}
    release = shoal.anonymize(frame.repartition(3), **asked, options=options)
    assert isinstance(release.result.recoding, DistributedRecoding)
    assert release.verdict.holds
    assert len(release.manifest.audit) > 2
    same = ("cost", "groups", "rows", "suppressed", "nodes", "status", "audit", "recoding")
    for name in same:
        assert getattr(release.manifest, name) == getattr(plain.manifest, name), name
    found = Counter(tuple(row) for row in release.data.collect())
    expected = Counter(
        tuple(None if pd.isna(cell) else cell for cell in row) for row in plain.data.itertuples(index=False)
    )
    assert found == expected
    assert release.manifest.groups > 2


def test_a_release_of_scattered_rows_is_written_and_audited(spark: SparkSession, tmp_path: Path) -> None:
    """With a limit on the average risk, and as files with a manifest beside them."""
    rows = list(zip(COLUMNS["job"], COLUMNS["city"], strict=True))
    release = shoal.anonymize(
        spark.createDataFrame(rows, "job string, city string"),
        quasi_identifiers=["job", "city"],
        k=2,
        models=[AverageRisk(threshold=0.2)],
        algorithm="mondrian",
        recoding_model="CG_",
        options={"distributed": True, "fragment": 4},
        path=tmp_path / "release",
    )
    assert release.verdict.holds
    assert release.verdict.k >= 5
    written = spark.read.parquet(str(tmp_path / "release"))
    sizes = [row["count"] for row in written.groupBy("job", "city").count().collect()]
    assert min(sizes) == release.verdict.k
    assert sum(sizes) == len(rows)


def test_scattered_rows_of_nothing_but_stars_count_as_suppressed(spark: SparkSession) -> None:
    """Every column is joined throughout; what is expected is what the audit measures."""
    rows = [(number % 3, f"c{number % 4}") for number in range(6)]
    release = shoal.anonymize(
        spark.createDataFrame(rows, "age int, city string"),
        quasi_identifiers=["age", "city"],
        k=6,
        algorithm="mondrian",
        recoding_model="CG_",
        options={"distributed": True, "fragment": 4},
    )
    assert {tuple(row) for row in release.data.collect()} == {("*", "*")}
    assert (release.verdict.k, release.verdict.measured.suppressed) == (None, 6)
    assert [column.label for column in release.columns] == ["*", "*"]


def test_auto_leaves_rows_in_spark_that_do_not_fit_into_memory(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workers cut them, row by row, and the manifest says so."""
    monkeypatch.setattr(SearchMemory, "allows", lambda *_: False)
    rows = list(zip(COLUMNS["job"], COLUMNS["city"], strict=True))
    frame = spark.createDataFrame(rows, "job string, city string")
    release = shoal.anonymize(frame, quasi_identifiers=["job", "city"], k=2)
    assert isinstance(release.result.recoding, DistributedRecoding)
    assert release.verdict.holds
    assert release.manifest.choice is not None
    assert (release.manifest.algorithm, release.manifest.choice["kind"]) == ("mondrian", "row by row")
    assert release.advice == ()


def test_mondrian_leaves_rows_in_spark_that_do_not_fit_into_memory(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody needs to know the option; where one place is needed, the refusal says what else to do."""
    monkeypatch.setattr(SearchMemory, "allows", lambda *_: False)
    frame = spark.createDataFrame(
        list(zip(COLUMNS["job"], COLUMNS["city"], strict=True)), "job string, city string"
    )
    asked: dict[str, Any] = {"quasi_identifiers": ["job", "city"], "k": 2, "algorithm": "mondrian"}
    release = shoal.anonymize(frame, **asked)
    assert isinstance(release.result.recoding, DistributedRecoding)
    assert release.verdict.holds
    with pytest.raises(PolicyError, match=r"Nothing was fetched.*allow more"):
        shoal.anonymize(frame, **asked, options={"choice": "cost"})


def test_what_cannot_be_scattered_is_refused(spark: SparkSession) -> None:
    """Other engines, and models that look at more than sizes, are refused with a way out."""
    import pandas as pd

    asked = {**ASKED, "options": {"distributed": True}}
    with pytest.raises(PolicyError, match=r"is for Spark.*leave it out"):
        shoal.anonymize(pd.DataFrame(COLUMNS), **asked)
    rows = spark.createDataFrame([(1, "a")], "age int, who string")
    with pytest.raises(PolicyError, match=r"persons or a population; leave it out"):
        shoal.anonymize(
            rows,
            quasi_identifiers=["age"],
            k=1,
            entity="who",
            algorithm="mondrian",
            options={"distributed": True},
        )
