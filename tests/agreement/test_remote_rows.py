"""Nodes that are counted in the engine are the nodes that are counted in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.datasets import adult_hierarchies, adult_path
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql import pieces as sql
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.groups import groups, released_codes
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.table.remote_table import NODE_ALGORITHMS, RemoteTable
from tests.agreement.level_problems import ON_LEVELS
from tests.agreement.thoroughness import examples

COSTS = sorted(set(ON_LEVELS) - {"classification"})
WORDS = shoal.Hierarchy.from_dict({"*": {"early": ["a", "b"], "late": {"very late": ["c", "d"], "e": ["e"]}}})


class Nothing(SearchMemory):
    """Allows no search among distinct rows."""

    def allows(self, rows: int, columns: int) -> bool:
        return False


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[DuckDB, DuckDB]]:
    """One that fetches the distinct rows, and one that must not."""
    with DuckDB() as fetches, DuckDB() as holds:
        holds.search_memory = Nothing(10**9)
        yield fetches, holds


@st.composite
def frames(draw: st.DrawFn) -> pandas.DataFrame:
    """A few rows, cells missing here and there."""
    rows = draw(st.integers(4, 25))

    def column(cells: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows))

    ages = [None if age is None else float(age) for age in column([*range(20, 29), None])]
    return pandas.DataFrame(
        {"age": ages, "word": column(list("abcde")), "place": column(["x", "y", "z", None])}
    )


def told(engine: DuckDB, frame: pandas.DataFrame, **asked: Any) -> object:
    """Everything that a release says, or the kind of error and its words."""
    try:
        released = shoal.anonymize(
            frame,
            quasi_identifiers=["age", "word", "place"],
            hierarchies={"word": WORDS},
            engine=engine,
            **asked,
        )
    except shoal.ShoalError as error:
        return type(error), str(error)
    result, facts = released.result, released.manifest
    return (
        released.data.astype(object).where(released.data.notna(), None).to_numpy().tolist(),
        result.recoding,
        result.cost,
        result.status,
        result.suppressed,
        result.alternatives,
        facts.groups,
        facts.recoding,
        released.verdict.measured,
    )


@given(
    frame=frames(),
    k=st.integers(2, 5),
    algorithm=st.sampled_from(NODE_ALGORITHMS),
    cost=st.sampled_from(COSTS),
    suppression=st.sampled_from([0, 2, "25%", "unlimited"]),
    suppressed=st.sampled_from(["drop", "mask"]),
    most=st.sampled_from([None, 0, 1]),
)
@settings(max_examples=examples(60), deadline=None)
def test_a_release_is_the_same_where_rows_are_held_in_the_engine(
    engines: tuple[DuckDB, DuckDB], frame: pandas.DataFrame, most: int | None, **asked: Any
) -> None:
    """Same levels, cost, suppressed rows, labels and cells; or the same refusal."""
    fetches, holds = engines
    levels = {} if most is None else {"levels": {"word": (0, most)}}
    assert told(holds, frame, **levels, **asked) == told(fetches, frame, **levels, **asked)


@pytest.mark.parametrize("algorithm", ["flash", "samarati"])
def test_adult_is_released_alike_where_rows_are_held(tmp_path: Path, algorithm: str) -> None:
    """The released file has the same bytes, and its manifest the same facts."""
    hierarchies = adult_hierarchies()
    names = ["age", "education", "marital-status", "sex"]
    facts = []
    for number, memory in enumerate((SearchMemory.of(None), Nothing(10**9))):
        with DuckDB() as engine:
            engine.search_memory = memory
            released = shoal.anonymize(
                adult_path(),
                quasi_identifiers=names,
                k=20,
                suppression="1%",
                cost="height",
                hierarchies={name: hierarchies[name] for name in names},
                algorithm=algorithm,
                path=tmp_path / f"{number}.parquet",
                engine=engine,
            )
        facts.append(replace(released.manifest, seconds=0, phases={}, trace=()))
    assert facts[0] == facts[1]


def test_the_engine_is_asked_where_the_rows_are_held(engines: tuple[DuckDB, DuckDB]) -> None:
    """No distinct row is in the table that the search sees."""
    _, holds = engines
    frame = pandas.DataFrame({"age": [20, 21, 22, 22], "word": list("abcd")})
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in frame]
    table = holds.count(frame, attributes, remote=True).frequencies
    assert isinstance(table, RemoteTable)
    assert table.rows == 4
    assert len(table.codes) == 0
    assert [margin.tolist() for margin in table.margins] == [[1, 1, 2], [1, 1, 1, 1]]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
@settings(deadline=None)
def test_a_number_is_found_by_comparisons(numbers: list[int]) -> None:
    """Engines without lists find what DuckDB finds in a list."""
    found = sql.bisected(numbers, exp.column("i"))
    places = exp.select(found).from_(exp.values([(i,) for i in range(len(numbers))], "t", ["i"]))
    with duckdb.connect() as connection:
        assert [row[0] for row in connection.execute(places.sql("duckdb")).fetchall()] == numbers


def test_the_algorithms_that_look_at_nodes_are_named() -> None:
    """A refusal names those that need no distinct rows."""
    assert {name for name, each in ALGORITHMS.items() if each.looks_at_nodes} == set(NODE_ALGORITHMS)


def test_fetched_groups_are_those_of_the_distinct_rows_at_every_node(engines: tuple[DuckDB, DuckDB]) -> None:
    """Also the values that released rows have, which labels are spelled with."""
    frame = pandas.DataFrame(
        {"age": [20, 20, 21, 22, 23, 23, 24], "word": list("aabccde"), "place": list("xxyzzzz")}
    )
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in frame]
    plain, held = (
        with_hierarchies(engine.count(frame, attributes, remote=True).frequencies, attributes)
        for engine in engines
    )
    assert isinstance(held, RemoteTable)
    suppressing = 0
    for levels in itertools.product(*(range(domain.hierarchy.height + 1) for domain in plain.domains)):
        fetched, recoding = held.fetched(levels, 2), LevelRecoding(levels)
        theirs, ours = groups(plain, recoding, 2), groups(fetched, recoding, 2)
        assert ours.values.tolist() == theirs.values.tolist()
        assert ours.sizes.tolist() == theirs.sizes.tolist()
        assert released_codes(fetched, ours, recoding) == released_codes(plain, theirs, recoding)
        suppressing += 0 < theirs.suppressed < len(frame) and max(levels) > 0
    assert suppressing > 5
