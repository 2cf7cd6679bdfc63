"""The normalized certainty penalty (NCP), counted in values: (values - 1) over (domain - 1) per cell.

Unlike general loss it counts values also where they are numbers, so an interval over a gap loses no more
than one over neighbours. With a hierarchy of the user's both count its leaves and agree.

Paper: Xu et al., KDD 2006, who divide by the size of the domain without the "- 1"; a value on its own loses
nothing and the whole domain everything only with it, and ARX and others count so.
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


class Ncp(ShareMetric):
    """Share of the domain's values that a released value may stand for."""

    name = "ncp"
    description = Description(
        title="NCP",
        short="Values that stand for few others",
        meaning="How many of a column's values each released value may stand for, from 0 to 1, the mean "
        "over all cells.",
        when="Like general loss, when distances between numbers do not matter.",
    )
    measures = "how many values a released value may stand for, from 0 (its own) to 1 (all)"
    of_cuts = "cells"

    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        return recoding.shares(attribute, table.domains[attribute])

    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        domain = table.domains[attribute]
        if len(domain) > 1:
            yield domain.share(0, 1)
            yield domain.share(0, len(domain) - 1)
        for level in tree_levels(table, attribute):
            yield from domain.part_shares(level)

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        domain = table.domains[attribute]
        return share_matrix(domain, domain.share, self.units(table), self.whole_weights(table)[attribute])
