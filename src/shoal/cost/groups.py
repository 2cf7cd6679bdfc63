"""How many groups a release has, as costs: rows that are not the first of their group; rows per group.

Both fall as the number of groups grows. Suppressed rows count, so that suppressing is never rewarded.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.cost._base import CostMetric
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class GroupCount(CostMetric):
    """Rows less groups: 0 when every row is a group, all rows when everything is suppressed."""

    name = "groups"

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> int:
        return table.rows - int(made.kept.sum())


class AverageGroupSize(CostMetric):
    """All rows over released groups; all rows when no group is released."""

    name = "average-group-size"

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> Fraction:
        return Fraction(table.rows, max(int(made.kept.sum()), 1))
