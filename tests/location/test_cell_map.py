"""Maps: what a release says of its cells, drawn from labels and manifest alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas
import pytest
from typer.testing import CliRunner, Result

import shoal
from shoal.cli.app import app
from shoal.reports.charts import cell_map as chart
from tests.location.conftest import GRID, H3
from tests.unit.conftest import store

PLAIN = ("anonymize", "plain.csv", "-q", "p", "-k", "2")


def command(*words: str) -> Result:
    """What a command prints and returns."""
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("released", ["index", "box", "geojson"])
@pytest.mark.parametrize("point", [GRID, H3], ids=["grid", "h3"])
def test_a_map_has_every_released_cell_with_its_rows(
    point: dict[str, Any], released: str, table: dict[str, list[Any]]
) -> None:
    """A feature per label, closed rings of longitude and latitude, and all rows."""
    release = shoal.anonymize(
        pandas.DataFrame(table),
        quasi_identifiers=["place", "sex"],
        points={"place": {**point, "released": released}},
        identifiers=["id", "person", "time"],
        k=5,
    )
    found = shoal.cell_map(release)
    features = found.to_geojson()["features"]
    rows = release.data["place"].value_counts().to_dict()
    assert {each["properties"]["cell"]: each["properties"]["rows"] for each in features} == {
        label: times for label, times in rows.items() if label != "*"
    }
    for each in features:
        (ring,) = each["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        assert all(12 < x < 15 and 51 < y < 54 for x, y in ring)
    drawn = ElementTree.fromstring(found.to_svg())
    shapes = [each for each in drawn.iter() if each.get("class") == "cell" and each.tag.endswith("polygon")]
    assert len(shapes) == len(features)
    assert "http" not in found.to_svg().replace("http://www.w3.org/2000/svg", "")


def test_the_command_writes_shapes_and_pictures(
    table: dict[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--point` states a point; `shoal map` draws the release; a codebook tells what its cells are."""
    monkeypatch.chdir(tmp_path)
    store("csv", table, tmp_path)
    words = (
        "-q",
        "place,sex",
        "--identifiers",
        "id,person,time",
        "-k",
        "5",
        "-o",
        "release.csv",
        "--nodes",
        "200",
    )
    point = "place=lat,lon,cells=grid,origin=52.5/13.4,finest=500"
    made = command("anonymize", "source.csv", "-o", "release.csv", *words, "--point", point)
    assert made.exit_code == 0, made.stderr
    shapes = command("map", "release.csv", "-o", "cells.geojson")
    picture = command("map", "release.csv", "-o", "cells.svg")
    assert (shapes.exit_code, picture.exit_code) == (0, 0), shapes.stderr
    written = json.loads((tmp_path / "cells.geojson").read_text(encoding="utf-8"))
    assert written["type"] == "FeatureCollection"
    assert command("map", "release.csv", "--json").stdout == json.dumps(written, indent=2) + "\n"
    book = command("codebook", "release.csv")
    assert "Points as squares with sides of 500 to 32,000 m" in book.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("map", "release.csv"), "say where the map shall be written"),
        (("map", "release.csv", "-o", "cells.png"), "a map is a .geojson or .svg file"),
        (("map", "release.csv", "-o", "cells.svg", "--column", "sex"), "column 'sex' has no cells"),
        (("map", "plain.csv", "-o", "cells.svg"), "no manifest next to it"),
        (
            ("anonymize", "plain.csv", "-q", "p", "-k", "2", "--point", "p=lat"),
            "--point takes COLUMN=LATITUDE",
        ),
        (
            ("anonymize", "plain.csv", "-q", "p", "-k", "2", "--point", "p=a,b,finest=x"),
            "--point takes numbers",
        ),
    ],
)
def test_a_map_that_cannot_be_drawn_is_refused_in_a_sentence(
    words: tuple[str, ...],
    said: str,
    table: dict[str, list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With exit code 2, and no file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    shoal.anonymize(
        pandas.DataFrame(table)[["lat", "lon", "sex"]],
        quasi_identifiers=["place", "sex"],
        points={"place": GRID},
        k=5,
        path=tmp_path / "release.csv",
    )
    ran = command(*words)
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not list(tmp_path.glob("cells.*"))


def test_a_release_without_points_has_no_map() -> None:
    """It says so."""
    release = shoal.anonymize(pandas.DataFrame({"age": [1, 1]}), quasi_identifiers=["age"], k=2)
    with pytest.raises(shoal.PolicyError, match="none was a point"):
        shoal.cell_map(release)


def test_a_cell_darker_than_another_has_more_rows() -> None:
    """Shades follow rows, and one cell alone is drawn, too."""
    ring = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    cells = [
        {"label": f"c{rows}", "rows": rows, "ring": [[x + rows, y] for x, y in ring]}
        for rows in (3, 40, 9, 3)
    ]
    drawn = ElementTree.fromstring(chart(cells, "place"))
    shades = {
        each[0].text: float(each.get("fill-opacity", "0"))
        for each in drawn.iter()
        if each.tag == "polygon" and each.get("class") == "cell"
    }
    assert shades["c3: 3 rows"] < shades["c9: 9 rows"] < shades["c40: 40 rows"]
    assert ElementTree.fromstring(chart(cells[:1], "place")) is not None


def test_a_map_across_the_date_line_is_narrow() -> None:
    """Cells on both sides are drawn next to each other."""
    ring = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    cells = [
        {"label": "west", "rows": 3, "ring": [[x + 178, y] for x, y in ring]},
        {"label": "east", "rows": 3, "ring": [[x - 180, y] for x, y in ring]},
    ]
    drawn = ElementTree.fromstring(chart(cells, "place"))
    polygons = [each for each in drawn.iter() if each.get("class") == "cell" and each.tag == "polygon"]
    xs = [float(pair.split(",")[0]) for each in polygons for pair in str(each.get("points")).split()]
    widths = [max(part) - min(part) for part in (xs[:4], xs[4:])]
    assert min(widths) > 100


def test_a_report_with_the_original_finds_the_cells_true(table: dict[str, list[Any]], tmp_path: Path) -> None:
    """The original is compared by its finest cells; its coordinates are nowhere in the report."""
    source = store("csv", table, tmp_path)
    policy = tmp_path / "p.toml"
    policy.write_text(
        f'[source]\npath = "{source.name}"\n[attributes.place]\nrole = "quasi-identifier"\ntype = "point"\n'
        'latitude = "lat"\nlongitude = "lon"\n[attributes.sex]\nrole = "quasi-identifier"\n'
        "[privacy]\nk = 5\n",
        encoding="utf-8",
    )
    shoal.anonymize(policy=policy, path=tmp_path / "release.csv")
    page = shoal.report(tmp_path / "release.csv", original=source, policy=policy)
    assert page.facts["comparison"]["holds"]
    assert page.facts["original"]["name"] == "source.csv"
    assert "Map of place" in page.html
    assert not any(str(each) in page.html for each in table["lat"])
    attacked = shoal.attack(tmp_path / "release.csv", original=source, policy=policy, attacks=["downcoding"])
    assert attacked.to_dict()
    useful = shoal.utility(tmp_path / "release.csv", original=source, policy=policy, models=False, queries=50)
    assert {each["name"] for each in useful.to_dict()["columns"]} >= {"place", "sex"}
