"""The recoding as SQL: run, it releases what `anonymize` releases; it stays k-anonymous when rows change."""

from __future__ import annotations

import datetime
import random
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest
import sqlglot
from sqlglot import exp

import shoal
from shoal import RecodingSql
from shoal.warehouse import DIALECTS
from tests.unit.warehouses import Rows, multiset, policy_for, released, selected, smallest_group

NASTY = [
    "a'b",
    "a\\",
    "a\\'b",
    'say "x"',
    "`tick`",
    "line\nbreak",
    "*/ x",
    "-- x",
    "{{ x }}",
    "{# c",
    "é😀",
    "A",
    "a",
]
TOWNS = shoal.Hierarchy(
    tuple((town, "first\\'s" if place < 6 else "others", "*") for place, town in enumerate(NASTY))
)


def people(rows: int = 240) -> pyarrow.Table:
    """People with columns of every type, some cells missing."""
    day = datetime.date(2020, 1, 1)
    return pyarrow.table(
        {
            "name": [f"n{i}" for i in range(rows)],
            "age": [None if i % 29 == 0 else 20 + i * i % 31 for i in range(rows)],
            "pay": [None if i % 37 == 0 else (i * 7 % 40) / 10 for i in range(rows)],
            "town": [None if i % 23 == 0 else NASTY[i * i % len(NASTY)] for i in range(rows)],
            "born": [day + datetime.timedelta(days=i * 11 % 90) for i in range(rows)],
            "seen": [datetime.datetime(2021, 1, 1, i % 24, 30) for i in range(rows)],
            "smokes": [None if i % 31 == 0 else i % 3 == 0 for i in range(rows)],
            "rate": pyarrow.array([Decimal(i % 9) / 4 for i in range(rows)], pyarrow.decimal128(8, 2)),
            "sick": [f"d{i * i % 7}" for i in range(rows)],
        }
    )


CASES: dict[str, dict[str, Any]] = {
    "cuts": {"quasi_identifiers": ["age", "town"], "k": 5},
    "cuts masked": {"quasi_identifiers": ["age", "town"], "k": 9, "suppressed": "mask"},
    "no suppression": {"quasi_identifiers": ["age", "smokes"], "k": 7, "suppression": 0},
    "all types": {
        "quasi_identifiers": ["born", "seen", "smokes", "rate"],
        "k": 4,
        "algorithm": "hill-climb",
    },
    "bins": {"quasi_identifiers": ["age", "pay"], "k": 5, "bins": {"age": 5, "pay": 0.3}},
    "numbers as they are": {"quasi_identifiers": ["pay"], "k": 2},
    "truth values": {"quasi_identifiers": ["smokes"], "k": 2},
    "decimals": {"quasi_identifiers": ["rate", "smokes"], "k": 12},
    "codes": {"quasi_identifiers": ["age"], "k": 6, "types": {"age": "category"}},
    "levels": {
        "quasi_identifiers": ["age", "town"],
        "k": 6,
        "algorithm": "lattice",
        "suppression": "20%",
        "hierarchies": {
            "age": shoal.Recipe(widths=(5, 10)),
            "town": TOWNS,
        },
    },
    "subtree": {
        "quasi_identifiers": ["age", "town"],
        "k": 6,
        "algorithm": "subtree",
        "cost": "general-loss",
        "hierarchies": {"age": shoal.Recipe(widths=(5, 10)), "town": TOWNS},
    },
    "datafly": {
        "quasi_identifiers": ["age", "town"],
        "k": 4,
        "algorithm": "datafly",
        "hierarchies": {"age": shoal.Recipe(widths=(5, 10)), "town": TOWNS},
    },
    "sets": {
        "quasi_identifiers": ["age", "town"],
        "k": 4,
        "sets": [["age"], ["town"]],
        "algorithm": "datafly",
        "hierarchies": {"age": shoal.Recipe(widths=(5, 10)), "town": TOWNS},
    },
    "mondrian": {"quasi_identifiers": ["age", "town"], "k": 5, "algorithm": "mondrian"},
    "mondrian masked": {
        "quasi_identifiers": ["age", "pay"],
        "k": 5,
        "algorithm": "mondrian",
        "suppressed": "mask",
    },
    "local": {"quasi_identifiers": ["age", "smokes"], "k": 5, "algorithm": "local"},
    "cells": {
        "quasi_identifiers": ["age", "smokes"],
        "k": 5,
        "algorithm": "forest",
        "cost": "suppressed-cells",
    },
    "diverse": {
        "quasi_identifiers": ["age", "town"],
        "k": 5,
        "sensitive": ["sick"],
        "models": [{"name": "distinct-l-diversity", "attribute": "sick", "l": 3}],
    },
    "close": {
        "quasi_identifiers": ["age", "smokes"],
        "k": 5,
        "sensitive": ["sick"],
        "models": [{"name": "t-closeness", "attribute": "sick", "t": 0.4}],
    },
    "persons": {"quasi_identifiers": ["age", "smokes"], "k": 5, "entity": "town"},
}


def made(case: str, folder: Path) -> RecodingSql:
    """The SQL of a case."""
    policy = policy_for(people(), folder, identifiers=["name"], **CASES[case])
    return shoal.recoding_sql(policy=policy)


@pytest.mark.parametrize("case", CASES)
def test_the_query_selects_what_anonymize_releases(case: str, tmp_path: Path) -> None:
    """Row for row, whatever the recoding, the types and what becomes of suppressed rows."""
    policy = policy_for(people(), tmp_path, identifiers=["name"], **CASES[case])
    assert selected(shoal.recoding_sql(policy=policy), people()) == released(policy, tmp_path)


@pytest.mark.parametrize(
    "case", ["cuts masked", "all types", "bins", "levels", "mondrian", "diverse", "close", "persons"]
)
def test_every_dialect_reads_back_as_the_same_query(case: str, tmp_path: Path) -> None:
    """sqlglot parses what was printed, and DuckDB finds the same rows by it."""
    found = made(case, tmp_path)
    rows = selected(found, people())
    for dialect in DIALECTS:
        if (case, dialect) != ("all types", "sqlite"):  # whose moments are texts; they run on SQLite below
            assert selected(found.rewritten(dialect=dialect), people()) == rows, dialect
        view = sqlglot.parse_one(str(found.rewritten(dialect=dialect)), read=dialect)
        assert isinstance(view, exp.Create)


@pytest.mark.parametrize("case", ["cuts masked", "bins", "levels", "mondrian", "diverse", "close", "persons"])
def test_sqlite_selects_the_same_rows(case: str, tmp_path: Path) -> None:
    """A second engine runs what was printed for it."""
    found = made(case, tmp_path)
    names = people().column_names
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE people ({', '.join(names)})")
        # SQLite knows no dates and decimals; these cases leave them as they are.
        rows = [
            [None if name in ("born", "seen", "rate") else row[name] for name in names]
            for row in people().to_pylist()
        ]
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", rows)
        connection.execute(str(found.rewritten(dialect="sqlite")))
        seen = connection.execute(f"SELECT age, town FROM people_k{found.facts.k}").fetchall()
    assert multiset(seen) == projected(selected(found, people()), found, ["age", "town"])


def projected(rows: Rows, found: RecodingSql, names: list[str]) -> Rows:
    """Some columns of released rows."""
    columns = [name for name in found.columns if name not in found.dropped]
    some: Rows = Counter()
    for row, count in rows.items():
        some[tuple(row[columns.index(name)] for name in names)] += count
    return some


def test_adult_is_released_by_sql_as_by_anonymize(tmp_path: Path) -> None:
    """Thirty thousand rows, by intervals, sets and suppressed rows, from a CSV file whose cells are text."""
    table = shoal.datasets.adult("pyarrow")
    source = tmp_path / "people.csv"
    pyarrow.csv.write_csv(table, source)
    policy = replace(shoal.datasets.adult_policy(k=50), source=source, budget=shoal.Budget(nodes=200))
    found = shoal.recoding_sql(policy=policy)
    rows = selected(found, table)
    assert rows == released(policy, tmp_path)
    quasi = [each.name for each in policy.quasi_identifiers]
    assert (smallest_group(projected(rows, found, quasi), range(len(quasi))) or 0) >= 50


@pytest.mark.parametrize("case", ["cuts", "cuts masked", "bins", "levels", "mondrian", "local", "close"])
def test_every_group_has_k_rows_after_the_table_changed(case: str, tmp_path: Path) -> None:
    """Rows come and go, with values that were never seen; the view counts again."""
    found = made(case, tmp_path)
    quasi = [column.domain.name for column in found.plan.columns]
    for seed in range(5):
        drawn = random.Random(seed)
        rows = [row for row in people().to_pylist() if drawn.random() < 0.7]
        for _ in range(60):
            row = {name: drawn.choice(rows)[name] for name in rows[0]}
            row["age"] = drawn.choice([row["age"], 1, 23, 200, None])
            row["town"] = drawn.choice([row["town"], "new", "", None])
            rows.append(row)
        changed = selected(found, pyarrow.Table.from_pylist(rows, people().schema))
        smallest = smallest_group(projected(changed, found, quasi), range(len(quasi)))
        assert smallest is None or smallest >= found.facts.k


def test_counted_demands_hold_after_the_table_changed(tmp_path: Path) -> None:
    """Distinct values are counted again, too."""
    found = made("diverse", tmp_path)
    rows = people().to_pylist()
    for row in rows[::2]:
        row["sick"] = "d0"
    changed = selected(found, pyarrow.Table.from_pylist(rows, people().schema))
    groups: dict[tuple[str | None, ...], set[str | None]] = {}
    for age, town, sick in projected(changed, found, ["age", "town", "sick"]):
        groups.setdefault((age, town), set()).add(sick)
    assert groups
    assert all(len(values) >= 3 for values in groups.values())


def test_a_value_that_no_released_row_had_is_suppressed_and_not_told(tmp_path: Path) -> None:
    """Neither the labels nor the branches name it."""
    ages = [30] * 5 + [40] * 8 + [77]
    table = pyarrow.table({"age": ages})
    policy = policy_for(table, tmp_path, quasi_identifiers=["age"], k=5, suppression=1)
    found = shoal.recoding_sql(policy=policy)
    assert "77" not in "".join(line for line in str(found).splitlines() if not line.startswith("--"))
    grown = pyarrow.table({"age": ages + [77] * 9})
    assert set(selected(found, grown)) == {("30",), ("40",)}


def test_the_text_is_the_same_each_time(tmp_path: Path) -> None:
    """No date, time or path is in it."""
    first = str(made("cuts", tmp_path))
    assert str(made("cuts", tmp_path)) == first
    assert str(tmp_path) not in first
