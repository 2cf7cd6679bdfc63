"""Distinct rows whose copies are released differently."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True, kw_only=True, eq=False)
class Pieces:
    """The distinct rows of a table, some of them divided so that their copies can be in different groups.

    Parameters
    ----------
    of_row
        For each piece its distinct row; the pieces of a row are neighbours, and rows are in the table's
        order.
    counts
        For each piece the number of copies; those of a row add up to the row's count.
    """

    of_row: NDArray[np.int64]
    counts: NDArray[np.int64]

    def refine(self, table: FrequencyTable) -> FrequencyTable:
        """The table with one line per piece. Which piece has which class label is not known."""
        if table.facts is not None or table.population is not None:
            raise InternalError("rows cannot be divided if privacy models read their values")
        if (np.diff(self.of_row) < 0).any() or (self.counts <= 0).any():
            raise InternalError("pieces are not in the order of their rows, or have no rows")
        sums = np.bincount(self.of_row, self.counts, len(table.counts)).astype(np.int64)
        if not np.array_equal(sums, table.counts):
            raise InternalError("the pieces of a row do not add up to it")
        return replace(
            table,
            codes=table.codes[self.of_row],
            counts=self.counts,
            labels=(),
            label_counts=np.zeros((0, 0), np.int64),
        )
