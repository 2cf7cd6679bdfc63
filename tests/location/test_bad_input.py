"""Bad coordinates, times and policies: one sentence with column and row, and never the cell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from tests.location.conftest import GRID, H3

TIME = {"quasi_identifiers": ["time"], "points": None}
GOOD = "52.5,13.4,2024-05-13 07:10,f"


def release(tmp_path: Path, lines: list[str], **stated: Any) -> shoal.Release:
    """A release of a file with good rows and these."""
    source = tmp_path / "visits.csv"
    source.write_text("\n".join(["lat,lon,time,sex", GOOD, *lines, GOOD]) + "\n", encoding="utf-8")
    asked = {"quasi_identifiers": ["place"], "points": {"place": GRID}, "k": 2, **stated}
    return shoal.anonymize(source, path=tmp_path / "release.csv", **asked)


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("91.7,13.4,,f", "'lat'", "outside of -90 to 90 degrees, the first is row 2"),
        ("52.5,-180.7,,f", "'lon'", "outside of -180 to 180 degrees, the first is row 2"),
        ("inf,13.4,,f", "'lat'", "outside of -90 to 90 degrees, the first is row 2"),
        ("fifty,13.4,,f", "'lat'", "not a number of degrees, as in 52.5219, the first is row 2"),
        ('"52,7",13.4,,f', "'lat'", "not a number of degrees, as in 52.5219, the first is row 2"),
    ],
)
def test_a_coordinate_that_is_none_is_named_by_its_row(
    line: str, column: str, words: str, tmp_path: Path
) -> None:
    """The row counts from 1 without the header; the value is not repeated, and nothing is written."""
    with pytest.raises(shoal.PolicyError) as raised:
        release(tmp_path, [line])
    assert column in str(raised.value)
    assert words in str(raised.value)
    assert not any(each in str(raised.value) for each in ("91.7", "180.7", "fifty", "52,7"))
    assert [each.name for each in tmp_path.iterdir()] == ["visits.csv"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("52.5,13.4,yesterday,f", "not a time with its day, as in 2024-05-17 07:45, the first is row 2"),
        ("52.5,13.4,2024-05-13,f", "not a time with its day, as in 2024-05-17 07:45, the first is row 2"),
        ("52.5,13.4,07:45,f", "not a time of day, as in 07:45, the first are rows 1 and 3"),
    ],
)
def test_a_time_that_is_none_is_named_by_its_row(line: str, words: str, tmp_path: Path) -> None:
    """A date without a time would claim midnight; times of day and moments do not mix."""
    with pytest.raises(shoal.PolicyError) as raised:
        release(tmp_path, [line], quasi_identifiers=["time"], points=None, types={"time": "time"})
    assert words in str(raised.value)


def test_times_of_day_have_no_day(tmp_path: Path) -> None:
    """Slots of days need dates."""
    frame = pandas.DataFrame({"at": ["07:45", "08:10:30", "23:59"]})
    with pytest.raises(shoal.PolicyError, match="no day; leave that out of slots"):
        shoal.anonymize(frame, quasi_identifiers=["at"], slots={"at": ["hour", "day"]}, k=1)
    data = shoal.anonymize(
        frame, quasi_identifiers=["at"], types={"at": "time"}, k=1, algorithm="lattice"
    ).data
    assert data["at"].tolist() == ["07:00-08:00", "08:00-09:00", "23:00-24:00"]


def test_a_column_of_nothing_is_no_point() -> None:
    """There is no finest cell to begin with."""
    frame = pandas.DataFrame({"lat": [None, None], "lon": [1.0, 2.0]})
    with pytest.raises(shoal.PolicyError, match="only missing values; a point needs at least one"):
        shoal.anonymize(frame, quasi_identifiers=["place"], points={"place": GRID}, k=1)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"points": {"place": {"latitude": "lat"}}}, 'latitude = "lat" and longitude = "lon"'),
        ({"points": {"place": {**H3, "longitude": "lat"}}}, "name one column; name two"),
        ({"points": {"place": {**H3, "cells": "hexagons"}}}, "there is no cells 'hexagons'"),
        ({"points": {"place": {**H3, "released": "wkt"}}}, "there is no released 'wkt'"),
        ({"points": {"place": {**H3, "finest": 16}}}, "a resolution of H3, 0 to 15; it is 16"),
        ({"points": {"place": {**H3, "finest": 5, "coarsest": 7}}}, "a lower resolution than finest"),
        ({"points": {"place": {**H3, "origin": (52.5, 13.4)}}}, "only a grid has an origin"),
        ({"points": {"place": {**H3, "cells": "grid"}}}, "a grid needs an origin"),
        ({"points": {"place": {**GRID, "origin": (89.0, 13.4)}}}, "a latitude from -85 to 85"),
        ({"points": {"place": {**GRID, "finest": 0.5}}}, "the side of squares, in whole metres"),
        ({"points": {"place": {**GRID, "coarsest": 600}}}, "finest, which is 250 metres, doubled"),
        ({"points": {"place": {**H3, "lat": "x"}}}, "a point has no 'lat'"),
        ({"points": {"place": "lat,lon"}}, "points of 'place' is a dictionary"),
        ({"points": {"place": {**H3, "latitude": "latt"}}}, "no column 'latt'"),
        ({"points": {"sex": H3}, "quasi_identifiers": ["sex"]}, "has a column 'sex' already"),
        ({"identifiers": ["lat"]}, "'lat' is a coordinate of the point 'place'"),
        ({"bins": {"place": 3}}, "only numbers can be binned"),
        ({"orders": {"place": ["a"]}}, "the cells of a point decide its order"),
        ({"hierarchies": {"place": "cells.csv"}}, "the cells of a point decide its hierarchy"),
        ({"slots": {"place": ["hour"]}, "points": None}, "no column 'place'"),
        ({"types": {"place": "point"}, "points": None}, 'latitude = "lat" and longitude = "lon"'),
        ({"algorithm": "exact"}, "algorithm 'exact' knows no levels; use 'lattice'"),
        ({"algorithm": "microaggregate", "cost": "sse"}, "knows no levels"),
        (
            {"quasi_identifiers": ["time"], "points": None, "slots": {"time": ["day", "hour"]}},
            "fine to coarse",
        ),
        (
            {"quasi_identifiers": ["time"], "points": None, "slots": {"time": ["week", "month"]}},
            "do not nest",
        ),
        (
            {"quasi_identifiers": ["time"], "points": None, "slots": {"time": ["fortnight"]}},
            "no slot 'fortnight'",
        ),
        ({"quasi_identifiers": ["time"], "points": None, "slots": {"time": "hour"}}, "slots is a list"),
        ({"row_key": "sex", "identifiers": ["sex"]}, "a release that can be extended reads the source"),
    ],
    ids=lambda each: each[:24] if isinstance(each, str) else None,
)
def test_what_does_not_fit_together_is_refused(stated: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Before anything is written."""
    with pytest.raises(shoal.PolicyError) as raised:
        release(tmp_path, [], **stated)
    assert words in str(raised.value)
    assert not (tmp_path / "release.csv").exists()


def test_a_point_is_a_quasi_identifier() -> None:
    """Any other role would release coordinates, or nothing."""
    for role in (shoal.Role.OTHER, shoal.Role.SENSITIVE):
        with pytest.raises(shoal.PolicyError, match="as a quasi-identifier is"):
            shoal.Attribute(name="place", role=role, type="point", latitude="lat", longitude="lon")


def test_without_h3_the_way_to_get_it_is_named_and_a_grid_works(tmp_path: Path) -> None:
    """One sentence with the line for pip; squares need no package."""
    code = f"""
import sys
sys.modules["h3"] = sys.modules["h3.api"] = None  # as if it were not installed
import shoal
open({str(tmp_path / "a.csv")!r}, "w").write("lat,lon\\n52.5,13.4\\n52.5,13.4\\n")
asked = dict(quasi_identifiers=["place"], k=2, path={str(tmp_path / "b.csv")!r})
try:
    shoal.anonymize({str(tmp_path / "a.csv")!r}, points={{"place": {H3!r}}}, **asked)
except shoal.PolicyError as error:
    print(error)
shoal.anonymize({str(tmp_path / "a.csv")!r}, points={{"place": {GRID!r}}}, **asked)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'shoal[location]'" in ran.stdout
    assert 'cells = "grid"' in ran.stdout
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == "place\n250mN0E0\n250mN0E0\n"


def test_a_release_without_places_does_not_load_h3() -> None:
    """What is optional is imported when it is needed."""
    code = """
import sys, pandas, shoal
shoal.anonymize(pandas.DataFrame({"age": [1, 1]}), quasi_identifiers=["age"], k=2)
print("h3" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.parametrize("what", ["explain", "recoding_sql"])
def test_doors_that_read_the_source_as_it_is_say_so(what: str, tmp_path: Path) -> None:
    """They know no cells, and promise nothing about them."""
    policy = tmp_path / "visits.toml"
    policy.write_text(
        '[source]\npath = "visits.csv"\n[attributes.place]\nrole = "quasi-identifier"\ntype = "point"\n'
        'latitude = "lat"\nlongitude = "lon"\n[privacy]\nk = 2\n',
        encoding="utf-8",
    )
    (tmp_path / "visits.csv").write_text("lat,lon\n1,1\n1,1\n", encoding="utf-8")
    read = shoal.read_policy(policy)
    with pytest.raises(shoal.PolicyError, match="made while a table is released"):
        getattr(shoal, what)(policy=read)
