"""The general loss metric (GLM, Iyengar's LM): mean loss over all cells, 0 to 1.

A cell loses what its interval loses (`Domain.loss`); every cell of a suppressed row loses 1.

Paper: Iyengar, KDD 2002, section 4; in the form of docs/algorithms/exact.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.cost._cells import ShareMetric, share_matrix, tree_levels
from shoal.model.description import Description
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class GeneralLoss(ShareMetric):
    """Share of the domain, by width or by leaves, that a released value may stand for."""

    name = "general-loss"
    description = Description(
        title="General loss",
        short="Narrow values",
        meaning="How much of a column's range each released value covers, from 0 (as it was) to 1 "
        "(anything), the mean over all cells.",
        when="When readers tabulate, plot and compare. A good first choice.",
    )
    measures = "how wide the released values are, from 0 (nothing lost) to 1 (everything)"
    of_cuts = "cells"

    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        return recoding.losses(attribute, table.domains[attribute])

    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        domain = table.domains[attribute]
        yield from (domain.loss(0, last) for last in range(1, len(domain)))
        for level in tree_levels(table, attribute):
            yield from domain.part_losses(level)

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        domain = table.domains[attribute]
        return share_matrix(domain, domain.loss, self.units(table), self.whole_weights(table)[attribute])
