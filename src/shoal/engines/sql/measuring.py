"""Measures the groups of a table from its cells alone: no recoding, no domain, no search.

A missing value equals a missing value (GROUP BY puts NULL with NULL) and nothing else. A row whose
quasi-identifiers all read `*` is suppressed: it reveals nothing, and belongs to no group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import Table
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measurement import Measurement


def measured(table: Table, quasi_identifiers: Sequence[str], k: int) -> Measurement:
    """One pass over the rows."""
    shown, rows, one = exp.column("star").not_(), exp.column("n"), sql.number(1)
    small = exp.and_(shown, sql.fragment("n < :k", k=k))
    sums = [
        sql.fragment("coalesce(sum(n), 0)"),
        sql.summed_if(exp.column("star"), rows),
        sql.summed_if(shown, one),
        sql.fragment("min(CASE WHEN :shown THEN n END)", shown=shown),
        sql.summed_if(small, one),
        sql.summed_if(small, rows),
    ]
    selected = [exp.alias_(each, f"m{index}") for index, each in enumerate(sums)]
    with table.selected(quasi_identifiers) as relation:
        groups = _groups(table, quasi_identifiers, relation)
        row = table.session.row(exp.select(*selected).from_(groups.subquery("g")), table.about)
    total, suppressed, group_count, smallest, groups_below, rows_below = row
    return Measurement(
        rows=int(total),
        suppressed=int(suppressed),
        groups=int(group_count),
        smallest=None if smallest is None else int(smallest),
        groups_below=int(groups_below),
        rows_below=int(rows_below),
    )


def sizes_measured(table: Table, quasi_identifiers: Sequence[str]) -> GroupSizes:
    """The number of groups of each size, in one pass over the rows."""
    with table.selected(quasi_identifiers) as relation:
        groups = _groups(table, quasi_identifiers, relation)
        star = exp.alias_(exp.cast(exp.column("star"), "INT"), "s")
        sizes = sql.counted([star, exp.alias_(exp.column("n"), "size")], groups)
        arrays = table.session.arrays(sizes, table.about)
    stars, size, times = (np.asarray(arrays[name]).astype(np.int64) for name in ("s", "size", "n"))
    shown = np.flatnonzero(stars == 0)
    shown = shown[np.argsort(size[shown])]
    return GroupSizes(
        sizes=size[shown], groups=times[shown], suppressed=int((size * times)[stars == 1].sum())
    )


def _groups(table: Table, quasi_identifiers: Sequence[str], relation: exp.Expr) -> exp.Select:
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(quasi_identifiers)]
    # The rows of a group read alike, so whether they read `*` is asked once for each group.
    stars = [table.is_star(name, exp.column(f"g{index}")) for index, name in enumerate(quasi_identifiers)]
    groups = sql.counted(cells, relation).subquery("s")
    return exp.select(exp.alias_(sql.every(stars), "star"), "n").from_(groups)
