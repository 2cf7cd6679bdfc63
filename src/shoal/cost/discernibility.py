"""The discernibility metric (DM): a row costs as many rows as it cannot be told from.

A kept group E costs |E|^2; a suppressed row cannot be told from any row and costs |D|.

Paper: Bayardo and Agrawal, ICDE 2005, section 3.3. DM never exceeds |D|^2.
"""

from __future__ import annotations

from shoal.cost._base import CostMetric
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class Discernibility(CostMetric):
    """Sum of squared sizes of kept groups, plus |D| per suppressed row."""

    name = "discernibility"

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,  # noqa: ARG002  sizes alone count
        made: Groups,
    ) -> int:
        # Python's numbers: the squares of a table of billions of rows leave 64 bits.
        sizes: list[int] = made.sizes[made.kept].tolist()
        return sum(size * size for size in sizes) + table.rows * made.suppressed
