"""The classification metric (CM): rows that do not carry their group's majority label.

Iyengar, KDD 2002; Bayardo and Agrawal, ICDE 2005, section 3.3. A suppressed row costs 1.
"""

from __future__ import annotations

import numpy as np

from shoal.cost._base import CostMetric
from shoal.errors import PolicyError
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class Classification(CostMetric):
    """Minority rows of kept groups, plus suppressed rows."""

    name = "classification"

    def check(self, table: FrequencyTable) -> None:
        if not table.labels:
            raise PolicyError(
                "cost 'classification' needs a class attribute: give one column the role 'class' "
                "(--class COLUMN), or choose cost 'discernibility' or 'general-loss'"
            )

    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> int:
        if not recoding.refined(table).labels:
            raise PolicyError(
                "cost 'classification' is not defined where copies of a row are released differently: which "
                "of them has which label is not counted"
            )
        majority = np.zeros(len(made.sizes), np.int64)
        for of_label in table.label_counts.T:
            rows = np.bincount(made.of_row, of_label, len(majority)).astype(np.int64)
            np.maximum(majority, rows, out=majority)
        return int((made.sizes - majority)[made.kept].sum()) + made.suppressed
