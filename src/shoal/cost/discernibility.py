"""The discernibility metric (DM): a row costs as many rows as it cannot be told from.

A kept group E costs |E|^2; a suppressed row cannot be told from any row and costs |D|.

Paper: Bayardo and Agrawal, ICDE 2005, section 3.3. DM never exceeds |D|^2.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cost._base import CostMetric, sizes_of
from shoal.model.frequency import FrequencyTable
from shoal.model.people import Demand
from shoal.model.recoding import Recoding


class Discernibility(CostMetric):
    """Sum of squared sizes of kept groups, plus |D| per suppressed row."""

    name = "discernibility"

    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> int:
        return sum(
            size * (size if released else table.rows)
            for size, released in sizes_of(table, recoding, k, models)
        )
