"""A map of released cells, darker where more rows are: shapes and a scale, no picture of the ground.

Longitudes are shortened by the cosine of the middle latitude, so that a kilometre is as long in both
directions there. Coarse cells are drawn first: in a row-by-row release a cell can lie within another one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from shoal.reports.charts._svg import WIDTH, label, line, place, svg, text
from shoal.reports.numbers import number

_TOP, _SIDE, _BELOW = 10, 12, 46
_HIGHEST, _LOWEST = 460.0, 60.0
_KILOMETRES = 111.195
"""Of a degree of latitude."""
_SHADES, _LIGHTEST, _DARKEST = 5, 0.12, 0.88
_LENGTHS = [factor * 10**power for power in range(-2, 5) for factor in (1, 2, 5)]

Ring = Sequence[Sequence[float]]


def cell_map(cells: Sequence[Mapping[str, Any]], column: str) -> str:
    """A map.

    Parameters
    ----------
    cells
        Each with its `label`, its `rows` and the `ring` of its corners, as longitude and latitude.
    column
        The column that has them.
    """
    rings = _side_by_side([each["ring"] for each in cells])
    corners = [corner for ring in rings for corner in ring]
    west, east = min(x for x, _ in corners), max(x for x, _ in corners)
    south, north = min(y for _, y in corners), max(y for _, y in corners)
    shortened = max(0.05, math.cos(math.radians((south + north) / 2)))
    width, height = max((east - west) * shortened, 1e-6), max(north - south, 1e-6)
    scale = min((WIDTH - 2 * _SIDE) / width, _HIGHEST / height)
    high = max(_LOWEST, height * scale)
    left = (WIDTH - width * scale) / 2

    def at(corner: Sequence[float]) -> tuple[float, float]:
        return left + (corner[0] - west) * shortened * scale, _TOP + (north - corner[1]) * scale

    limits = _limits([each["rows"] for each in cells])
    drawn = sorted(zip(cells, rings, strict=True), key=lambda each: (-_area(each[1]), str(each[0]["label"])))
    parts = [_cell(each, [at(corner) for corner in ring], limits) for each, ring in drawn]
    parts += _key(limits, _TOP + high + 24)
    parts += _scale_bar(scale / _KILOMETRES, _TOP + high + 24)
    rows = sum(each["rows"] for each in cells)
    ends = f"from {_degrees(south, west)} to {_degrees(north, east)}"
    words = f"{len(cells):,} cells with {number(rows)} rows, {ends}."
    return svg(_TOP + high + _BELOW, f"Map of {column}", words, parts)


def _side_by_side(rings: Sequence[Ring]) -> list[list[tuple[float, float]]]:
    """The rings, those beyond the date line moved next to the others if that makes the map narrower."""
    plain = [[(float(x), float(y)) for x, y in ring] for ring in rings]
    moved = [[(x + 360 if _middle(ring) < 0 else x, y) for x, y in ring] for ring in plain]
    return min(plain, moved, key=_extent)


def _middle(ring: Sequence[tuple[float, float]]) -> float:
    return sum(x for x, _ in ring) / len(ring)


def _extent(rings: Sequence[Sequence[tuple[float, float]]]) -> float:
    every = [x for ring in rings for x, _ in ring]
    return max(every) - min(every)


def _area(ring: Sequence[tuple[float, float]]) -> float:
    turns = pairwise(ring)
    return abs(sum(x * next_y - next_x * y for (x, y), (next_x, next_y) in turns)) / 2


def _limits(rows: Sequence[int]) -> list[int]:
    """The most rows of each shade: fifths of the cells, as far as they differ."""
    ordered = sorted(rows)
    places = [math.ceil(len(ordered) * share / _SHADES) - 1 for share in range(1, _SHADES + 1)]
    return sorted({ordered[max(0, each)] for each in places})


def _shade(rows: int, limits: Sequence[int]) -> float:
    """How dark a cell is: evenly from the lightest to the darkest, however many limits there are."""
    if len(limits) == 1:
        return (_LIGHTEST + _DARKEST) / 2
    chosen = next(at for at, most in enumerate(limits) if rows <= most)
    return _LIGHTEST + (_DARKEST - _LIGHTEST) * chosen / (len(limits) - 1)


def _cell(cell: Mapping[str, Any], corners: Sequence[tuple[float, float]], limits: Sequence[int]) -> str:
    points = " ".join(f"{place(x)},{place(y)}" for x, y in corners[:-1])
    words = f"{cell['label']}: {number(cell['rows'])} rows"
    # On opaque ground: through a finer cell the coarser one below would darken its shade.
    return (
        f'<polygon class="ground" points="{points}"/>'
        f'<polygon class="cell" points="{points}" fill-opacity="{_shade(cell["rows"], limits):.2f}">'
        f"<title>{text(words)}</title></polygon>"
    )


def _key(limits: Sequence[int], y: float) -> list[str]:
    """What the shades mean."""
    parts, x = [label(_SIDE, y, "Rows")], _SIDE + 40.0
    for most in limits:
        words = f"up to {number(most)}"
        parts.append(
            f'<rect class="cell" x="{place(x)}" y="{place(y - 10)}" width="14" height="12" '
            f'fill-opacity="{_shade(most, limits):.2f}"/>'
        )
        parts.append(label(x + 19, y, words))
        x += 19 + len(words) * 6.4 + 14
    return parts


def _scale_bar(per_kilometre: float, y: float) -> list[str]:
    """A length on the ground."""
    most = 110 / per_kilometre
    length = max((each for each in _LENGTHS if each <= most), default=_LENGTHS[0])
    end, wide = WIDTH - _SIDE, length * per_kilometre
    words = f"{length:g} km" if length >= 1 else f"{1000 * length:g} m"
    return [
        line(end - wide, y, end, y, "axis"),
        line(end - wide, y - 4, end - wide, y + 4, "axis"),
        line(end, y - 4, end, y + 4, "axis"),
        label(end - wide / 2, y - 6, words, anchor="middle"),
    ]


def _degrees(latitude: float, longitude: float) -> str:
    return f"{latitude:.2f}, {longitude:.2f}"
