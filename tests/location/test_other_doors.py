"""Doors besides anonymize: those that know cells, and those that say that they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h3
import numpy as np
import pandas
import polars
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.studio.draft import Draft
from shoal.studio.steps.open_table.policy_import import Continued
from tests.location.conftest import GRID, H3
from tests.unit.conftest import store

POLICY = """
[source]
path = "source.csv"
[attributes.place]
role = "quasi-identifier"
type = "point"
latitude = "lat"
longitude = "lon"
[attributes.sex]
role = "quasi-identifier"
[privacy]
k = 5
[search]
seconds = 2
"""


@pytest.fixture
def policy(table: dict[str, list[Any]], tmp_path: Path) -> Path:
    """A policy with a point, next to its table."""
    store("csv", table, tmp_path)
    (tmp_path / "places.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path / "places.toml"


def test_the_hierarchy_over_cells_can_be_exported(policy: Path, table: dict[str, list[Any]]) -> None:
    """A line for each finest cell, with its ancestors in H3."""
    ran = CliRunner().invoke(app, ["hierarchy", "export", str(policy), "--column", "place"])
    rows = [line.split(";") for line in ran.stdout.splitlines()]
    points = zip(table["lat"], table["lon"], strict=True)
    assert {row[0] for row in rows} == {h3.latlng_to_cell(*point, 9) for point in points}
    for row in rows:
        assert row == [row[0], *(h3.cell_to_parent(row[0], each) for each in range(8, 3, -1)), "*"]


def test_comparisons_and_fronts_count_cells(policy: Path) -> None:
    """They open the table as a release does."""
    runs = shoal.compare(policy=policy, algorithms=["lattice", "local"], seconds=2)
    assert {run.algorithm for run in runs} == {"lattice", "local"}
    front = shoal.front(policy=policy)
    assert len(front.points) > 0


def test_a_policy_says_the_same_on_the_command_line_and_in_python(policy: Path) -> None:
    """One description of the keys."""
    stated = shoal.read_policy(policy).attributes[0]
    assert stated == shoal.Attribute(
        name="place", role=shoal.Role.QUASI_IDENTIFIER, type="point", latitude="lat", longitude="lon"
    )


def test_the_studio_says_that_it_shows_no_points(policy: Path, table: dict[str, list[Any]]) -> None:
    """A policy with a point is refused with the way out."""
    draft = Draft({"attributes": {"place": {"role": "quasi-identifier", "type": "point"}}})
    opened = Continued(name=policy.name, draft=draft, source=None, wanted="source.csv")
    with pytest.raises(shoal.PolicyError, match="release it with `shoal anonymize`"):
        opened.draft_for(shoal.inspect(pandas.DataFrame(table)))


@pytest.mark.parametrize("library", [pandas.DataFrame, polars.DataFrame])
def test_cells_stay_with_their_rows_in_a_large_frame(library: Any) -> None:
    """Texts with missing markers, read by several threads."""
    rows = np.arange(300_000)
    latitudes = [f"{each % 1009 / 1000:.3f}" if each % 7 else "NA" for each in rows.tolist()]
    longitudes = (rows % 983 / 1000).round(3)
    frame = library({"id": rows, "lat": latitudes, "lon": longitudes})
    point = {**GRID, "origin": (0.0, 0.0), "finest": 1000, "coarsest": 1000, "released": "box"}
    release = shoal.anonymize(
        frame, quasi_identifiers=["place"], points={"place": point}, other=["id"], k=1, algorithm="lattice"
    )
    for number, place in zip(
        release.data["id"].to_list()[::997], release.data["place"].to_list()[::997], strict=True
    ):
        if number % 7 == 0:
            assert place is None or place != place
            continue
        west, south, east, north = map(float, place.split(" "))
        assert south <= number % 1009 / 1000 <= north
        assert west <= number % 983 / 1000 <= east


def test_h3_takes_coarser_and_finer_resolutions_as_stated() -> None:
    """Levels depend on the policy alone."""
    frame = pandas.DataFrame({"lat": [52.5] * 3, "lon": [13.4] * 3})
    for finest, coarsest in ((12, 10), (3, 0), (5, 5)):
        point = {**H3, "finest": finest, "coarsest": coarsest}
        place = shoal.anonymize(frame, quasi_identifiers=["place"], points={"place": point}, k=3).data[
            "place"
        ]
        assert set(place) == {h3.latlng_to_cell(52.5, 13.4, finest)}
