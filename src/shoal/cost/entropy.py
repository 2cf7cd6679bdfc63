"""Non-uniform entropy: mean over all cells of the bits that tell the value from its released one.

A cell with value v, released as a set S, loses log2(rows with a value in S / rows with v); a suppressed cell
is released as the whole column. Counts are those of the source, so a rare value is dear to lose.

Paper: Gionis and Tassa, TKDE 21(2), 2009; De Waal and Willenborg, 1999, for global recodings. Logarithms
are rounded down to 2^-20 bit, once per released value.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.cost._cells import LARGEST_SUM, CellMetric
from shoal.model.description import Description
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable

FINEST = 2**20
MOST_BITS = 32


class Entropy(CellMetric):
    """Bits per cell between a value and its released value."""

    name = "entropy"
    description = Description(
        title="Entropy",
        short="Rare values kept apart",
        meaning="How many bits it takes to say what a released cell was; losing a rare value costs more "
        "than a frequent one.",
        when="When readers look at rare values.",
    )
    measures = "how many bits of information a cell lost, on average"
    of_cuts = "cells"
    needs_source_counts = True

    def cell_units(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> list[int]:
        rows, weight = table.margin(attribute), self.whole_weights(table)[attribute]
        return [
            self._units(table, int(rows[list(codes)].sum())) * weight
            for codes in recoding.members(attribute, table.domains[attribute])
        ]

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        ends = np.concatenate(([0], np.cumsum(table.margin(attribute))))
        weight = self.whole_weights(table)[attribute]
        matrix = np.zeros((len(ends) - 1, len(ends) - 1), np.int64)
        for first, start in enumerate(ends[:-1]):
            lengths = (ends[first + 1 :] - start).tolist()
            matrix[first, first:] = [self._units(table, length) * weight for length in lengths]
        return matrix

    def row_units(self, table: FrequencyTable) -> int:
        return self._units(table, table.rows) * sum(self.whole_weights(table))

    def offset(self, table: FrequencyTable) -> int:
        return sum(
            int(rows) * self._units(table, int(rows)) * weight
            for attribute, weight in enumerate(self.whole_weights(table))
            for rows in table.margin(attribute)
        )

    def scale(self, table: FrequencyTable) -> Cost:
        return self._grid(table) * table.rows * sum(self.whole_weights(table))

    def _units(self, table: FrequencyTable, rows: int) -> int:
        return math.floor(math.log2(rows) * self._grid(table)) if rows > 0 else 0

    def _grid(self, table: FrequencyTable) -> int:
        """Units of one bit."""
        weights = sum(self.whole_weights(table))
        return max(1, min(FINEST, LARGEST_SUM // (table.rows * weights * MOST_BITS)))
