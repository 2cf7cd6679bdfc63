"""Measures the groups of a table. Knows its cells and nothing else: no recoding, no domain, no search.

A missing value is equal to a missing value (GROUP BY puts NULL with NULL) and to nothing else. A row whose
quasi-identifiers all read `*` is suppressed: it tells nothing, and belongs to no group.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.engines.duckdb_session import DuckSession
from shoal.engines.table import Table
from shoal.model.measurement import Measurement


def measured(session: DuckSession, table: Table, quasi_identifiers: Sequence[str], k: int) -> Measurement:
    """One pass over the rows."""
    cells = ", ".join(f"{table.seen(name)} AS g{index}" for index, name in enumerate(quasi_identifiers))
    star = " AND ".join(table.is_star(name) for name in quasi_identifiers)
    counting = (
        "SELECT coalesce(sum(n), 0), coalesce(sum(n) FILTER (star), 0), count(*) FILTER (NOT star), "
        f"min(n) FILTER (NOT star), count(*) FILTER (NOT star AND n < {k}), "
        f"coalesce(sum(n) FILTER (NOT star AND n < {k}), 0) "
        f"FROM (SELECT {cells}, {star} AS star, count(*) AS n FROM "
    )
    with table.selected(quasi_identifiers) as relation:
        found = session.row(f"{counting} {relation} GROUP BY ALL)", table.about)
    rows, suppressed, groups, smallest, groups_below, rows_below = found
    return Measurement(
        rows=int(rows),
        suppressed=int(suppressed),
        groups=int(groups),
        smallest=None if smallest is None else int(smallest),
        groups_below=int(groups_below),
        rows_below=int(rows_below),
    )
