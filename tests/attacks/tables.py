"""Small tables as attacks see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.model.table.coded_cells import CodedCells

Row = Sequence[str | None]


def cells(columns: str, rows: Sequence[Row]) -> CodedCells:
    """Rows one by one, under columns that are named in one text."""
    names = tuple(columns.split())
    texts = [tuple(dict.fromkeys(row[place] for row in rows)) for place in range(len(names))]
    codes = [[texts[place].index(row[place]) for place in range(len(names))] for row in rows]
    return CodedCells(
        columns=names,
        cells=tuple(texts),
        codes=np.array(codes, np.int32).reshape(len(rows), len(names)),
        counts=np.ones(len(rows), np.int64),
    )
