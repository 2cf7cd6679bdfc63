"""A mean over cells in which generalized and suppressed cells are weighed against each other, as in ARX.

ARX's generalization/suppression factor f is from 0 to 1. With g = min(1, 2 (1 - f)) and s = min(1, 2 f), a
cell of a released row that loses x counts g x, and one of a suppressed row x + s (1 - x) for f < 1/2, else 1,
where x is what the cell would lose if its row were released. So 1/2 changes nothing; towards 0 suppression
costs less, towards 1 generalization does.

A suppressed row costs no less than if it were released: g x <= 1, and x + s (1 - x) >= x. That and the levels
are all that the bounds of searches over levels use (docs/algorithms/lattice.md). What a suppressed row would
lose is known where the whole column has a level, so other searches refuse it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._cells import LARGEST_SUM, ShareMetric
from shoal.cost._level_price import LevelPrice, over
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True)
class Balanced(CostMetric):
    """A mean over cells with ARX's factor.

    Parameters
    ----------
    metric
        What a cell loses.
    factor
        From 0, where suppression costs nothing more, to 1, where generalization costs nothing.
    """

    metric: ShareMetric
    factor: Fraction

    description: ClassVar[Description] = Description(
        title="Weighed loss",
        short="Generalization against suppression",
        meaning="A mean over cells in which generalized and suppressed cells count differently.",
        when="When leaving out rows is less bad, or worse, than generalizing them.",
    )
    is_share = True
    needs_levels = "column"
    needs_source_counts = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.metric.name} with gs_factor = {float(self.factor):g}"

    @property
    def measures(self) -> str:  # type: ignore[override]
        return self.metric.measures

    @property
    def _parts(self) -> tuple[int, int, int, int]:
        """Over a common denominator, the last: a kept cell costs the first times its loss, a suppressed one
        the second times its loss and the third."""
        kept, suppressed = min(Fraction(1), 2 * (1 - self.factor)), min(Fraction(1), 2 * self.factor)
        below = self.factor < Fraction(1, 2)
        shares = (kept, 1 - suppressed if below else Fraction(0), suppressed if below else Fraction(1))
        common = int(np.lcm.reduce([each.denominator for each in shares]))
        one, two, three = (int(each * common) for each in shares)
        return one, two, three, common

    def check(self, table: FrequencyTable) -> None:
        self.metric.check(table)
        if self.metric.row_units(table) * table.rows * self._parts[3] > LARGEST_SUM:
            raise PolicyError("gs_factor has too many digits for exact sums over all cells; round it")

    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> Fraction:
        kept, own, whole, common = self._parts
        units = self._units(table, recoding, made)
        lost = int(made.sizes[~made.kept].sum())
        shown, hidden = (int(units[part] @ made.sizes[part]) for part in (made.kept, ~made.kept))
        total = kept * shown + own * hidden + whole * self.metric.row_units(table) * lost
        return Fraction(total, common * self.metric.scale(table))

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        price = self.metric.level_price(table)
        assert price is not None
        kept, own, whole, _ = self._parts
        return LevelPrice(
            kind="cells",
            suppressed_row=whole * price.suppressed_row,
            fixed=[[kept * each for each in levels] for levels in price.fixed],
            # What is taken off for a suppressed row: its cells no longer count as kept.
            units=[[[(kept - own) * each for each in part] for part in levels] for levels in price.units],
            cost=over(self.scale(table)),
        )

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:
        kept, own, whole, _ = self._parts
        units = self._units(table, recoding, made)
        return (whole * self.metric.row_units(table) - (kept - own) * units) * made.sizes

    def scale(self, table: FrequencyTable) -> Fraction:
        return Fraction(self._parts[3] * self.metric.scale(table))

    def _units(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:
        """Per group what one of its rows loses, if it is released."""
        of_group = np.zeros(len(made.sizes), np.int64)
        for attribute in range(len(table.domains)):
            units = np.array(self.metric.cell_units(table, recoding, attribute), np.int64)
            of_group += units[made.values[:, attribute]]
        return of_group
