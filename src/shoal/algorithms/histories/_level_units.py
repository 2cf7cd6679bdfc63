"""What levels cost histories, in the integer units of the core and as exact numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.cost import CellMetric, SuppressedCells
from shoal.errors import InternalError
from shoal.model.history.problem import HistoryProblem
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.table.frequency_table import FrequencyTable

LARGEST_SUM = 2**59
PerCode = list[list[list[int]]]
"""Per attribute, level and code."""


@dataclass(frozen=True)
class LevelUnits:
    """The cost of a problem over levels.

    With one table the units are the metric's own. With several, each table has a share of the mean over all
    cells, and the units are such that all of them are whole numbers; where those would leave 64 bits, they
    are rounded down, so that a bound stays one. The cost of an answer is always exact.

    Parameters
    ----------
    problem
        Every domain of every table has a hierarchy.
    """

    problem: HistoryProblem

    @cached_property
    def factors(self) -> tuple[Fraction, ...]:
        """For each table what one unit of its metric adds to the cost."""
        tables = self.problem.histories.tables
        cells = [table.rows * len(table.domains) for table in tables]
        return tuple(
            # Suppressed cells are counted; every other cost over cells is a mean. A table without rows costs
            # nothing, and metrics are not defined on it.
            Fraction(1 if isinstance(metric, SuppressedCells) else Fraction(own, sum(cells)))
            / Fraction(metric.scale(table))
            if table.rows
            else Fraction(0)
            for metric, table, own in zip(self.problem.costs, tables, cells, strict=True)
        )

    @cached_property
    def _common(self) -> Fraction:
        """What one unit of the core adds to the cost."""
        finest = Fraction(
            math.gcd(*(factor.numerator for factor in self.factors)),
            math.lcm(*(factor.denominator for factor in self.factors)),
        )
        most = sum(
            (factor * metric.row_units(table) * table.rows for factor, metric, table in self._priced),
            Fraction(0),
        )
        return max(finest, most / LARGEST_SUM)

    @property
    def _priced(self) -> list[tuple[Fraction, CellMetric, FrequencyTable]]:
        """The tables that have rows."""
        tables = self.problem.histories.tables
        priced = zip(self.factors, self.problem.costs, tables, strict=True)
        return [(factor, metric, table) for factor, metric, table in priced if table.rows]

    @cached_property
    def _offset(self) -> Fraction:
        return sum((factor * metric.offset(table) for factor, metric, table in self._priced), Fraction(0))

    def cost(self, units: int) -> Fraction:
        """What so many units of the core cost."""
        return units * self._common - self._offset

    def suppressed(self, table: int) -> int:
        """Units that a suppressed row of a table loses."""
        own = self.problem.histories.tables[table]
        if not own.rows:
            return 0
        return math.floor(self.factors[table] / self._common * self.problem.costs[table].row_units(own))

    def of_codes(self, table: int) -> PerCode:
        """Units that a cell loses."""
        factor = self.factors[table] / self._common
        return [
            [[math.floor(factor * units) for units in own] for own in levels]
            for levels in self._metric_units(table)
        ]

    def _metric_units(self, table: int) -> PerCode:
        own = self.problem.histories.tables[table]
        if not own.rows:
            return [[[0] * len(parts) for parts in domain.hierarchy.parts] for domain in own.domains]
        price = self.problem.costs[table].level_price(own)
        if price is None:
            raise InternalError(f"cost {self.problem.costs[table].name!r} has no price on levels")
        return [
            [
                [price.units[attribute][level][part] for part in parts]
                for level, parts in enumerate(domain.hierarchy.parts)
            ]
            for attribute, domain in enumerate(own.domains)
        ]

    def exact(self, levels: tuple[tuple[int, ...], ...], released: NDArray[np.bool_]) -> Fraction:
        """The cost of an answer by the metrics' own units.

        Parameters
        ----------
        levels
            For each table the levels.
        released
            For each row of a history whether it is released.
        """
        histories, sums = self.problem.histories, Fraction(0)
        persons = np.repeat(histories.counts, histories.lengths)
        for number, (table, metric) in enumerate(zip(histories.tables, self.problem.costs, strict=True)):
            if not table.rows:
                continue
            recoding = LevelRecoding(levels[number])
            of_row = np.zeros(len(table.codes), np.int64)
            for attribute, domain in enumerate(table.domains):
                units = np.array(metric.cell_units(table, recoding, attribute), np.int64)
                of_row += units[recoding.parts(attribute, domain)][table.codes[:, attribute]]
            own = histories.table_of == number
            kept = own & released
            # The metric keeps the sum over all cells below 2^60.
            units_lost = int(of_row[histories.row_of[kept]] @ persons[kept])
            units_lost += metric.row_units(table) * int(persons[own & ~released].sum())
            sums += self.factors[number] * (units_lost - metric.offset(table))
        return sums
