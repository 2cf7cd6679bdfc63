"""Hierarchy files next to a table, as users of ARX have them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from shoal.api.column import column_of
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import ShoalError
from shoal.model.policy.attribute import Attribute, Role

PLACES = ("{stem}_hierarchy_{column}.csv", "hierarchies/{column}.csv")
"""Where a file is looked for: the names of ARX's examples, and a folder."""


@dataclass(frozen=True, kw_only=True)
class Nearby:
    """The files that were found.

    Parameters
    ----------
    fitting
        Column -> a file that has all of its values.
    unfit
        Column -> a file that has not, or cannot be read.
    """

    fitting: Mapping[str, Path]
    unfit: Mapping[str, Path]


def hierarchies_nearby(source: object, columns: Iterable[str], engine: SqlEngine | None) -> Nearby:
    """The files for some columns of a table; none if the table is not a file."""
    fitting: dict[str, Path] = {}
    unfit: dict[str, Path] = {}
    if isinstance(source, str | os.PathLike):
        table = Path(source)
        for column in columns:
            path = _file(table, column)
            if path is None:
                continue
            attribute = Attribute(name=column, role=Role.QUASI_IDENTIFIER, hierarchy=path)
            try:
                column_of(source, attribute, engine=engine)
            except ShoalError:
                unfit[column] = path
            else:
                fitting[column] = path
    return Nearby(fitting=fitting, unfit=unfit)


def _file(table: Path, column: str) -> Path | None:
    stem = table.name.partition(".")[0]
    if "/" in column or "\\" in column or "\0" in column:
        return None
    places = (table.parent / place.format(stem=stem, column=column) for place in PLACES)
    return next((path for path in places if path.is_file() and path != table), None)
