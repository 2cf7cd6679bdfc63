"""The discernibility metric (DM): a row costs as many rows as look like it.

A kept group E costs |E|^2; a suppressed row looks like any row and costs |D|.

Paper: Bayardo and Agrawal, ICDE 2005, section 3.3. DM never exceeds |D|^2.
"""

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


class Discernibility(CostMetric):
    """Sum of squared sizes of kept groups, plus |D| per suppressed row."""

    name = "discernibility"
    description = Description(
        title="Discernibility",
        short="Groups as small as k allows",
        meaning="Every row costs the size of the group that it is in, and a suppressed row the whole table.",
        when="To compare with the literature, or when small groups matter more than narrow values.",
    )
    measures = "every row pays for each row that it can no longer be distinguished from"
    of_cuts = "squares"
    needs_source_counts = False

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002  sizes alone count
        made: Groups,
    ) -> int:
        # Python's numbers: the squares of a table of billions of rows leave 64 bits.
        sizes: list[int] = made.sizes[made.kept].tolist()
        return sum(size * size for size in sizes) + table.rows * made.suppressed

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        return LevelPrice(kind="squares", suppressed_row=table.rows)

    def of_sizes(self, rows: int, sizes: Mapping[int, int]) -> int:  # noqa: ARG002
        return sum(many * size**2 for size, many in sizes.items())

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        return made.sizes * (table.rows - made.sizes)
