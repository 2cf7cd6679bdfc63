"""What a call states about the cells of a table that has no policy yet: missing markers and formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute
from shoal.model.suggestion import suggestion

Markers = Sequence[str] | Mapping[str, Sequence[str]]
"""Missing markers of all columns, or by column."""


def stated_cells(
    columns: Sequence[str], missing: Markers | None, formats: Mapping[str, str] | None
) -> tuple[Attribute, ...]:
    """Per column of a table what is stated about its cells; `PolicyError` for a column that it lacks."""
    by_column = missing if isinstance(missing, Mapping) else dict.fromkeys(columns, missing or ())
    formats = formats or {}
    for name in (*by_column, *formats):
        if name not in columns:
            raise PolicyError(f"the table has no column {name!r}.{suggestion(name, columns)}")
    return tuple(
        Attribute(name=name, missing=tuple(by_column.get(name, ())) or None, format=formats.get(name))
        for name in columns
        if by_column.get(name) or name in formats
    )
