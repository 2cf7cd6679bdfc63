"""Rows that are suppressed, and nothing else."""

from __future__ import annotations

from shoal.cost._base import CostMetric, sizes_of
from shoal.model.frequency import FrequencyTable
from shoal.model.recoding import Recoding


class SuppressedRows(CostMetric):
    """Rows in groups that are not released."""

    name = "suppressed-rows"

    def of(self, table: FrequencyTable, recoding: Recoding, k: int) -> int:
        return sum(size for size, released in sizes_of(table, recoding, k) if not released)
