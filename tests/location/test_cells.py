"""Cells hold their points, and coarser cells are made of whole finer ones."""

from __future__ import annotations

import h3
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.location.grid import Grid
from shoal.location.h3_cells import H3Cells
from shoal.location.hierarchies import Cells, cell_leaves
from tests.agreement.thoroughness import examples
from tests.location.shapes import in_box, in_ring

LATITUDES = st.one_of(st.floats(-90, 90), st.sampled_from([-90.0, 0.0, 90.0, 52.5, 89.999999]))
LONGITUDES = st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, 0.0, 180.0, 13.4, 179.999999]))
GRIDS = st.builds(
    Grid,
    latitude=st.floats(-85, 85),
    longitude=st.floats(-180, 180),
    side=st.sampled_from([1, 250, 1000, 30_000]),
    levels=st.just(7),
)
RESOLUTIONS = st.integers(0, 15).flatmap(
    lambda finest: st.builds(H3Cells, finest_resolution=st.just(finest), levels=st.integers(1, finest + 1))
)


def cell_at(cells: Cells, latitude: float, longitude: float, level: int) -> str:
    """The index of the cell of a level that a point has."""
    finest = cells.finest(np.array([latitude]), np.array([longitude]))
    return cells.index(int(cells.ancestors(finest, level)[0]), level)


@given(cells=GRIDS, latitude=LATITUDES, longitude=LONGITUDES)
@example(cells=Grid(latitude=0, longitude=0, side=250, levels=7), latitude=0.0, longitude=0.0)
@example(cells=Grid(latitude=52.5, longitude=179.9, side=250, levels=7), latitude=52.5, longitude=-179.9)
@settings(max_examples=examples(300), deadline=None)
def test_a_square_of_every_level_holds_its_point(cells: Grid, latitude: float, longitude: float) -> None:
    """On borders, at the poles and across the date line, too."""
    for level in range(cells.levels):
        index = cell_at(cells, latitude, longitude, level)
        assert in_box(latitude, longitude, cells.box(index).text)
        assert cells.box(index).holds(latitude, longitude)


@given(cells=RESOLUTIONS, latitude=LATITUDES, longitude=LONGITUDES)
@settings(max_examples=examples(300), deadline=None)
def test_a_released_shape_of_h3_holds_its_point(cells: H3Cells, latitude: float, longitude: float) -> None:
    """Boxes and polygons are wide enough for all descendants, pentagons and cells of poles included."""
    for level in range(cells.levels):
        index = cell_at(cells, latitude, longitude, level)
        assert in_box(latitude, longitude, cells.box(index).text)
        assert in_ring(latitude, longitude, cells.ring(index))


def test_shapes_around_pentagons_hold_their_points() -> None:
    """The twelve pentagons and their surroundings are where H3 is most distorted."""
    random = np.random.default_rng(5)
    cells = H3Cells(finest_resolution=8, levels=9)
    for pentagon in h3.get_pentagons(1):
        latitude, longitude = h3.cell_to_latlng(pentagon)
        points = np.column_stack(
            [latitude + random.uniform(-4, 4, 40), (longitude + random.uniform(-4, 4, 40) + 180) % 360 - 180]
        )
        for each_latitude, each_longitude in points.tolist():
            for level in range(cells.levels):
                index = cell_at(cells, each_latitude, each_longitude, level)
                assert in_box(each_latitude, each_longitude, cells.box(index).text)
                assert in_ring(each_latitude, each_longitude, cells.ring(index))


@given(cells=RESOLUTIONS, latitude=LATITUDES, longitude=LONGITUDES)
@settings(max_examples=examples(200), deadline=None)
def test_ancestors_are_those_of_h3(cells: H3Cells, latitude: float, longitude: float) -> None:
    """Setting bits of an index gives the parent that the library gives."""
    finest = h3.latlng_to_cell(latitude, longitude, cells.finest_resolution)
    for level in range(cells.levels):
        expected = h3.cell_to_parent(finest, cells.finest_resolution - level)
        assert cell_at(cells, latitude, longitude, level) == expected


def test_a_point_can_lie_outside_of_the_outline_of_its_coarser_cell() -> None:
    """Why shapes are enlarged, and why an index says what it says: hexagons do not divide into hexagons."""
    random = np.random.default_rng(1)
    cells = H3Cells(finest_resolution=9, levels=4)
    points = random.normal([52.5, 13.4], [0.05, 0.08], (2000, 2)).tolist()
    outside = [point for point in points if not in_ring(*point, cells.outline(cell_at(cells, *point, 3)))]
    assert 0 < len(outside) < len(points) / 10


@given(
    cells=st.one_of(GRIDS, RESOLUTIONS),
    points=st.lists(st.tuples(LATITUDES, LONGITUDES), min_size=1, max_size=12),
    released=st.sampled_from(["index", "box", "geojson"]),
)
@settings(max_examples=examples(150), deadline=None)
def test_levels_nest(cells: Cells, points: list[tuple[float, float]], released: str) -> None:
    """`Hierarchy` refuses labels that do not nest, and neighbours in its order share a cell."""
    finest = np.unique(cells.finest(*np.array(points, np.float64).T))
    leaves = cell_leaves(cells, finest, released)
    assert leaves.hierarchy.height == cells.levels
    assert {*leaves.texts} == {*leaves.hierarchy.leaves}
    for level in range(leaves.hierarchy.height):
        labels = leaves.hierarchy.level(level)
        runs = [label for place, label in enumerate(labels) if place == 0 or labels[place - 1] != label]
        assert len(runs) == len(set(runs)) or released != "index"


def test_squares_have_names_that_say_where_they_are() -> None:
    """Side, metres north, metres east of the origin; a border belongs to the north-east."""
    cells = Grid(latitude=50.0, longitude=10.0, side=500, levels=3)
    assert cell_at(cells, 50.0, 10.0, 0) == "500mN0E0"
    assert cell_at(cells, 49.999, 9.999, 0) == "500mN-500E-500"
    assert cell_at(cells, 50.01, 10.0, 0) == "500mN1000E0"
    assert cell_at(cells, 50.01, 10.0, 2) == "2000mN0E0"


def test_a_square_is_as_wide_as_it_says() -> None:
    """At the parallel of the origin, a kilometre east is a kilometre north."""
    box = Grid(latitude=60.0, longitude=0.0, side=1000, levels=1).box("1000mN0E0")
    assert box.north - box.south == pytest.approx(1 / 111.19508, abs=1e-5)
    assert box.east - box.west == pytest.approx(2 / 111.19508, abs=1e-5)


def test_no_text_but_an_index_names_a_square() -> None:
    """A label of something else is not drawn somewhere."""
    with pytest.raises(ValueError, match="no square"):
        Grid(latitude=60.0, longitude=0.0, side=1000, levels=1).box("*")
