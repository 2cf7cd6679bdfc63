"""The general loss metric (GLM, Iyengar's LM): mean loss over all cells, 0 to 1.

A cell loses what its interval loses (`Domain.loss`); every cell of a suppressed row loses 1.

Paper: Iyengar, KDD 2002, section 4; in the form of docs/algorithms/exact.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.cost._base import CostMetric, groups_of
from shoal.model.domain import Domain
from shoal.model.frequency import FrequencyTable
from shoal.model.recoding import CutRecoding

# Losses are summed as integers over a common denominator. Where that is finer than this (irregular decimal
# widths) or the sum over all cells would leave int64, they are rounded down to the finest grid that fits.
FINEST = 2**31
LARGEST_SUM = 2**60


class GeneralLoss(CostMetric):
    """Mean over rows and quasi-identifiers of the loss of a cell."""

    name = "general-loss"

    def of(self, table: FrequencyTable, recoding: CutRecoding, k: int) -> Fraction:
        units = self.units(table)
        attributes = len(table.domains)
        total = 0
        for intervals, rows in groups_of(table, recoding).items():
            size = int(table.counts[rows].sum())
            if size < k:
                total += size * units * attributes
                continue
            for attribute, interval in enumerate(intervals):
                starts = (*recoding.starts(attribute), len(table.domains[attribute]))
                total += size * cell_units(
                    table.domains[attribute], starts[interval], starts[interval + 1] - 1, units
                )
        return Fraction(total, self.scale(table))

    def units(self, table: FrequencyTable) -> int:
        """Integer units that make one cell's whole loss."""
        finest = min(FINEST, LARGEST_SUM // (table.rows * len(table.domains)))
        common = 1
        for domain in table.domains:
            for last in range(1, len(domain)):
                common = math.lcm(common, domain.loss(0, last).denominator)
                if common > finest:
                    return finest
        return common

    def scale(self, table: FrequencyTable) -> int:
        return self.units(table) * table.rows * len(table.domains)


def cell_units(domain: Domain, first: int, last: int, units: int) -> int:
    """Loss of one cell in integer units, rounded down where the grid is coarser than the loss."""
    return math.floor(domain.loss(first, last) * units)
