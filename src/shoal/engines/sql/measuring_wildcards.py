"""Measures how many rows of a table each row matches, if `*` matches everything. Reads its cells alone.

Two rows match if they agree wherever neither reads `*`; a missing value agrees only with a missing value. A
row whose quasi-identifiers all read `*` reveals nothing: it is not measured, and hides nobody. Apart from
those rows, sdcMicro counts in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import Table
from shoal.model.table.measurement import WildcardMeasurement
from shoal.model.table.rows_alike import rows_alike


def wildcards_measured(table: Table, quasi_identifiers: Sequence[str], k: int) -> WildcardMeasurement:
    """One pass over the rows, then one over the distinct ones for each pair of star patterns."""
    columns = range(len(quasi_identifiers))
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(quasi_identifiers)]
    stars = [exp.alias_(table.is_star(name), f"s{index}") for index, name in enumerate(quasi_identifiers)]
    ranks = [sql.fragment(f"dense_rank() OVER (ORDER BY g{index}) - 1 AS r{index}") for index in columns]
    flags = [exp.alias_(exp.cast(exp.column(f"s{index}"), "INT"), f"t{index}") for index in columns]
    with table.selected(quasi_identifiers) as relation:
        groups = sql.counted([*cells, *stars], relation)
        ranked = exp.select(*ranks, *flags, "n").from_(groups.subquery("g"))
        arrays = table.session.arrays(ranked, table.about)
    values = np.column_stack([np.asarray(arrays[f"r{index}"]).astype(np.int64) for index in columns])
    starred = np.column_stack([np.asarray(arrays[f"t{index}"]).astype(np.int64) for index in columns]) == 1
    rows = np.asarray(arrays["n"]).astype(np.int64)
    shown = ~starred.all(axis=1)
    matching = rows_alike(values[shown], starred[shown], rows[shown])
    return WildcardMeasurement(
        smallest=int(matching.min()) if len(matching) else None,
        rows_below=int(rows[shown][matching < k].sum()),
    )
