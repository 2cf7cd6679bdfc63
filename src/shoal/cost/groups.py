"""How many groups a release has, as costs: rows that are not the first of their group; rows per group.

Both fall as the number of groups grows. Suppressed rows count, so that suppressing is never rewarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shoal.cost._base import CostMetric, sizes_of
from shoal.model.frequency import FrequencyTable
from shoal.model.people import Demand
from shoal.model.recoding import Recoding


class GroupCount(CostMetric):
    """Rows less groups: 0 when every row is a group, all rows when everything is suppressed."""

    name = "groups"

    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> int:
        return table.rows - sum(released for _, released in sizes_of(table, recoding, k, models))


class AverageGroupSize(CostMetric):
    """All rows over released groups; all rows when no group is released."""

    name = "average-group-size"

    def of(
        self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()
    ) -> Fraction:
        groups = sum(released for _, released in sizes_of(table, recoding, k, models))
        return Fraction(table.rows, max(groups, 1))
