"""The cells of a release as a map: shapes with the number of their rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.reports.charts import cell_map

_STYLE = (
    "<style>svg{font-family:system-ui,sans-serif;background:#fff}text{font-size:12px;fill:#4a585d}"
    ".ground{fill:#fff}.cell{fill:#1f6f6b;stroke:#1c2b30;stroke-opacity:.45;stroke-width:.7}.axis{stroke:#4a585d}</style>"
)


@dataclass(frozen=True, kw_only=True)
class CellMap:
    """The cells of a released column.

    Parameters
    ----------
    column
        The column.
    cells
        Each with its `label`, its `rows` and the `ring` of its corners, as longitude and latitude.
    suppressed, missing
        Rows without a cell: suppressed ones, and those whose place is not known.
    """

    column: str
    cells: Sequence[Mapping[str, Any]]
    suppressed: int
    missing: int

    def to_geojson(self) -> dict[str, Any]:
        """A feature collection (RFC 7946): a feature per cell, with its `cell` and its `rows`."""
        return {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "geometry": {"type": "Polygon", "coordinates": [[list(each) for each in cell["ring"]]]},
                    "properties": {"cell": cell["label"], "rows": cell["rows"]},
                }
                for cell in self.cells
            ],
        }

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "column": self.column,
            "cells": [dict(each) for each in self.cells],
            "suppressed": self.suppressed,
            "missing": self.missing,
        }

    def to_svg(self) -> str:
        """A picture that needs nothing else."""
        drawn = cell_map(self.cells, self.column)
        head, _, rest = drawn.partition(">")
        return f'{head} xmlns="http://www.w3.org/2000/svg">{_STYLE}{rest}\n'

    def write(self, path: str | Path) -> Path:
        """Write shapes for maps (.geojson, .json) or a picture (.svg); complete, or not at all."""
        path = Path(path)
        check_map_path(path)
        if path.suffix.lower() == ".svg":
            write_text(path, self.to_svg())
        else:
            write_text(path, json.dumps(self.to_geojson(), ensure_ascii=False) + "\n")
        return path

    def _repr_html_(self) -> str:
        return self.to_svg()


def check_map_path(path: Path) -> None:
    """Raise `PolicyError` unless a map can be written to a file of this name."""
    if path.suffix.lower() not in (".geojson", ".json", ".svg"):
        raise PolicyError(f"a map is a .geojson or .svg file, not {path.name!r}")
