"""`shoal.preview`: a few rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.api._door import door
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.model.table.preview import Preview
from shoal.pipeline.source import source_of


@door
def preview(
    source: Any,
    *,
    table: str | None = None,
    columns: Sequence[str] | None = None,
    start: int = 0,
    rows: int = 100,
    engine: SqlEngine | None = None,
) -> Preview:
    """Some rows of a table, as text; no other rows are kept.

    Rows of a file or a data frame come in their order. Those of a database have none: what comes first there
    is the database's choice.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    columns
        The columns; all of them when absent.
    start, rows
        The first row, from 0, and how many.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> shoal.preview("release.csv", rows=3).rows
    """
    if start < 0 or rows < 0:
        raise PolicyError(f"start and rows must not be negative; they are {start} and {rows}")
    opened = source_of(source, table, None)
    with using(engine, opened) as opened_engine:
        known = opened_engine.columns(opened)
        chosen = known if columns is None else tuple(columns)
        for name in chosen:
            if name not in known:
                raise PolicyError(f"the table has no column {name!r}.{suggestion(name, known)}")
        return Preview(columns=chosen, start=start, rows=opened_engine.some_rows(opened, chosen, start, rows))
