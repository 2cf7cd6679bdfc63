"""The tables of a problem of histories as the core has them, and its units as the problem's cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal import _core
from shoal.algorithms.cells._cells import SPAN_METRICS, is_exact, node_price, span_prices
from shoal.model.history.placement import Placement
from shoal.model.history.problem import HistoryProblem
from shoal.model.recoding.local_recoding import Vocabulary
from shoal.model.result.result import Cost
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.frequency_table import FrequencyTable

_MOST_UNITS = 2**60


def cells_of(problem: HistoryProblem) -> list[int]:
    """The number of cells of each table."""
    return [table.rows * len(table.domains) for table in problem.histories.tables]


def cost_of(problem: HistoryProblem, placement: Placement, words: Sequence[Sequence[Vocabulary]]) -> Fraction:
    """What a placement costs by definition: the mean over all cells of all tables.

    Parameters
    ----------
    words
        For each table and column what its values are released as.
    """
    histories, cells = problem.histories, cells_of(problem)
    total = Fraction(0)
    for number, (table, metric) in enumerate(zip(histories.tables, problem.costs, strict=True)):
        rows = np.flatnonzero(histories.table_of == number)
        refined = replace(
            table,
            codes=np.ascontiguousarray(table.codes[histories.row_of[rows]]),
            counts=histories.counts[histories.history_of[rows]],
            labels=(),
            label_counts=np.zeros((0, 0), np.int64),
            facts=None,
            population=None,
        )
        recoding = placement.recode(
            refined, words[number], placement.place_of[rows], histories.history_of[rows]
        )
        total += cells[number] * Fraction(metric.of(refined, recoding, 1))
    return total / sum(cells)


@dataclass(frozen=True)
class CoreTables:
    """The tables, and how the core's units become the cost.

    Parameters
    ----------
    tables
        As the core has them.
    scale, offset
        The cost of so many units is their number less the offset, over the scale.
    exact
        Whether nothing was rounded, so that the core's cost is the problem's.
    rounding
        How far prices in the core may be above the problem's, of all cells together.
    """

    tables: list[_core.HistoryTable]
    scale: Fraction
    offset: Fraction
    exact: bool
    rounding: Fraction

    def cost(self, units: int) -> Cost:
        """The cost of so many units."""
        return max(Fraction(0), (units - self.offset) / self.scale)

    def bound(self, units: int) -> Cost:
        """What is proved of the cost if so many units are proved."""
        return max(Fraction(0), Fraction(self.cost(units)) - self.rounding)

    @classmethod
    def of(cls, problem: HistoryProblem, words: Sequence[Sequence[Vocabulary]]) -> CoreTables:
        """The tables of a problem."""
        tables, cells = problem.histories.tables, cells_of(problem)
        # A unit of a table is worth so much of all cells together.
        worth = [
            Fraction(own) / Fraction(metric.scale(table))
            for own, metric, table in zip(cells, problem.costs, tables, strict=True)
        ]
        unit = min(worth)
        if len(tables) > 1:
            common = math.lcm(*(each.denominator for each in worth))
            unit = Fraction(math.gcd(*(int(each * common) for each in worth)), common)
            units = [
                metric.row_units(table) * table.rows
                for metric, table in zip(problem.costs, tables, strict=True)
            ]
            # Rounded down where 64 bits would not do: what is proved of fewer units holds of all.
            finest = Fraction(sum(own * each for own, each in zip(units, worth, strict=True))) / _MOST_UNITS
            unit = max(unit, min(finest, min(worth)))
        times = [int(each / unit) for each in worth]
        exact = all(each == own * unit for each, own in zip(worth, times, strict=True))
        offset = sum(
            (Fraction(metric.offset(table)) * each / unit)
            for metric, table, each in zip(problem.costs, tables, worth, strict=True)
        )
        made, rounding = [], Fraction(0)
        for table, metric, own, weight in zip(tables, problem.costs, words, times, strict=True):
            if "spans" in own:
                assert isinstance(metric, SPAN_METRICS)
                if not is_exact(metric, table):
                    # The difference of two rounded ends is less than a unit off in each cell.
                    exact = False
                    share = Fraction(table.rows * len(table.domains), sum(cells))
                    rounding += share / metric.units(table)
            made.append(
                _core.HistoryTable(
                    [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains],
                    np.ascontiguousarray(table.codes, np.int32),
                    price=node_price(metric, table),
                    spans=span_prices(metric, table, own),
                    sort_by=_sort_by(table),
                    all_stars=_all_stars(table, own),
                    weight=weight,
                )
            )
        return cls(
            tables=made,
            scale=Fraction(sum(cells)) / unit,
            offset=Fraction(offset),
            exact=exact,
            rounding=rounding,
        )


def _sort_by(table: FrequencyTable) -> list[int]:
    """The columns by which rows without an order are sorted: dates, then numbers, then categories."""
    kinds = ("date", "number", "category")
    return sorted(range(len(table.domains)), key=lambda a: kinds.index(table.domains[a].kind))


def _all_stars(table: FrequencyTable, words: Sequence[Vocabulary]) -> bool:
    """Whether all cells of a row can become `*`, which counts as a suppressed row."""
    return all(
        own == "nodes" and domain.hierarchy.labels[-1] == (SUPPRESSED,)
        for own, domain in zip(words, table.domains, strict=True)
    )
