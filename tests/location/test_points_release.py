"""Releases of tables with points: every released cell holds its point, and k is what it says."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import h3
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from tests.agreement.thoroughness import examples
from tests.location.conftest import GRID, H3, people_at_places
from tests.location.shapes import in_box, in_ring
from tests.unit.conftest import FILES, FRAMES, store

METRES = 111_195.08


def released_rows(release: shoal.Release) -> list[dict[str, Any]]:
    """The rows of a release, from any library or file."""
    if release.path is not None:
        path = Path(release.path)
        if path.suffix == ".parquet":
            return pandas.read_parquet(path).to_dict("records")
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    data = release.data
    if hasattr(data, "to_pylist"):
        return list(data.to_pylist())
    return list(data.to_dicts() if hasattr(data, "to_dicts") else data.to_dict("records"))


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
@pytest.mark.parametrize("point", [GRID, H3], ids=["grid", "h3"])
def test_every_released_box_holds_its_point(
    kind: str, point: dict[str, Any], table: dict[str, list[Any]], tmp_path: Path
) -> None:
    """From files and frames of all kinds, row by row in their order; coordinates are gone."""
    target = tmp_path / f"release.{kind}" if kind in FILES else None
    release = shoal.anonymize(
        store(kind, table, tmp_path),
        quasi_identifiers=["place", "sex"],
        other=["id", "person", "time"],
        points={"place": {**point, "released": "box"}},
        k=4,
        path=target,
    )
    rows = released_rows(release)
    assert list(rows[0]) == ["id", "person", "place", "sex", "time"]
    assert [int(row["id"]) for row in rows] == table["id"]
    for row in rows:
        latitude, longitude = table["lat"][int(row["id"])], table["lon"][int(row["id"])]
        assert row["place"] == "*" or in_box(latitude, longitude, row["place"])
    assert sum(row["place"] != "*" for row in rows) > 100
    groups = Counter((row["place"], row["sex"]) for row in rows)
    assert min(groups.values()) >= 4


@pytest.mark.parametrize(
    ("algorithm", "released"),
    [
        ("lattice", "index"),
        ("local", "geojson"),
        ("mondrian", "index"),
        ("subtree", "geojson"),
        ("k-member", "index"),
        ("datafly", "geojson"),
    ],
)
def test_every_search_over_levels_releases_true_cells(
    algorithm: str, released: str, table: dict[str, list[Any]]
) -> None:
    """The audit compares each cell with the finest one of its row; a second reader compares shapes."""
    frame = pandas.DataFrame(table)
    point = {**H3, "released": released}
    policy = {"quasi_identifiers": ["place", "sex"], "points": {"place": point}, "k": 4}
    release = shoal.anonymize(frame, algorithm=algorithm, suppression="5%", other=["id"], **policy)
    for row in released_rows(release):
        latitude, longitude = table["lat"][row["id"]], table["lon"][row["id"]]
        if row["place"] == "*":
            continue
        if released == "geojson":
            assert in_ring(latitude, longitude, json.loads(row["place"])["coordinates"][0])
        else:
            finest = h3.latlng_to_cell(latitude, longitude, 9)
            assert row["place"] == h3.cell_to_parent(finest, h3.get_resolution(row["place"]))


def test_the_audit_compares_cells_with_the_original(table: dict[str, list[Any]], tmp_path: Path) -> None:
    """It makes the finest cells again; a cell that is moved is found untrue."""
    source, target = store("csv", table, tmp_path), tmp_path / "release.csv"
    policy = tmp_path / "places.toml"
    policy.write_text(
        f'[source]\npath = "{source.name}"\n[attributes.place]\nrole = "quasi-identifier"\ntype = "point"\n'
        'latitude = "lat"\nlongitude = "lon"\ncells = "grid"\norigin = [52.5, 13.4]\n[attributes.time]\n'
        'role = "quasi-identifier"\ntype = "time"\n[privacy]\nk = 3\nentity = "person"\n'
        '[release]\npath = "release.csv"\n',
        encoding="utf-8",
    )
    shoal.anonymize(policy=policy)
    audited = shoal.audit(target, policy=policy, original=source)
    assert audited.holds
    assert audited.to_dict()["comparison"]["holds"]
    text = target.read_text(encoding="utf-8")
    cell = next(each for each in re.findall(r"\d+mN-?\d+E-?\d+", text) if not each.startswith("16000m"))
    target.write_text(text.replace(cell, "250mN99000E99000"), encoding="utf-8")
    assert not shoal.audit(target, policy=policy, original=source, manifest=False).to_dict()["comparison"][
        "holds"
    ]


def square(latitude: float, longitude: float, level: int) -> tuple[int, int, int]:
    """The square of a point, by its definition."""
    side = 250 * 2**level
    east = (longitude - 13.4) * METRES * math.cos(math.radians(52.5))
    return (
        level,
        math.floor((latitude - 52.5) * METRES / 250) * 250 // side,
        math.floor(east / 250) * 250 // side,
    )


@given(seed=st.integers(0, 10**6), rows=st.integers(4, 14), k=st.integers(2, 4))
@settings(max_examples=examples(40), deadline=None)
def test_lattice_over_points_finds_the_optimum_of_plain_enumeration(seed: int, rows: int, k: int) -> None:
    """Level by level, the loss of each combination that has k rows in every group, counted anew."""
    table = people_at_places(rows, seed)
    release = shoal.anonymize(
        pandas.DataFrame(table)[["lat", "lon", "sex"]],
        quasi_identifiers=["place", "sex"],
        points={"place": GRID},
        k=k,
        algorithm="lattice",
    )
    points = list(zip(table["lat"], table["lon"], strict=True))
    finest = {square(*point, 0): point for point in points}
    costs = []
    for level, sex_level in product(range(8), range(2)):
        groups: dict[Any, list[int]] = defaultdict(list)
        for at, point in enumerate(points):
            cell = square(*point, level) if level < 7 else None
            groups[cell, table["sex"][at] if sex_level == 0 else None].append(at)
        if min(map(len, groups.values())) < k:
            continue
        leaves = Counter(
            square(*next(point for point in points if square(*point, 0) == leaf), level)
            if level < 7
            else None
            for leaf in finest
        )
        lost = 0.0
        for point in points:
            cell = square(*point, level) if level < 7 else None
            lost += (leaves[cell] - 1) / (len(finest) - 1) if len(finest) > 1 else float(level == 7)
            lost += sex_level if len(set(table["sex"])) > 1 else 0
        costs.append(lost / (2 * rows))
    assert release.manifest.status == "optimal"
    assert release.manifest.cost == pytest.approx(min(costs))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_cells_and_slots_stay_with_their_rows_in_a_large_file(kind: str, tmp_path: Path) -> None:
    """Threads read the file in parts, and the rows of a join come in any order."""
    source, target = tmp_path / f"visits.{kind}", tmp_path / "release.parquet"
    places = "i % 1009 * 0.001 AS lat, i % 983 * 0.001 AS lon"
    moment = "TIMESTAMP '2024-05-13 00:30:00' + to_hours(CAST(i % 71 AS INTEGER))"
    duckdb.execute(
        f"COPY (SELECT i AS id, {places}, strftime({moment}, '%Y-%m-%d %H:%M') AS time "
        "FROM range(400000) t(i)) "
        f"TO '{source}' (FORMAT {kind})"
    )
    grid = {**GRID, "origin": (0.0, 0.0), "finest": 1000, "coarsest": 1000}
    release = shoal.anonymize(
        source,
        quasi_identifiers=["place", "time"],
        points={"place": grid},
        slots={"time": ["hour"]},
        other=["id"],
        k=1,
        algorithm="lattice",
        path=target,
    )
    assert release.manifest.recoding == {"place": {"level": 0}, "time": {"level": 0}}
    north, east = "CAST(floor(id % 1009 * 0.001 * {0} / 1000) * 1000 AS BIGINT)", "id % 983"
    north, east = north.format(METRES), north.format(METRES).replace("id % 1009", east)
    cell = f"'1000mN' || {north} || 'E' || {east}"
    hour = moment.replace("i % 71", "id % 71").replace("00:30:00", "00:00:00")
    written = f"(SELECT CAST(id AS BIGINT) AS id, place, time FROM '{target}')"
    wrong = duckdb.sql(
        f"SELECT count(*) FROM {written} WHERE place <> {cell} "
        f"OR substr(time, 1, 16) <> strftime({hour}, '%Y-%m-%d %H:%M')"
    ).fetchall()
    ordered = duckdb.sql(
        f"SELECT bool_and(id = r - 1) FROM (SELECT id, row_number() OVER () r FROM '{target}')"
    )
    assert wrong == [(0,)]
    assert ordered.fetchall() == [(True,)]


@pytest.mark.parametrize("algorithm", ["local", "lattice", "mondrian"])
def test_k_over_persons_is_that_of_a_plain_count(algorithm: str, table: dict[str, list[Any]]) -> None:
    """The audit's number of persons equals distinct persons per released combination."""
    frame = pandas.DataFrame(table)
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["place", "time"],
        points={"place": GRID},
        slots={"time": ["hour", "part of day", "day"]},
        entity="person",
        other=["id", "sex"],
        k=3,
        algorithm=algorithm,
    )
    persons = defaultdict(set)
    for row in released_rows(release):
        persons[row["place"], row["time"]].add(table["person"][row["id"]])
    least = min(map(len, persons.values()))
    assert release.manifest.audit["k-anonymity(person)"] == least >= 3


def test_a_table_of_duckdb_is_released_like_a_file(table: dict[str, list[Any]]) -> None:
    """Its coordinates are numbers, and its times timestamps."""
    connection = duckdb.connect()
    frame = pandas.DataFrame(table)
    connection.register("frame", frame)
    connection.execute("CREATE TABLE visits AS SELECT * REPLACE (time::TIMESTAMP AS time) FROM frame")
    shoal.anonymize(
        connection,
        table="visits",
        quasi_identifiers=["place", "time"],
        points={"place": GRID},
        types={"time": "time"},
        identifiers=["id", "person"],
        k=5,
        path="visits_k5",
    )
    rows = connection.execute("SELECT place, time, count(*) FROM visits_k5 GROUP BY ALL").fetchall()
    assert min(count for _, _, count in rows) >= 5
    assert [row[0] for row in connection.execute("DESCRIBE visits_k5").fetchall()] == ["place", "sex", "time"]


def test_missing_places_and_times_are_values_of_their_own(tmp_path: Path) -> None:
    """An empty coordinate leaves a row without a place; its other half is not released either."""
    source = tmp_path / "source.csv"
    known = ["52.5,13.4,2024-05-13 07:10", "52.5,13.4,2024-05-13 07:20"] * 3
    missing = ["52.5,NA,", ",13.4,", ",,?"]
    source.write_text("\n".join(["lat,lon,time", *known, *missing]) + "\n", encoding="utf-8")
    release = shoal.anonymize(
        source,
        quasi_identifiers=["place", "time"],
        points={"place": GRID},
        types={"time": "time"},
        k=3,
        path=tmp_path / "release.csv",
    )
    rows = Counter((row["place"], row["time"]) for row in released_rows(release))
    assert rows == {("250mN0E0", "2024-05-13 07:00-08:00"): 6, ("", ""): 3}


def test_points_on_both_sides_of_the_date_line_share_a_square() -> None:
    """A grid ends half way round from its origin, and nowhere else."""
    frame = pandas.DataFrame({"lat": [0.001] * 4, "lon": [179.9999, -179.9999, 179.9995, -179.9995]})
    point = {"latitude": "lat", "longitude": "lon", "cells": "grid", "origin": (0.0, 179.99), "finest": 4000}
    release = shoal.anonymize(frame, quasi_identifiers=["place"], points={"place": point}, k=4)
    assert set(release.data["place"]) == {"4000mN0E0"}


def test_the_manifest_names_no_finer_cell_than_the_release(table: dict[str, list[Any]]) -> None:
    """Where somebody was more exactly is not said by the values that labels represent."""
    frame = pandas.DataFrame(table)
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["place", "time"],
        points={"place": H3},
        types={"time": "time"},
        identifiers=["id", "person"],
        k=5,
    )
    text = release.manifest.to_json()
    named = set(re.findall(r"\b8[0-9a-f]{14}\b", text))
    assert named
    assert named <= set(release.data["place"])
    assert set(re.findall(r"2024-05-\d\d \d\d:\d\d-\d\d:\d\d", text)) <= set(release.data["time"])


def test_the_policy_alone_decides_the_digest() -> None:
    """The hierarchy over cells comes from the table, and is no part of what was requested."""
    frames = [pandas.DataFrame(people_at_places(60, seed)) for seed in (1, 2)]
    digests = {
        shoal.anonymize(
            frame, quasi_identifiers=["place"], points={"place": GRID}, k=3, other=["id"]
        ).manifest.policy_digest
        for frame in frames
    }
    assert len(digests) == 1
