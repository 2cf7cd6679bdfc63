"""Cells that are not released as their own value, and nothing else: what cell suppression minimizes.

A cell that is generalized counts like a suppressed one; costs that tell the two apart are `ncp`, `general-loss` and
`precision`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.cost._cells import CellMetric
from shoal.model.frequency import FrequencyTable
from shoal.model.recoding import Recoding


class SuppressedCells(CellMetric):
    """Cells whose released value may stand for others; every cell of a suppressed row is one.

    Weighted cells count as often as their weights say, in the least whole numbers of the same proportions.
    """

    name = "suppressed-cells"

    def cell_units(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> list[int]:
        weight = self.whole_weights(table)[attribute]
        shares: list[Fraction] = list(recoding.shares(attribute, table.domains[attribute]))
        return [weight if share > 0 else 0 for share in shares]

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        size = len(table.domains[attribute])
        joins: NDArray[np.int64] = np.triu(np.ones((size, size), np.int64), 1)
        return joins * self.whole_weights(table)[attribute]

    def row_units(self, table: FrequencyTable) -> int:
        return sum(self.whole_weights(table))
