"""How far a full-domain recoding is from the source: generalization steps, absolute and relative.

Samarati's distances; suppressed rows do not count. Defined for levels alone.

Paper: Samarati, TKDE 13(6), 2001; the survey, section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._level_price import LevelPrice, over
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True)
class Height(CostMetric):
    """Sum of the levels."""

    name = "height"
    description = Description(
        title="Height",
        short="The fewest steps up",
        meaning="The sum of the levels of all columns; rows and their values do not count.",
        when="To compare with Samarati's work.",
    )
    measures = "sum of the levels by which columns were generalized"
    monotone = True
    needs_levels = "column"
    needs_source_counts = False

    def of_groups(
        self,
        table: FrequencyTable,
        recoding: Recoding,
        made: Groups,  # noqa: ARG002  levels alone count
    ) -> Fraction:
        return sum(
            (prices[level] for prices, level in zip(self.prices(table), _levels(recoding), strict=True)),
            Fraction(0),
        )

    def prices(self, table: FrequencyTable) -> list[list[Fraction]]:
        """Per attribute what each of its levels costs."""
        return [[Fraction(level) for level in range(domain.hierarchy.height + 1)] for domain in table.domains]

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        scale = self.scale(table)
        fixed = [[int(price * scale) for price in prices] for prices in self.prices(table)]
        return LevelPrice(kind="cells", suppressed_row=0, fixed=fixed, cost=over(scale))

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        return np.zeros(len(made.sizes), np.int64)

    def scale(self, table: FrequencyTable) -> int:
        return lcm(*(price.denominator for prices in self.prices(table) for price in prices))


@dataclass(frozen=True)
class RelativeHeight(Height):
    """Sum of the levels, each as a share of its hierarchy's height."""

    name = "relative-height"
    description = Description(
        title="Relative height",
        short="The fewest steps up, by height",
        meaning="The sum of each column's level over its height; rows and their values do not count.",
        when="Like height, when hierarchies differ in height.",
    )
    measures = "sum of the levels, each as a share of its hierarchy"

    def prices(self, table: FrequencyTable) -> list[list[Fraction]]:
        heights = [domain.hierarchy.height for domain in table.domains]
        return [[Fraction(level, max(1, height)) for level in range(height + 1)] for height in heights]


def _levels(recoding: Recoding) -> tuple[int, ...]:
    if not isinstance(recoding, LevelRecoding):
        raise PolicyError("height is defined for a level per attribute; choose an algorithm over levels")
    return recoding.levels
