"""One table, wherever it lies: the same counts, the same release up to row order, the same verdict."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import shoal
from shoal.auditor.measure.leaks import leaks
from shoal.engines.connection import engine_for
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.coded_cells import CodedCells
from shoal.pipeline.source import source_of
from tests.engines.places import PLACES, Place, Rows
from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures

SIZE = 120
PEOPLE: dict[str, pyarrow.Array] = {
    "name": pyarrow.array([f"person {row // 2}" for row in range(SIZE)]),
    "age": pyarrow.array(
        [None if row % 13 == 0 else 20 + row * 7 % 40 for row in range(SIZE)], pyarrow.int64()
    ),
    'zip "code"': pyarrow.array([f"0213{row % 3}" for row in range(SIZE)]),
    "Größe; 'x'": pyarrow.array(
        [("ü😀", "O'Neil", "a\\b", "x" * 20_000, None)[row % 5] for row in range(SIZE)]
    ),
    "height": pyarrow.array(
        [Decimal("1.50") + Decimal(row % 4) / 4 for row in range(SIZE)], pyarrow.decimal128(6, 2)
    ),
    "born": pyarrow.array([datetime.date(1990 + row % 3, 1 + row % 2, 28) for row in range(SIZE)]),
    "smokes": pyarrow.array([(True, False, None)[row // 40] for row in range(SIZE)]),
    "score": pyarrow.array([(0.0, -0.0, math.nan, 2.5)[row % 4] for row in range(SIZE)]),
    "ill": pyarrow.array([("flu", "cold", "gout")[row * 5 % 7 % 3] for row in range(SIZE)]),
    "stands for": pyarrow.array([1 + row % 3 for row in range(SIZE)], pyarrow.int64()),
    "free text": pyarrow.array([f"note {row}" for row in range(SIZE)]),
}
QUASI = [name for name in PEOPLE if name not in ("name", "ill", "stands for", "free text")]
FEW = ["age", 'zip "code"', "born", "smokes"]
CASES: dict[str, dict[str, Any]] = {
    "all of them suppressed or joined": {
        "quasi_identifiers": QUASI,
        "k": 4,
        "suppression": "20%",
        "algorithm": "exact",
        "cost": "discernibility",
    },
    "row by row": {"quasi_identifiers": FEW, "k": 3},
    "masked": {"quasi_identifiers": FEW, "k": 3, "suppression": 30, "suppressed": "mask"},
    "levels": {"quasi_identifiers": FEW, "k": 3, "algorithm": "lattice", "cost": "precision"},
    "whole rows": {"quasi_identifiers": FEW, "k": 3, "algorithm": "mondrian"},
    "divided copies": {
        "quasi_identifiers": ["smokes", "born"],
        "k": 7,
        "algorithm": "cells",
        "cost": "suppressed-cells",
    },
    "models": {
        "quasi_identifiers": FEW,
        "k": 2,
        "sensitive": ["ill"],
        "entity": "name",
        "models": [{"name": "distinct-l-diversity", "attribute": "ill", "l": 2}],
    },
    "weights": {
        "quasi_identifiers": FEW,
        "k": 2,
        "survey_weight": "stands for",
        "identifiers": ["name", "stands for"],
        "models": [{"name": "k-map", "k": 9}],
    },
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param](tmp_path, request)


@pytest.fixture(scope="module")
def people() -> pyarrow.Table:
    return pyarrow.table(PEOPLE)


def plain(cell: Any) -> str | None:
    """A cell as text, so that places without types compare with those that have them."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(cell + 0.0)
    return {"nan": None, "-0.0": "0.0"}.get(str(cell), str(cell))


def alike(rows: Rows) -> Counter[tuple[str | None, ...]]:
    return Counter(tuple(map(plain, row)) for row in rows)


def released(place: Place, table: pyarrow.Table, asked: dict[str, Any]) -> shoal.Release:
    put = place.put(table)
    return shoal.anonymize(
        put.pop("source"), path=place.target, **put, **{"identifiers": ["name"], "seed": 1, **asked}
    )


def facts(release: shoal.Release) -> dict[str, Any]:
    """What must not depend on the place."""
    manifest = release.manifest
    names = ["cost", "bound", "status", "rows", "suppressed", "groups", "audit", "recoding", "orders"]
    names.append("policy_digest")
    return {name: getattr(manifest, name) for name in names}


@pytest.fixture(scope="module")
def expected(people: pyarrow.Table) -> dict[str, tuple[dict[str, Any], Counter[tuple[str | None, ...]]]]:
    """The release of an Arrow table, case by case."""
    found = {}
    for name, asked in CASES.items():
        release = shoal.anonymize(people, **{"identifiers": ["name"], "seed": 1, **asked})
        rows = list(zip(*release.data.to_pydict().values(), strict=True))
        found[name] = (facts(release), alike(rows))
    return found


THOROUGH = ("csv", "parquet", "duckdb", "postgres")
QUICK = ("all of them suppressed or joined", "whole rows")
# What is masked, and models, are compared in test_spark.py.
TRIED = {**dict.fromkeys(PLACES, QUICK), **dict.fromkeys(THOROUGH, CASES)}


@pytest.mark.filterwarnings("ignore:the release keeps the order of the source:shoal.errors.ShoalWarning")
@pytest.mark.parametrize(
    ("place", "case"),
    [(name, case) for name, cases in TRIED.items() for case in cases],
    indirect=["place"],
)
def test_a_release_is_the_same_wherever_the_rows_lie(
    place: Place, case: str, people: pyarrow.Table, expected: dict[str, Any]
) -> None:
    """Cost, proof, recoding, verdict, and every cell of every row, but for their order."""
    release = released(place, people, CASES[case])
    wanted, rows = expected[case]
    found = facts(release)
    if not place.typed:  # where all cells are text, so are the values of truth
        found, wanted = _without_types(found), _without_types(wanted)
    assert found == wanted
    got = alike(place.released(release))
    if case == "divided copies":  # which of equal rows goes to which group is nobody's promise
        chosen = [list(release.verdict.columns).index(name) for name in CASES[case]["quasi_identifiers"]]
        assert _only(got, chosen) == _only(rows, chosen)
    else:
        assert got == rows


def _without_types(facts: dict[str, Any]) -> str:
    return json.dumps(facts, default=str).replace('"true"', "true").replace('"false"', "false")


def _only(rows: Counter[tuple[str | None, ...]], chosen: list[int]) -> Counter[tuple[str | None, ...]]:
    found: Counter[tuple[str | None, ...]] = Counter()
    for row, count in rows.items():
        found[tuple(row[index] for index in chosen)] += count
    return found


WARNED = [
    ("direct-identifier", ("name",)),
    ("repeats-quasi-identifier", ("Größe; 'x'", "age")),
    ("determines-quasi-identifier", ("born", 'zip "code"')),
    ("determines-quasi-identifier", ("stands for", 'zip "code"')),
    ("nearly-unique", ("free text",)),
    ("determines-quasi-identifier", ("copy", "age")),
    ("repeats-quasi-identifier", ("decade", "age")),
]


def test_the_same_is_warned_of_wherever_the_rows_lie(place: Place, people: pyarrow.Table) -> None:
    """Names, unique columns, finer and coarser copies, and columns that repeat with the same period."""
    ages = people["age"].to_pylist()
    table = people.append_column("copy", pyarrow.array([None if age is None else 12 * age for age in ages]))
    decades = [None if age is None else age // 10 for age in ages]
    table = table.append_column("decade", pyarrow.array(decades))
    policy = policy_of(quasi_identifiers=["age", 'zip "code"'], k=2, other=["height", "score"])
    put = place.put(table)
    source = source_of(put["source"], put.get("table"), policy)
    with engine_for(source) as engine:
        found = leaks(engine, engine.open(source), policy)
    assert [(each.code, each.columns) for each in found] == WARNED


def test_counts_are_the_same(place: Place, people: pyarrow.Table) -> None:
    """The frequency table: values in order, codes and counts."""
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in QUASI]
    attributes.append(Attribute(name="ill", role=Role.CLASS))
    put = place.put(people)
    source = source_of(put["source"], put.get("table"), shoal.Policy(attributes=tuple(attributes), k=2))
    with engine_for(source) as engine, engine_for(people) as other:
        table = engine.count(source, attributes).frequencies
        twin = other.count(people, attributes).frequencies
    assert [each.labels(range(len(each))) for each in table.domains] == [
        each.labels(range(len(each))) for each in twin.domains
    ]
    assert table.codes.tolist() == twin.codes.tolist()
    assert table.label_counts.tolist() == twin.label_counts.tolist()


@pytest.mark.parametrize("place", [each for each in PLACES if each != "spark folder"], indirect=True)
def test_risk_is_the_same_wherever_the_table_lies(place: Place, people: pyarrow.Table) -> None:
    """Attackers, estimates, sets of columns; and of the cells of columns those that are looked at."""
    # Two columns have three sets: each set is a statement, and Spark takes a second for one.
    asked = {"quasi_identifiers": ["age", "born"], "survey_weight": "stands for"}
    few = people.select(["name", "age", 'zip "code"', "born", "stands for"])
    put = place.put(few)
    found = shoal.risk(put["source"], table=put.get("table"), **asked).to_dict()
    here = shoal.risk(few, **asked).to_dict()
    for part in ("prosecutor", "journalist", "individual", "population", "subsets", "sizes"):
        assert found[part] == here[part]
    assert [each for each in found["safe_harbor"] if each["column"] in ("name", "born", 'zip "code"')] == [
        {
            "column": "name",
            "identifier": "names",
            "reason": "its name suggests names",
        },
        {
            "column": 'zip "code"',
            "identifier": "places smaller than a state",
            "reason": "3 of 3 distinct cells look like ZIP codes of more than three digits",
        },
        {
            "column": "born",
            "identifier": "dates more exact than the year",
            "reason": "6 of 6 distinct cells look like dates more exact than a year",
        },
    ]


def test_no_rows_are_refused(place: Place, people: pyarrow.Table) -> None:
    """An empty table is no release, and is told in the same words."""
    with pytest.raises(PolicyError, match="has no rows; there is nothing to release"):
        released(place, people.slice(0, 0), CASES["levels"])


def test_a_missing_column_is_named(place: Place, people: pyarrow.Table) -> None:
    with pytest.raises(PolicyError, match=r"no column 'agee'.*'age'"):
        released(place, people, {"quasi_identifiers": ["agee"], "k": 2})


def test_readers_see_the_same_rows(place: Place, people: pyarrow.Table) -> None:
    """Distinct rows with the texts of their cells, sizes of groups; rows in order where there is one."""
    names = ["age", 'zip "code"', "born", "ill"]
    put = place.put(people)
    source = source_of(put["source"], put.get("table"), policy_of(quasi_identifiers=names, k=2))
    wanted = [tuple(_printed(cell) for cell in row) for row in zip(*(PEOPLE[n] for n in names), strict=True)]
    with engine_for(source) as engine:
        seen = engine.cells(source, names)
        assert Counter(dict(zip(_texts(seen), seen.counts.tolist(), strict=True))) == Counter(wanted)
        sizes = engine.group_sizes(source, names)
        assert dict(zip(sizes.sizes.tolist(), sizes.groups.tolist(), strict=True)) == Counter(
            Counter(wanted).values()
        )
        if not engine.session.keeps_order:
            with pytest.raises(PolicyError, match="no order"):
                engine.rows(source, names)
            return
        rows = engine.rows(source, names)
    assert _texts(rows) == wanted


def _texts(read: CodedCells) -> list[tuple[str | None, ...]]:
    return [tuple(read.cells[c][code] for c, code in enumerate(line)) for line in read.codes.tolist()]


def _printed(cell: pyarrow.Scalar) -> str | None:
    return None if cell.as_py() is None else str(cell.as_py())


RELEASED = {
    "age": ["[1, 2]", "[1, 2]", "[1, 2]", "3", "3", None, None, "*"],
    "zip": ["x", "x", "*", "*", "*", "y", "y", "*"],
    "ill": ["flu", "hiv", "flu", "flu", "flu", "cold", None, None],
    "pay": [1, 2, 2, 3, 3, None, 1, None],
}
WITHOUT_ORDER = ("postgres", "psycopg")


@pytest.mark.parametrize(
    ("place", "reading"),
    [
        (name, reading)
        for name in ("csv", "parquet", "duckdb", "pandas", *WITHOUT_ORDER)
        for reading in ("value", "wildcard", "conservative")
    ],
    indirect=["place"],
)
def test_an_audit_measures_the_same_wherever_the_rows_lie(
    place: Place, reading: Any, request: pytest.FixtureRequest
) -> None:
    """Groups, models and offending groups; only where rows have no order, no place of a row is told."""
    table = pyarrow.table({**RELEASED, "pay": pyarrow.array(RELEASED["pay"], pyarrow.int64())})
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age", "zip"],
        "k": 2,
        "sensitive": ["ill", "pay"],
        "models": [{"name": "distinct-l-diversity", "attribute": "ill", "l": 2}],
        "suppressed_cells": reading,
    }
    put = place.put(table)
    found = shoal.audit(put.pop("source"), **put, **asked).to_dict()
    wanted = shoal.audit(table, **asked).to_dict()
    assert wanted["offending_groups"]
    if any(name in request.node.name for name in WITHOUT_ORDER):
        for group in wanted["offending"]:  # type: ignore[attr-defined]
            group["first_row"] = None
        for facts_ in (found, wanted):
            facts_["offending"] = sorted(facts_["offending"], key=str)  # type: ignore[call-overload]
    assert found == wanted


WRITTEN: dict[str, pyarrow.Array] = {
    "age": pyarrow.array(
        [("NA", "?", "-", None)[row // 9 % 4] if row % 9 == 0 else str(30 + row % 5) for row in range(SIZE)]
    ),
    "born": pyarrow.array([f"{1 + row % 28:02}.{1 + row % 3:02}.{1960 + row % 4}" for row in range(SIZE)]),
    "income": pyarrow.array([f"{1 + row % 3}.234,{row % 2}5 €" for row in range(SIZE)]),
    "seen": pyarrow.array([("08:30", "8:45 PM", "n/a", "12:00")[row % 4] for row in range(SIZE)]),
    "country": pyarrow.array([("NA", "DE", "FR")[row % 3] for row in range(SIZE)]),
}


@pytest.mark.parametrize(
    "place", ["csv", "parquet", "duckdb", "pandas", "polars", "postgres", "spark"], indirect=True
)
def test_markers_and_forms_are_read_alike_everywhere(place: Place) -> None:
    """The same readings with the same counts, in a release and by inspect, and the same released rows."""
    table = pyarrow.table(WRITTEN)
    asked: dict[str, Any] = {"quasi_identifiers": [*WRITTEN], "k": 4, "algorithm": "mondrian", "seed": 1}
    expected = shoal.anonymize(table, **asked)
    put = place.put(table)
    source = put.pop("source")
    if place.server != "spark":  # a dozen queries of seconds each
        found = shoal.inspect(source, **put)
        assert [(each.name, each.missing, each.distinct, each.reading) for each in found.columns] == [
            (each.name, each.missing, each.distinct, each.reading) for each in shoal.inspect(table).columns
        ]
    made = shoal.anonymize(source, path=place.target, **put, **asked)
    assert facts(made) == facts(expected)
    assert made.manifest.reading["columns"] == expected.manifest.reading["columns"]
    assert made.readings["age"].missing == {"-": 3, "?": 4, "NA": 4}
    assert made.readings["country"].missing == {}
    rows = list(zip(*expected.data.to_pydict().values(), strict=True))
    assert alike(place.released(made)) == alike(rows)
