"""Groups of rows as recodings: nodes, intervals, sets, suppressed cells, and rows that are divided."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.cost import METRICS
from shoal.engines._base import Application
from shoal.engines.duckdb.engine import DuckDB, frequency_table
from shoal.errors import InternalError, PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.groups import groups
from shoal.model.recoding.local_recoding import SUPPRESSED_ROW, LocalRecoding, Vocabulary
from shoal.model.recoding.pieces import Pieces
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.thoroughness import examples
from tests.unit.conftest import FILES, FRAMES, load, store

JOBS = Hierarchy.from_dict({"any": {"office": ["clerk", "lawyer"], "field": ["farmer"]}})
QUASI = [
    Attribute(name="age", role=Role.QUASI_IDENTIFIER, type="number"),
    Attribute(name="job", role=Role.QUASI_IDENTIFIER, type="category", hierarchy=JOBS),
]


def table_of(ages: list[int | None], jobs: list[str | None]) -> FrequencyTable:
    """The frequency table of two columns."""
    import pandas as pd

    return frequency_table(pd.DataFrame({"age": pd.array(ages, "Int64"), "job": jobs}), QUASI)


def labels_of(table: FrequencyTable, recoding: LocalRecoding) -> list[tuple[str | None, ...]]:
    """The labels of each line."""
    printed = [recoding.labels(attribute, domain) for attribute, domain in enumerate(table.domains)]
    return [tuple(printed[a][v] for a, v in enumerate(row)) for row in recoding.values.tolist()]


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("spans", "nodes"), ("[20, 40]", "any")),
        (("spans", "spans"), ("[20, 40]", "{clerk, farmer}")),
        (("cells", "cells"), ("*", "*")),
    ],
)
def test_a_group_is_released_as_the_least_that_covers_it(
    words: tuple[Vocabulary, Vocabulary], printed: tuple[str, str]
) -> None:
    """Two rows that differ in both columns, and one by itself that loses nothing."""
    table = table_of([20, 40, 30], ["clerk", "farmer", "lawyer"])
    of_row = np.array([1 if code[0] == 1 else 0 for code in table.codes.tolist()])
    recoding = LocalRecoding.from_groups(table, of_row, words)
    found = labels_of(table, recoding)
    assert [found[row] for row in np.flatnonzero(of_row == 0)] == [printed, printed]
    assert [found[row] for row in np.flatnonzero(of_row == 1)] == [("30", "lawyer")]


def test_a_missing_value_stands_apart_from_an_interval() -> None:
    """The interval does not stretch to the missing value's code, and is said to be joined with it."""
    table = table_of([20, 30, 40, None], ["clerk"] * 4)
    of_row = np.array([1 if code[0] == 2 else 0 for code in table.codes.tolist()])
    recoding = LocalRecoding.from_groups(table, of_row, ("spans", "spans"))
    assert ("[20, 30] or missing", "clerk") in labels_of(table, recoding)
    assert recoding.shares(0, table.domains[0])[recoding.values[of_row == 0][0, 0]] == Fraction(2, 3)
    assert recoding.losses(0, table.domains[0])[recoding.values[of_row == 0][0, 0]] == 1


def test_a_set_costs_its_values_and_not_the_distance_between_them() -> None:
    """Of three jobs the first and the last are two."""
    table = table_of([20, 20, 30], ["clerk", "lawyer", "farmer"])
    domain = table.domains[1]
    codes = [domain.values.index("clerk"), domain.values.index("farmer")]
    assert domain.span_share(sorted(codes)) == Fraction(1, 2)


def test_a_suppressed_row_is_all_stars_in_every_vocabulary() -> None:
    """`*` in each cell, and everything is lost."""
    table = table_of([20, 30], ["clerk", "farmer"])
    for words in ("nodes", "spans", "cells"):
        recoding = LocalRecoding.from_groups(
            table, np.array([SUPPRESSED_ROW, 0]), ("spans" if words == "nodes" else words, words)
        )
        assert labels_of(table, recoding)[0] == ("*", "*")
        assert METRICS["ncp"]().of(table, recoding, 1) == Fraction(1, 2)


def test_precision_is_not_defined_on_a_set() -> None:
    """The error names the column and the way out."""
    table = table_of([20, 30], ["clerk", "farmer"])
    recoding = LocalRecoding.from_groups(table, np.array([0, 0]), ("spans", "spans"))
    with pytest.raises(PolicyError, match="'age' has no level"):
        recoding.steps(0, table.domains[0])


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_every_released_value_covers_the_values_of_its_group(data: st.DataObject) -> None:
    """On random tables and partitions, in every vocabulary, copies divided at random."""
    size = data.draw(st.integers(1, 8))
    ages = data.draw(st.lists(st.sampled_from([20, 30, 40, None]), min_size=size, max_size=size))
    jobs = data.draw(
        st.lists(st.sampled_from(["clerk", "lawyer", "farmer", None]), min_size=size, max_size=size)
    )
    table = table_of(ages, jobs)
    pieces = data.draw(st.one_of(st.none(), divisions(table)))
    refined = table if pieces is None else pieces.refine(table)
    lines = len(refined.counts)
    of_row = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=lines, max_size=lines)))
    words = (
        data.draw(st.sampled_from(["spans", "cells"])),
        data.draw(st.sampled_from(["nodes", "spans", "cells"])),
    )
    recoding = LocalRecoding.from_groups(table, of_row, words, pieces)
    for attribute, domain in enumerate(table.domains):
        members = recoding.members(attribute, domain)
        for line, code in enumerate(refined.codes[:, attribute].tolist()):
            assert code in members[recoding.values[line, attribute]]
        for group in set(of_row.tolist()):
            assert len(set(recoding.values[of_row == group, attribute].tolist())) == 1
    made = groups(table, recoding, 1)
    assert int(made.sizes.sum()) == table.rows


@st.composite
def divisions(draw: st.DrawFn, table: FrequencyTable) -> Pieces:
    """The copies of each row, divided at random."""
    of_row, counts = [], []
    for row, count in enumerate(table.counts.tolist()):
        left = count
        while left:
            taken = draw(st.integers(1, left))
            of_row.append(row)
            counts.append(taken)
            left -= taken
    return Pieces(of_row=np.array(of_row), counts=np.array(counts))


COPIES: dict[str, list[Any]] = {
    "n": [1, 2, 3, 4, 5, 6],
    "age": [20, 30, 20, 20, 40, 20],
    "job": ["clerk"] * 6,
}


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_copies_of_a_row_are_divided_in_the_order_of_the_source(
    kind: str, suppressed: Any, tmp_path: Path
) -> None:
    """Two of the four equal rows stay as they are, one joins another, the last is suppressed."""
    source = store(kind, COPIES, tmp_path)
    target = tmp_path / f"release.{kind}" if kind in FILES else None
    with DuckDB() as engine:
        opened = engine.open(source)
        counted = engine.count(opened, QUASI)
        table = counted.frequencies
        assert [table.domains[0].values[code] for code in table.codes[:, 0]] == [20, 30, 40]
        pieces = Pieces(of_row=np.array([0, 0, 0, 1, 2]), counts=np.array([2, 1, 1, 1, 1]))
        recoding = LocalRecoding.from_groups(
            table, np.array([0, 1, SUPPRESSED_ROW, 1, 3]), ("spans", "nodes"), pieces
        )
        application = Application(recoding=recoding, k=2, suppressed=suppressed)
        data = engine.apply(opened, counted, application, target)
    found = load(data if target is None else target)
    ages, numbers = ["20", "[20, 30]", "20", "[20, 30]"], ["1", "2", "3", "4"]
    if suppressed == "mask":
        assert found["age"] == [*ages, "*", "*"]
        assert list(map(str, found["n"])) == [*numbers, "None", "None"]
    else:
        assert found["age"] == ages
        assert list(map(str, found["n"])) == numbers


def test_divided_rows_keep_the_order_of_a_large_source(tmp_path: Path) -> None:
    """The window that tells copies apart loses the order; it is put back."""
    rows = 300_000
    path = tmp_path / "people.csv"
    path.write_text("n,age,job\n" + "".join(f"{n},{20 + n * 7 % 5},clerk\n" for n in range(rows)))
    with DuckDB(threads=2) as engine:
        opened = engine.open(path)
        counted = engine.count(opened, QUASI)
        table = counted.frequencies
        half = table.counts // 2
        pieces = Pieces(
            of_row=np.repeat(np.arange(5), 2), counts=np.column_stack([half, table.counts - half]).ravel()
        )
        group_of = np.array([0, 9, 1, 9, 2, 9, 3, 9, 4, 9])
        recoding = LocalRecoding.from_groups(table, group_of, ("spans", "nodes"), pieces)
        engine.apply(opened, counted, Application(recoding=recoding, k=2), tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert [int(line.split(",")[0]) for line in lines] == list(range(rows))
    told = [line.split(",", 1)[1] for line in lines]
    assert told[:5] == [f"{20 + n * 7 % 5},clerk" for n in range(5)]
    assert set(told[rows // 2 + 5 :]) == {'"[20, 24]",clerk'}


def test_rows_are_not_divided_where_models_look_at_them() -> None:
    """Nobody counted which copy has which sensitive value."""
    table = table_of([20, 20], ["clerk", "clerk"])
    with pytest.raises(InternalError, match="do not add up"):
        Pieces(of_row=np.array([0]), counts=np.array([1])).refine(table)
