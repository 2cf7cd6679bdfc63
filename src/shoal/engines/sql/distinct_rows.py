"""Which distinct row each row of a table is: its quasi-identifiers, coded as they were counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql.recoding import coded_cells, numbered
from shoal.engines.sql.table import Table
from shoal.errors import EngineError
from shoal.model.recoding.groups import places_among

if TYPE_CHECKING:
    from shoal.engines._base import Counted


def distinct_rows(table: Table, counted: Counted) -> NDArray[np.int64]:
    """Per row of a table, in its order, the number of its distinct row.

    Parameters
    ----------
    table
        A table whose rows have an order.
    counted
        How it was counted.
    """
    numbers, known = coded_cells(counted), counted.frequencies.codes
    names = [f"q{at}" for at in range(len(numbers))]
    with table.selected([each.column for each in numbers]) as relation:
        rows = numbered(table, [], relation, [], numbers, "q")
        arrays = table.session.arrays(exp.select(*names).from_(rows.subquery("w")), table.about)
    codes = np.column_stack([np.asarray(arrays[name], np.int64) for name in names]).astype(np.int32)
    found = places_among(known, codes)
    if (found < 0).any():
        raise EngineError(f"{table.about} changed while it was read; nothing was published")
    return found
