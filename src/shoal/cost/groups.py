"""How many groups a release has, as costs: rows that are not the first of their group; rows per group.

Both fall as the number of groups grows. Suppressed rows count, so that suppressing is never rewarded.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._level_price import LevelPrice
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class GroupCount(CostMetric):
    """Rows less groups: 0 when every row is a group, all rows when everything is suppressed."""

    name = "groups"
    description = Description(
        title="Groups",
        short="As many groups as possible",
        meaning="The number of rows less the number of released groups.",
        when="When readers count combinations.",
    )
    measures = "rows less groups: few groups mean little detail"
    needs_source_counts = False

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> int:
        return table.rows - int(made.kept.sum())

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:  # noqa: ARG002
        return LevelPrice(kind="groups", suppressed_row=1)

    def of_sizes(self, rows: int, sizes: Mapping[int, int]) -> int:
        return rows - sum(sizes.values())

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        return np.ones(len(made.sizes), np.int64)


class AverageGroupSize(CostMetric):
    """All rows over released groups; all rows when no group is released."""

    name = "average-group-size"
    description = Description(
        title="Average group size",
        short="Small groups on average",
        meaning="The number of rows over the number of released groups.",
        when="To compare with studies that report it.",
    )
    measures = "rows per group"
    needs_source_counts = False

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> Fraction:
        return Fraction(table.rows, max(int(made.kept.sum()), 1))

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        rows = table.rows
        return LevelPrice(
            kind="groups", suppressed_row=1, cost=lambda units: Fraction(rows, max(1, rows - units))
        )

    def of_sizes(self, rows: int, sizes: Mapping[int, int]) -> Fraction:
        return Fraction(rows, max(1, sum(sizes.values())))

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        return np.ones(len(made.sizes), np.int64)
