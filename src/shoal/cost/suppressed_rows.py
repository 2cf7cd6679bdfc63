"""Rows that are suppressed, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cost._base import CostMetric, sizes_of
from shoal.model.frequency import FrequencyTable
from shoal.model.people import Demand
from shoal.model.recoding import Recoding


class SuppressedRows(CostMetric):
    """Rows in groups that are not released."""

    name = "suppressed-rows"

    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> int:
        return sum(size for size, released in sizes_of(table, recoding, k, models) if not released)
