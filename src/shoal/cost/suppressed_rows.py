"""Rows that are suppressed, and nothing else."""

from __future__ import annotations

from shoal.cost._base import CostMetric
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class SuppressedRows(CostMetric):
    """Rows in groups that are not released."""

    name = "suppressed-rows"

    def of_groups(
        self,
        table: FrequencyTable,  # noqa: ARG002
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> int:
        return made.suppressed
