"""Measures the groups of a table. Knows its cells and nothing else: no recoding, no domain, no search.

A missing value is equal to a missing value (GROUP BY puts NULL with NULL) and to nothing else. A row whose
quasi-identifiers all read `*` is suppressed: it tells nothing, and belongs to no group.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines import sql
from shoal.engines.table import Table
from shoal.model.measurement import Measurement


def measured(table: Table, quasi_identifiers: Sequence[str], k: int) -> Measurement:
    """One pass over the rows."""
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(quasi_identifiers)]
    star = exp.alias_(sql.every([table.is_star(name) for name in quasi_identifiers]), "star")
    told, rows, one = exp.column("star").not_(), exp.column("n"), sql.number(1)
    small = exp.and_(told, sql.fragment("n < :k", k=k))
    wanted = [
        sql.fragment("coalesce(sum(n), 0)"),
        sql.summed_if(exp.column("star"), rows),
        sql.summed_if(told, one),
        sql.fragment("min(CASE WHEN :told THEN n END)", told=told),
        sql.summed_if(small, one),
        sql.summed_if(small, rows),
    ]
    selected = [exp.alias_(each, f"m{index}") for index, each in enumerate(wanted)]
    with table.selected(quasi_identifiers) as relation:
        groups = sql.counted([*cells, star], relation)
        found = table.session.row(exp.select(*selected).from_(groups.subquery("g")), table.about)
    total, suppressed, told_groups, smallest, groups_below, rows_below = found
    return Measurement(
        rows=int(total),
        suppressed=int(suppressed),
        groups=int(told_groups),
        smallest=None if smallest is None else int(smallest),
        groups_below=int(groups_below),
        rows_below=int(rows_below),
    )
