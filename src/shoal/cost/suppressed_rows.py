"""Rows that are suppressed, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._level_price import LevelPrice
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class SuppressedRows(CostMetric):
    """Rows in groups that are not released."""

    name = "suppressed-rows"
    description = Description(
        title="Suppressed rows",
        short="As few rows lost as possible",
        meaning="The number of rows that are left out; how coarse the others become does not count.",
        when="When no person may be missing if it can be avoided.",
    )
    measures = "rows that were left out"
    needs_source_counts = False

    def of_groups(
        self,
        table: FrequencyTable,  # noqa: ARG002
        recoding: Recoding,  # noqa: ARG002
        made: Groups,
    ) -> int:
        return made.suppressed

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        fixed = [[0] * (domain.hierarchy.height + 1) for domain in table.domains]
        return LevelPrice(kind="cells", suppressed_row=1, fixed=fixed)

    def of_sizes(self, rows: int, sizes: Mapping[int, int]) -> int:  # noqa: ARG002
        return 0

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        return made.sizes
