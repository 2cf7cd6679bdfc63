"""Suppressed cells, and nothing else: what cell suppression minimizes.

A cell counts whose released value may stand for anything in the column. One that is generalized tells
something and does not count; costs that look at how much it tells are `ncp`, `general-loss` and `precision`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.cost._cells import CellMetric
from shoal.model.description import Description
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable


class SuppressedCells(CellMetric):
    """Cells whose released value may stand for every value; every cell of a suppressed row is one.

    Weighted cells count as often as their weights say: a suppressed cell of a column of weight 2 counts 2.
    """

    name = "suppressed-cells"
    description = Description(
        title="Suppressed cells",
        short="As few blank cells as possible",
        meaning="The number of cells that are released as *.",
        when="When values stay as they are and only single cells are blanked.",
    )
    measures = "cells that reveal nothing"

    def cell_units(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> list[int]:
        weight = self.whole_weights(table)[attribute]
        shares = recoding.shares(attribute, table.domains[attribute])
        return [weight if share == 1 else 0 for share in shares]

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        domain, last = table.domains[attribute], len(table.domains[attribute]) - 1
        units = np.zeros((last + 1, last + 1), np.int64)
        units[0, last] = self.whole_weights(table)[attribute] * (domain.share(0, last) == 1)
        return units

    def row_units(self, table: FrequencyTable) -> int:
        return sum(self.whole_weights(table))

    def scale(self, table: FrequencyTable) -> Cost:
        """Units of a cell of weight 1: no whole number where the weights have a common factor."""
        return Fraction(self.row_units(table), sum(self.weights)) if self.weights else 1
