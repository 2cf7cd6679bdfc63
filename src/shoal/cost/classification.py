"""The classification metric (CM): rows that do not carry their group's majority label.

Iyengar, KDD 2002; Bayardo and Agrawal, ICDE 2005, section 3.3. A suppressed row costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cost._base import CostMetric, judged
from shoal.errors import PolicyError
from shoal.model.frequency import FrequencyTable
from shoal.model.people import Demand
from shoal.model.recoding import Recoding


class Classification(CostMetric):
    """Minority rows of kept groups, plus suppressed rows."""

    name = "classification"

    def check(self, table: FrequencyTable) -> None:
        if not table.labels:
            raise PolicyError(
                "cost 'classification' needs a class attribute: give one column the role 'class' "
                "(--class COLUMN), or choose cost 'discernibility' or 'general-loss'"
            )

    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> int:
        if not recoding.refined(table).labels:
            raise PolicyError(
                "cost 'classification' is not defined where copies of a row are released differently: which "
                "of them has which label is not counted"
            )
        total = 0
        for _, rows, size, released in judged(table, recoding, k, models):
            total += size - int(table.label_counts[rows].sum(axis=0).max()) if released else size
        return total
