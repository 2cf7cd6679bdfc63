"""The classification metric (CM): rows that do not carry their group's majority label.

Iyengar, KDD 2002; Bayardo and Agrawal, ICDE 2005, section 3.3. A suppressed row costs 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._level_price import LevelPrice
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class Classification(CostMetric):
    """Minority rows of kept groups, plus suppressed rows."""

    name = "classification"
    description = Description(
        title="Classification",
        short="Groups that agree on the class column",
        meaning="Counts the rows that differ from the most frequent class of their group.",
        when="When readers train a model that predicts the class column. Needs a column with the role class.",
    )
    measures = "counts rows whose class differs from that of most of their group"
    needs_class = True
    needs_source_counts = False
    of_cuts = "minority"

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

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:  # noqa: ARG002
        return LevelPrice(kind="minority", suppressed_row=1)

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        labels = np.zeros((len(made.sizes), table.label_counts.shape[1]), np.int64)
        np.add.at(labels, made.of_row, table.label_counts)
        majority: NDArray[np.int64] = labels.max(axis=1)
        return majority
