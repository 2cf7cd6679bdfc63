"""What each row of each person is released as, by the places that a search gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cells._cells import vocabulary
from shoal.cost import CellMetric
from shoal.model.history.histories import NO_PARENT, Histories
from shoal.model.history.placement import SUPPRESSED_ROW, Placement
from shoal.model.recoding.groups import Groups, groups, released_codes
from shoal.model.recoding.history_recoding import HistoryRecoding, PlacedTable
from shoal.model.result.result import Cost
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.frequency_table import FrequencyTable

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecodedTable:
    """One of the tables, recoded row by row: rows that are equal and have one place are released alike.

    Parameters
    ----------
    table
        Its distinct rows by place.
    recoding
        Their released values; a row that is not released has suppressed cells.
    rows
        The rows of histories that are of this table.
    line_of
        For each row of a history the line of `table`; -1 for a row of another table.
    """

    table: FrequencyTable
    recoding: HistoryRecoding
    rows: Ints
    line_of: Ints

    @cached_property
    def groups(self) -> Groups:
        """Rows that are released alike; none is too few, since k is demanded of persons."""
        return groups(self.table, self.recoding, 1)

    @cached_property
    def released_codes(self) -> tuple[frozenset[int], ...]:
        """For each attribute the codes that the manifest may name."""
        return released_codes(self.table, self.groups, self.recoding)

    @cached_property
    def labels(self) -> tuple[tuple[str | None, ...], ...]:
        """For each attribute the label of each released value."""
        return tuple(
            self.recoding.labels(attribute, domain, codes)
            for attribute, (domain, codes) in enumerate(
                zip(self.table.domains, self.released_codes, strict=True)
            )
        )

    @property
    def stars(self) -> Flags:
        """For each of the rows whether every cell would read `*`."""
        flags = np.ones(len(self.table.counts), np.bool_)
        for attribute, labels in enumerate(self.labels):
            star = np.array([label == SUPPRESSED for label in labels], np.bool_)
            flags &= star[self.recoding.values[:, attribute]]
        return flags[self.line_of[self.rows]]

    def cost(self, metric: CellMetric) -> Cost:
        """What the cells of this table lose, by the metric's definition."""
        return metric.of_groups(self.table, self.recoding, self.groups)


@dataclass(frozen=True, kw_only=True, eq=False)
class RecodedTables:
    """All tables, and which rows of histories are released."""

    histories: Histories
    tables: tuple[RecodedTable, ...]
    kept: Flags

    @property
    def suppressed(self) -> int:
        """Rows of the source that are not released."""
        return int(self.histories.counts[self.histories.history_of[~self.kept]].sum())

    def suppressed_of(self, number: int) -> int:
        """The same for one table."""
        hidden = ~self.kept & (self.histories.table_of == number)
        return int(self.histories.counts[self.histories.history_of[hidden]].sum())

    def cost(self, metrics: Sequence[CellMetric]) -> Fraction:
        """The mean over all cells of all tables of what a cell loses."""
        lost, cells = Fraction(0), 0
        for each, metric in zip(self.tables, metrics, strict=True):
            size = each.table.rows * len(each.table.domains)
            lost += Fraction(each.cost(metric)) * size
            cells += size
        return lost / cells


def recode_tables(histories: Histories, placement: Placement, values: str = "given") -> RecodedTables:
    """The released values of all rows by their places.

    A row whose parent is not released is not released either; nor is one that reads `*` throughout, unless
    released rows belong to it.

    Parameters
    ----------
    histories, placement
        The persons, and where the search placed their rows.
    values
        What the values of a place are released as, as algorithms name it.
    """
    above = parents(histories)
    kept = placement.place_of != SUPPRESSED_ROW
    while True:
        for number in range(len(histories.tables)):
            rows = np.flatnonzero((histories.table_of == number) & (above != NO_PARENT))
            kept[rows] &= kept[above[rows]]
        made = RecodedTables(
            histories=histories,
            tables=tuple(
                _recoded(histories, placement, kept, at, values) for at in range(len(histories.tables))
            ),
            kept=kept,
        )
        silent = _silent(made, above)
        if not silent.any():
            return made
        kept = kept & ~silent


def _silent(made: RecodedTables, above: Ints) -> Flags:
    """The rows that would be released, read `*` throughout, and have no released row below them."""
    silent = np.zeros(len(made.kept), np.bool_)
    speaks = np.zeros(len(made.kept), np.bool_)  # has a row below it that stays
    for number in reversed(range(len(made.tables))):
        each = made.tables[number]
        silent[each.rows] = made.kept[each.rows] & each.stars & ~speaks[each.rows]
        stays = each.rows[made.kept[each.rows] & ~silent[each.rows]]
        speaks[above[stays][above[stays] != NO_PARENT]] = True
    return silent


def _recoded(
    histories: Histories, placement: Placement, kept: Flags, number: int, values: str
) -> RecodedTable:
    own = replace(placement, place_of=np.where(kept, placement.place_of, SUPPRESSED_ROW))
    placed = PlacedTable.of(histories, own, number)
    levels = None if placement.levels is None else placement.levels[number]
    return RecodedTable(
        table=placed.table,
        recoding=placed.recoding(vocabulary(placed.table.domains, values), levels),
        rows=np.flatnonzero(histories.table_of == number),
        line_of=placed.line_of,
    )


def parents(histories: Histories) -> Ints:
    """For each row of a history the row that it belongs to, among the rows of all histories."""
    above = histories.parent.astype(np.int64)
    return np.where(above == NO_PARENT, NO_PARENT, above + histories.first[histories.history_of])
