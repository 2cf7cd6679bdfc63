"""`shoal.cell_map`: the cells of a release as shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.api._door import door
from shoal.model.result.manifest import Manifest
from shoal.pipeline.cell_map import cell_map_of
from shoal.pipeline.read_back.opened import opened_release
from shoal.reports.cell_map import CellMap, check_map_path

__all__ = ["CellMap", "cell_map", "check_map_path"]


@door
def cell_map(
    release: Any, *, column: str | None = None, manifest: Manifest | str | Path | None = None
) -> CellMap:
    """The cells of a released point with the number of their rows, for maps.

    Parameters
    ----------
    release
        A `Release`, the path of its file, or a data frame with its `manifest`.
    column
        The column of cells; the only one when absent.
    manifest
        The manifest, or its file; the one next to the release when absent.

    Examples
    --------
    >>> import pandas
    >>> from shoal.datasets import commuters
    >>> people = pandas.DataFrame(commuters(200, days=1))
    >>> grid = {"latitude": "latitude", "longitude": "longitude", "cells": "grid", "origin": (52.5, 13.4)}
    >>> release = shoal.anonymize(
    ...     people[["latitude", "longitude"]], quasi_identifiers=["place"], points={"place": grid}, k=5
    ... )
    >>> shoal.cell_map(release).write("visits.geojson")
    """
    return cell_map_of(opened_release(release, manifest), column)
