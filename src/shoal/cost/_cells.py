"""Metrics that are means over cells: what a cell loses depends on its released value alone.

Losses are summed as integers over a common denominator, the units. Where that is finer than `FINEST`
(irregular decimal widths) or the sum over all cells would leave 64 bits, they are rounded down to the finest
grid that fits. The grid depends on the table alone, so equal losses stay equal whatever the recoding.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.cost._base import CostMetric
from shoal.cost._level_price import LevelPrice, over
from shoal.errors import InternalError, PolicyError
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

FINEST = 2**31
LARGEST_SUM = 2**60
COARSEST = 2**16
"""A coarser grid than so many units to a cell would round losses away."""


@dataclass(frozen=True)
class CellMetric(CostMetric):
    """Weighted mean over rows and quasi-identifiers of what a cell loses, counted in integer units.

    Parameters
    ----------
    weights
        What a cell of each attribute weighs; equal weights when empty.
    """

    weights: tuple[Fraction, ...] = ()

    needs_source_counts = False

    def check(self, table: FrequencyTable) -> None:
        if table.rows * sum(self.whole_weights(table)) > LARGEST_SUM // COARSEST:
            raise PolicyError(
                "the weights differ by too much, or have too many digits, for exact sums over all cells; "
                "round them"
            )

    @abstractmethod
    def cell_units(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> list[int]:
        """Units that each released value of an attribute loses, the attribute's weight included."""

    def interval_units(self, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        """Units that a cell loses in each interval of codes: of first..last in row `first`, column `last`."""
        raise PolicyError(
            f"cost {self.name!r} of column {table.domains[attribute].name!r} is not defined on intervals"
        )

    @abstractmethod
    def row_units(self, table: FrequencyTable) -> int:
        """Units that a suppressed row loses; no generalization of a row loses more."""

    def offset(self, table: FrequencyTable) -> int:  # noqa: ARG002
        """Units to take from the sum over all rows, whatever the recoding."""
        return 0

    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> Fraction:
        of_group = np.zeros(len(made.sizes), np.int64)
        for attribute in range(len(table.domains)):
            units = np.array(self.cell_units(table, recoding, attribute), np.int64)
            of_group += units[made.values[:, attribute]]
        of_group[~made.kept] = self.row_units(table)
        # `check` keeps the sum over all cells below 2^60.
        return Fraction(int(of_group @ made.sizes) - self.offset(table), self.scale(table))

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        units: list[list[list[int]]] = []
        fixed: list[list[int]] = []
        for attribute, domain in enumerate(table.domains):
            rows = table.margin(attribute)
            units.append([])
            fixed.append([])
            for level in range(domain.hierarchy.height + 1):
                recoding = LevelRecoding((level,) * len(table.domains))
                of_part = self.cell_units(table, recoding, attribute)
                per_code = np.array(of_part, np.int64)[recoding.parts(attribute, domain)]
                fixed[-1].append(int(per_code @ rows))
                units[-1].append(of_part)
        offset = self.offset(table)
        fixed[0] = [price - offset for price in fixed[0]]
        return LevelPrice(
            kind="cells",
            suppressed_row=self.row_units(table),
            fixed=fixed,
            units=units,
            cost=over(self.scale(table)),
        )

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:
        of_row = np.full(len(made.sizes), self.row_units(table), np.int64)
        for attribute in range(len(table.domains)):
            units = np.array(self.cell_units(table, recoding, attribute), np.int64)
            of_row -= units[made.values[:, attribute]]
        return of_row * made.sizes

    def whole_weights(self, table: FrequencyTable) -> list[int]:
        """The weights as whole numbers in lowest terms."""
        attributes = len(table.domains)
        if not self.weights:
            return [1] * attributes
        if len(self.weights) != attributes:
            raise InternalError("there must be a weight for every attribute")
        common = math.lcm(*(weight.denominator for weight in self.weights))
        whole = [int(weight * common) for weight in self.weights]
        divisor = math.gcd(*whole)
        return [weight // divisor for weight in whole]


@dataclass(frozen=True)
class ShareMetric(CellMetric):
    """A cell loses a share from 0 to 1; a suppressed cell loses 1."""

    is_share = True

    @abstractmethod
    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        """Loss of each released value of an attribute."""

    @abstractmethod
    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        """Losses whose common denominator is that of all losses of an attribute."""

    def cell_units(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> list[int]:
        units, weight = self.units(table), self.whole_weights(table)[attribute]
        # The floor of loss * units, without a fraction in between: large tables have many released values.
        return [
            loss.numerator * units // loss.denominator * weight
            for loss in self.losses(table, recoding, attribute)
        ]

    def row_units(self, table: FrequencyTable) -> int:
        return self.units(table) * sum(self.whole_weights(table))

    def units(self, table: FrequencyTable) -> int:
        """Units that make one cell's whole loss, at weight 1."""
        return _units(self, table)

    def scale(self, table: FrequencyTable) -> Cost:
        return self.row_units(table) * table.rows


@lru_cache(maxsize=2)  # every price of a search asks for it, and it looks at every value
def _units(metric: ShareMetric, table: FrequencyTable) -> int:
    finest = max(1, min(FINEST, LARGEST_SUM // (table.rows * sum(metric.whole_weights(table)))))
    common = 1
    for attribute in range(len(table.domains)):
        for loss in metric.possible_losses(table, attribute):
            common = math.lcm(common, loss.denominator)
            if common > finest:
                return finest
    return common


def share_matrix(
    domain: Domain, loss: Callable[[int, int], Fraction], units: int, weight: int
) -> NDArray[np.int64]:
    """Units of the intervals of a domain, given the loss of each."""
    size = len(domain)
    present = size - domain.has_missing
    ends = [loss(0, last) * units for last in range(present)]
    common = math.lcm(*(end.denominator for end in ends))
    # Losses add up along the values present, so differences give all of them at once. Python's own integers
    # take over where 64 bits do not suffice.
    scaled = [int(end * common) for end in ends]
    positions = np.array(scaled, np.int64 if max(scaled, default=0) < 2**62 else object)
    found = np.zeros((size, size), np.int64)
    found[:present, :present] = np.maximum(positions[None, :] - positions[:, None], 0) // common
    if domain.has_missing:
        found[:, -1] = [math.floor(loss(first, size - 1) * units) for first in range(size)]
    return found * weight


def tree_levels(table: FrequencyTable, attribute: int) -> range:
    """The levels of an attribute's hierarchy; none if it has none."""
    tree = table.domains[attribute].tree
    return range(0) if tree is None else range(tree.height + 1)
