"""Local recodings: equal values with different fates, through every engine path."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.cost import METRICS
from shoal.engines._base import Application, Counted
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import InternalError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.groups import groups, released_codes
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from tests.unit.conftest import FILES, FRAMES, load, store

ZIPS = Hierarchy.from_dict(
    {"*": {"021": {"0213": ["02138", "02139"], "0214": ["02141"]}, "100": {"1000": ["10001"]}}}
)
QUASI = [
    Attribute(name="zip", role=Role.QUASI_IDENTIFIER, type="category", hierarchy=ZIPS),
    Attribute(name="sex", role=Role.QUASI_IDENTIFIER),
]
ROWS = {
    "note": ["a", "b", "c", "d", "e", "f"],
    "zip": ["02139", "02138", "10001", "02139", None, "02138"],
    "n": [6, 5, 4, 3, 2, 1],
    "sex": ["f", "f", "m", "m", "m", "f"],
}


def counted_rows(engine: DuckDB, source: Any) -> tuple[Any, Counted]:
    """The opened source, and its counts with a hierarchy for every column."""
    table = engine.open(source)
    counted = engine.count(table, QUASI)
    return table, replace(counted, frequencies=with_hierarchies(counted.frequencies, QUASI))


def recoding_of(counted: Counted, fates: dict[tuple[str | None, str], tuple[int, int]]) -> LocalRecoding:
    """The recoding that lifts the cells of each distinct row to these levels."""
    table = counted.frequencies
    zips, sexes = (domain.values for domain in table.domains)
    levels = [fates.get((zips[row[0]], sexes[row[1]]), (0, 0)) for row in table.codes.tolist()]
    return LocalRecoding.from_levels(table, np.array(levels))


FATES = {
    ("02139", "f"): (1, 0),
    ("02138", "f"): (1, 0),
    ("02139", "m"): (SUPPRESSED_CELL, 0),
    ("10001", "m"): (SUPPRESSED_CELL, 0),
    (None, "m"): (SUPPRESSED_CELL, SUPPRESSED_CELL),
}


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_every_kind_of_source_is_recoded_row_by_row(kind: str, suppressed: Any, tmp_path: Path) -> None:
    """One zip is released in two ways; order and other columns stay; the single row is dropped or masked."""
    source = store(kind, ROWS, tmp_path)
    target = tmp_path / f"release.{kind}" if kind in FILES else None
    with DuckDB() as engine:
        table, counted = counted_rows(engine, source)
        application = Application(
            recoding=recoding_of(counted, FATES), k=2, suppressed=suppressed, dropped=("note",)
        )
        data = engine.apply(table, counted, application, target)
    found = load(data if target is None else target)
    zips: list[str | None] = ["0213", "0213", "*", "*", "*", "0213"]
    sexes: list[str | None] = ["f", "f", "m", "m", "*", "f"]
    numbers: list[int | None] = [6, 5, 4, 3, None, 1]
    if suppressed == "drop":
        zips, sexes, numbers = ([*each[:4], each[5]] for each in (zips, sexes, numbers))
    assert list(found) == ["zip", "n", "sex"]
    assert (found["zip"], found["sex"]) == (zips, sexes)
    assert [None if each is None else int(each) for each in found["n"]] == numbers


@pytest.mark.parametrize("kind", ["parquet", "pandas"])
def test_cells_that_no_row_changes_are_written_as_they_were(kind: str, tmp_path: Path) -> None:
    """A column of numbers stays one if every released row has its own value."""
    source = store(kind, {"age": [1, 1, 5, 5], "sex": ["f", "f", "m", "f"]}, tmp_path)
    quasi = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in ("age", "sex")]
    with DuckDB() as engine:
        table = engine.open(source)
        counted = engine.count(table, quasi)
        counted = replace(counted, frequencies=with_hierarchies(counted.frequencies, quasi))
        levels = [(0, 0), (0, SUPPRESSED_CELL), (0, SUPPRESSED_CELL)]
        recoding = LocalRecoding.from_levels(counted.frequencies, np.array(levels))
        target = tmp_path / "release.parquet" if kind == "parquet" else None
        data = engine.apply(table, counted, Application(recoding=recoding, k=2), target)
    assert load(data if target is None else target) == {"age": [1, 1, 5, 5], "sex": ["f", "f", "*", "*"]}


def test_a_suppressed_cell_loses_everything(tmp_path: Path) -> None:
    """Its members are all values, and every share of loss is 1; a node loses what its level does."""
    with DuckDB() as engine:
        _, counted = counted_rows(engine, store("csv", ROWS, tmp_path))
    recoding, domain = recoding_of(counted, FATES), counted.frequencies.domains[0]
    by_label = {label: number for number, label in enumerate(recoding.labels(0, domain))}
    star, area = by_label["*"], by_label["0213"]
    assert recoding.members(0, domain)[star] == (0, 1, 2, 3)
    losses = [of(0, domain)[star] for of in (recoding.losses, recoding.shares, recoding.steps)]
    assert losses == [1, 1, 1]
    assert recoding.steps(0, domain)[area] == Fraction(1, 3)
    assert recoding.shares(0, domain)[area] == Fraction(1, 4)  # four leaves and the missing value


def test_the_top_of_a_hierarchy_is_the_suppressed_cell(tmp_path: Path) -> None:
    """Both are printed `*`, so they make one group, and a level that changes nothing makes none."""
    with DuckDB() as engine:
        _, counted = counted_rows(engine, store("csv", ROWS, tmp_path))
    table = counted.frequencies
    levels = np.array([[3, 1], [SUPPRESSED_CELL, 1], [3, 1], [3, 1], [3, 1]])
    recoding = LocalRecoding.from_levels(table, levels)
    assert recoding.nodes == ((None,), (None,))
    assert groups(table, recoding, 6).sizes.tolist() == [6]
    assert METRICS["precision"]().of(table, recoding, 6) == 1


def test_the_manifest_names_values_of_released_rows_alone(tmp_path: Path) -> None:
    """Neither 10001, which was released as `*`, nor the missing value, which was not released at all."""
    with DuckDB() as engine:
        _, counted = counted_rows(engine, store("csv", ROWS, tmp_path))
    table, recoding = counted.frequencies, recoding_of(counted, FATES)
    described = recoding.describe(table.domains, released_codes(table, groups(table, recoding, 2), recoding))
    assert described["zip"] == [
        {"label": "*", "values": []},
        {"label": "0213", "values": ["02138", "02139"]},
    ]


def test_small_groups_are_released_where_the_recoding_says_so(tmp_path: Path) -> None:
    """Then no row is suppressed, and metrics count every row as it is released."""
    with DuckDB() as engine:
        _, counted = counted_rows(engine, store("csv", ROWS, tmp_path))
    table = counted.frequencies
    plain = replace(recoding_of(counted, {}), keeps_small_groups=True)
    assert groups(table, plain, 2).suppressed == 0
    assert METRICS["precision"]().of(table, plain, 2) == 0
    assert METRICS["suppressed-rows"]().of(table, replace(plain, keeps_small_groups=False), 2) == 4


def test_a_local_recoding_belongs_to_its_table(tmp_path: Path) -> None:
    """Another table has other rows."""
    with DuckDB() as engine:
        _, counted = counted_rows(engine, store("csv", ROWS, tmp_path))
    recoding, table = recoding_of(counted, FATES), counted.frequencies
    with pytest.raises(InternalError, match="belongs to one table"):
        recoding.released(replace(table, codes=table.codes[1:], counts=table.counts[1:]))


def test_a_coarser_label_is_written_even_where_it_stands_for_one_value(tmp_path: Path) -> None:
    """On level 1 two zips in two areas are two areas; the zips themselves would tell more than was asked."""
    source = store("csv", {"zip": ["02141", "10001"] * 2}, tmp_path)
    with DuckDB() as engine:
        table = engine.open(source)
        counted = engine.count(table, QUASI[:1])
        application = Application(recoding=LevelRecoding((1,)), k=2)
        engine.apply(table, counted, application, tmp_path / "release.csv")
    assert load(tmp_path / "release.csv") == {"zip": ["0214", "1000"] * 2}
