"""A table with every column on one level, whose cells are then released or suppressed.

On a level a cell has two ways to go: as the level's label, or as `*`. So each column is a hierarchy of height
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.cost import CellMetric
from shoal.errors import InternalError
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.recoding.pieces import Pieces
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

Reading = Literal["value", "wildcard"]
"""What a suppressed cell matches: other suppressed cells, or everything."""

READINGS = get_args(Reading)
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Recoded:
    """A problem's table on a level per column.

    Parameters
    ----------
    problem
        Its cost is a mean over cells.
    levels
        Per attribute its level.
    """

    problem: Problem
    levels: tuple[int, ...]

    @property
    def table(self) -> FrequencyTable:
        """The problem's table."""
        return self.problem.table

    @cached_property
    def parts(self) -> list[NDArray[np.int32]]:
        """Per attribute the part of each code."""
        return [
            np.array(domain.hierarchy.parts[level], np.int32)
            for domain, level in zip(self.table.domains, self.levels, strict=True)
        ]

    @cached_property
    def lifted(self) -> tuple[NDArray[np.int32], Ints, Ints]:
        """The distinct rows on the levels, how many rows each is, and per row of the table its own."""
        codes = np.column_stack([parts[self.table.codes[:, a]] for a, parts in enumerate(self.parts)])
        distinct, of_row = np.unique(codes, axis=0, return_inverse=True)
        of_row = of_row.reshape(len(codes)).astype(np.int64)
        counts = np.bincount(of_row, self.table.counts, len(distinct)).astype(np.int64)
        return np.ascontiguousarray(distinct, np.int32), counts, of_row

    @cached_property
    def units(self) -> tuple[list[Ints], list[int]]:
        """Per attribute the units of each part, and those of a suppressed cell."""
        metric, rows = self.problem.cost, len(self.table.counts)
        if not isinstance(metric, CellMetric):
            raise InternalError("only means over cells price a cell by itself")
        shown = LocalRecoding.from_levels(self.table, np.tile(self.levels, (rows, 1)))
        hidden = LocalRecoding.from_levels(self.table, np.full(self.table.codes.shape, SUPPRESSED_CELL))
        of_part, of_star = [], []
        for attribute, parts in enumerate(self.parts):
            of_value = np.array(metric.cell_units(self.table, shown, attribute), np.int64)
            per_part = np.zeros(int(parts.max()) + 1, np.int64)
            per_part[parts[self.table.codes[:, attribute]]] = of_value[shown.values[:, attribute]]
            of_part.append(per_part)
            of_star.append(int(metric.cell_units(self.table, hidden, attribute)[0]))
        return of_part, of_star

    @cached_property
    def base(self) -> int:
        """Units of the table on its levels, before any cell is suppressed."""
        of_part, _ = self.units
        codes, counts, _ = self.lifted
        return int(sum(units[codes[:, a]] @ counts for a, units in enumerate(of_part)))

    @property
    def added(self) -> list[list[int]]:
        """Per attribute and part, what suppressing a cell adds."""
        of_part, of_star = self.units
        return [(star - units).tolist() for units, star in zip(of_part, of_star, strict=True)]

    def released(self, rows: Ints, patterns: Ints, copies: Ints, *, wildcard: bool) -> LocalRecoding:
        """The recoding that suppresses cells by patterns, one bit per attribute.

        Parameters
        ----------
        rows, patterns, copies
            Per piece its lifted row, what is suppressed in it, and how many of the row's copies it has.
        wildcard
            Whether suppressed cells are read as wildcards.
        """
        pieces, of_piece = self._divided(rows, copies)
        divided = len(of_piece) > len(self.table.counts)
        bits = patterns[of_piece, None] >> np.arange(len(self.levels)) & 1
        levels = np.where(bits == 1, SUPPRESSED_CELL, np.array(self.levels))
        table = pieces.refine(self.table) if divided else self.table
        recoding = LocalRecoding.from_levels(table, levels)
        return replace(recoding, pieces=pieces if divided else None, wildcards=wildcard)

    def _divided(self, rows: Ints, copies: Ints) -> tuple[Pieces, Ints]:
        """The table's rows, dealt out to the pieces of their lifted rows; and per part its piece."""
        _, _, of_row = self.lifted
        order = np.argsort(of_row, kind="stable")
        # Both count the same rows in the order of the lifted ones: a part ends where either does.
        ends_of_rows, ends_of_pieces = np.cumsum(self.table.counts[order]), np.cumsum(copies)
        ends = np.union1d(ends_of_rows, ends_of_pieces)
        of_part = order[np.searchsorted(ends_of_rows, ends)]
        of_piece = np.searchsorted(ends_of_pieces, ends)
        if not np.array_equal(of_row[of_part], rows[of_piece]):
            raise InternalError("the pieces of a recoded table are not those of its rows")
        in_order = np.argsort(of_part, kind="stable")
        counts = np.diff(ends, prepend=0)[in_order]
        return Pieces(of_row=of_part[in_order], counts=counts), of_piece[in_order]


def least_levels(problem: Problem) -> tuple[int, ...]:
    """Per attribute the least level that is allowed."""
    return tuple(least for least, _ in problem.levels) or (0,) * len(problem.table.domains)


def greatest_levels(problem: Problem) -> tuple[int, ...]:
    """Per attribute the greatest level that is allowed."""
    heights = tuple(domain.hierarchy.height for domain in problem.table.domains)
    return tuple(greatest for _, greatest in problem.levels) or heights


def neighbours(levels: Sequence[int], low: Sequence[int], high: Sequence[int]) -> list[tuple[int, ...]]:
    """The levels one step away, within what is allowed."""
    return [
        (*levels[:attribute], level + step, *levels[attribute + 1 :])
        for attribute, level in enumerate(levels)
        for step in (1, -1)
        if low[attribute] <= level + step <= high[attribute]
    ]
