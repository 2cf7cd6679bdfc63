"""The cells that a release has, with their shapes: read from its labels and its manifest alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shoal.errors import PolicyError
from shoal.location.box import DECIMALS, Box
from shoal.location.cell_systems import cells_by
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import SUPPRESSED
from shoal.pipeline.read_back.opened import OpenedRelease
from shoal.reports.cell_map import CellMap

Ring = list[tuple[float, float]]


def cell_map_of(opened: OpenedRelease, column: str | None) -> CellMap:
    """The map of a column.

    Parameters
    ----------
    opened
        The release.
    column
        The column; the only one that has places when absent.
    """
    places = places_of(opened.facts)
    if not places:
        raise PolicyError(f"no column of {opened.name} has cells: none was a point")
    if column is None and len(places) > 1:
        raise PolicyError(f"{opened.name} has several columns of cells; name one: {', '.join(places)}")
    name = next(iter(places)) if column is None else column
    if name not in places:
        raise PolicyError(f"column {name!r} has no cells.{suggestion(name, places)}")
    texts, codes = opened.cells.texts(name), opened.cells.column(name)
    times = np.bincount(codes, minlength=len(texts)).tolist()
    return mapped(name, places[name], dict(zip(texts, times, strict=True)))


def places_of(facts: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Column -> what the manifest of a release says of its cells, for the columns that have them."""
    columns: Mapping[str, Mapping[str, Any]] = facts.get("columns", {})
    return {name: each["place"] for name, each in columns.items() if "place" in each}


def mapped(column: str, place: Mapping[str, Any], rows: Mapping[str | None, int]) -> CellMap:
    """The map of the labels of a column.

    Parameters
    ----------
    column
        The column.
    place
        What the manifest says of its cells.
    rows
        The rows of each label.
    """
    shape = _reader(place)
    cells = []
    for label, times in sorted(rows.items(), key=lambda each: each[0] or ""):
        if not times or label in (None, "", SUPPRESSED):
            continue
        try:
            ring = [[round(x, DECIMALS), round(y, DECIMALS)] for x, y in shape(str(label))]
        except (ValueError, KeyError, TypeError, IndexError):
            raise PolicyError(
                f"column {column!r} has a label that is no cell of the kind that the manifest describes; is "
                "the manifest that of this release?"
            ) from None
        cells.append({"label": label, "rows": times, "ring": ring})
    return CellMap(
        column=column,
        cells=cells,
        suppressed=rows.get(SUPPRESSED, 0),
        missing=sum(times for label, times in rows.items() if label in (None, "")),
    )


def _reader(place: Mapping[str, Any]) -> Callable[[str], Ring]:
    """How the shape of a label is found."""
    if place["released"] == "box":
        return lambda label: Box.read(label).ring
    if place["released"] == "geojson":
        return lambda label: [(x, y) for x, y in json.loads(label)["coordinates"][0]]
    return cells_by(place).outline
