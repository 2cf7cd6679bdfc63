"""Changed cells: the share of cells that are not released as they were."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.cost import Description, ShareMetric
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class ChangedCells(ShareMetric):
    """A cell loses everything as soon as its released value may stand for another value, too."""

    name = "changed-cells"
    description = Description(
        title="Changed cells",
        short="As many cells as possible stay as they were",
        meaning="The share of cells that are released as anything but their own value.",
        when="When a value that is slightly coarser is as useless as none.",
    )
    measures = "the share of cells that were changed, from 0 to 1"
    of_cuts = "cells"

    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        return [Fraction(share > 0) for share in recoding.shares(attribute, table.domains[attribute])]

    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        return (Fraction(0), Fraction(1))

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        size, unit = len(table.domains[attribute]), self.units(table) * self.whole_weights(table)[attribute]
        return np.triu(np.full((size, size), unit, np.int64), 1)
