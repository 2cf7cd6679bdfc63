"""How far a full-domain recoding is from the source: generalization steps, absolute and relative.

Samarati's distances; suppressed rows do not count. Defined for levels alone.

Paper: Samarati, TKDE 13(6), 2001; the survey, section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from shoal.cost._base import CostMetric
from shoal.errors import PolicyError
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True)
class Height(CostMetric):
    """Sum of the levels."""

    name = "height"
    monotone = True

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

    def scale(self, table: FrequencyTable) -> int:
        return lcm(*(price.denominator for prices in self.prices(table) for price in prices))


@dataclass(frozen=True)
class RelativeHeight(Height):
    """Sum of the levels, each as a share of its hierarchy's height."""

    name = "relative-height"

    def prices(self, table: FrequencyTable) -> list[list[Fraction]]:
        heights = [domain.hierarchy.height for domain in table.domains]
        return [[Fraction(level, max(1, height)) for level in range(height + 1)] for height in heights]


def _levels(recoding: Recoding) -> tuple[int, ...]:
    if not isinstance(recoding, LevelRecoding):
        raise PolicyError("height is defined for a level per attribute; choose an algorithm over levels")
    return recoding.levels
