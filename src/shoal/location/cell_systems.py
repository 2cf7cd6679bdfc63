"""Which cells a policy asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.location.grid import Grid
from shoal.location.h3_cells import H3Cells, h3_package
from shoal.location.hierarchies import Cells
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.place import cell_levels


def cells_of(point: Attribute) -> Cells:
    """The cells of a point; `PolicyError` if they need a package that is not installed."""
    return cells_by(place_facts(point))


def place_facts(point: Attribute) -> dict[str, Any]:
    """What a manifest says of the cells of a point, enough to draw them."""
    finest, levels = cell_levels(point)
    facts: dict[str, Any] = {
        "cells": point.cells or "h3",
        "finest": finest,
        "levels": levels,
        "released": point.released or "index",
    }
    if point.origin is not None:
        facts["origin"] = list(point.origin)
    return facts


def cells_by(facts: Mapping[str, Any]) -> Cells:
    """The cells that a manifest describes.

    Parameters
    ----------
    facts
        What `place_facts` returned.
    """
    if facts["cells"] == "grid":
        latitude, longitude = facts["origin"]
        return Grid(latitude=latitude, longitude=longitude, side=facts["finest"], levels=facts["levels"])
    h3_package()  # asked for before a row is read
    return H3Cells(finest_resolution=facts["finest"], levels=facts["levels"])
