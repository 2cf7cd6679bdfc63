"""The hierarchy over the finest cells or slots of a column, built as if the policy had given it.

Its levels depend on the policy alone: the same number means the same cells for every table. Its leaves are
those that occur.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.location.box import DECIMALS, Box
from shoal.location.time_slots import TimeSlots
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.domain import SUPPRESSED

Ids = NDArray[np.int64]
Ring = list[tuple[float, float]]


class Cells(Protocol):
    """Cells of the Earth in several levels, each of whole cells of the finer one."""

    @property
    def levels(self) -> int:
        """How many levels there are."""

    def finest(self, latitudes: NDArray[np.float64], longitudes: NDArray[np.float64]) -> Ids:
        """The finest cell of each point."""

    def ancestors(self, cells: Ids, level: int) -> Ids:
        """The cells of a level that finest cells belong to."""

    def index(self, cell: int, level: int) -> str:
        """The name of a cell."""

    def box(self, index: str) -> Box:
        """A box that holds every point of a cell."""

    def ring(self, index: str) -> Ring:
        """Corners that hold every point of a cell, as longitude and latitude, closed."""

    def outline(self, index: str) -> Ring:
        """The corners of a cell as it is drawn."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Finest cells or slots.

    Parameters
    ----------
    hierarchy
        The hierarchy over them.
    texts
        The leaf of each that occurs, in the order in which they were given.
    """

    hierarchy: Hierarchy
    texts: tuple[str, ...]


def cell_leaves(cells: Cells, finest: Ids, released: str) -> Leaves:
    """The hierarchy of cells, in an order that keeps the parts of each cell next to each other.

    Parameters
    ----------
    cells
        The cells.
    finest
        The finest ones that occur.
    released
        How a cell is written in the release: "index", "box" or "geojson".
    """
    levels = [cells.ancestors(finest, level) for level in range(cells.levels)]
    write = _written(cells, released)
    columns = []
    for level, ids in enumerate(levels):
        distinct, place = np.unique(ids, return_inverse=True)
        texts = [write(cells.index(int(each), level)) for each in distinct]
        columns.append([texts[each] for each in place.tolist()])
    # The coarsest level, which comes last, decides first.
    return _leaves(list(zip(*columns, strict=True)), np.lexsort(levels))


def slot_leaves(slots: TimeSlots, finest: Ids) -> Leaves:
    """The hierarchy of slots in the order of time.

    Parameters
    ----------
    slots
        The levels.
    finest
        The minutes of the finest slots that occur.
    """
    rows = [tuple(slots.label(int(minute), level) for level in range(slots.levels)) for minute in finest]
    return _leaves(rows, np.argsort(finest, kind="stable"))


def _leaves(rows: Sequence[tuple[str, ...]], order: Ids) -> Leaves:
    # Of slots coarser than a day, each day has its row; a slot has one.
    ordered = dict.fromkeys(rows[place] for place in order.tolist())
    return Leaves(Hierarchy(tuple((*row, SUPPRESSED) for row in ordered)), tuple(row[0] for row in rows))


def _written(cells: Cells, released: str) -> Callable[[str], str]:
    if released == "box":
        return lambda index: cells.box(index).text
    if released == "geojson":
        return lambda index: json.dumps(polygon(cells.ring(index)), separators=(",", ":"))
    return lambda index: index


def polygon(ring: Ring) -> Mapping[str, object]:
    """A ring as a GeoJSON geometry; coordinates as RFC 7946 suggests, a tenth of a metre exact."""
    return {
        "type": "Polygon",
        "coordinates": [[[round(along, DECIMALS), round(high, DECIMALS)] for along, high in ring]],
    }
