"""A row-by-row release as somebody sees it who takes every label to be as fine as k allows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks.certain import Groups as Attacked
from shoal.auditor.attacks.certain import Rows
from shoal.auditor.attacks.refinement import Refinement, refinement
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.hardening.coarser import Margin
from shoal.pipeline.hardening.released_columns import Released, ReleasedColumn


def is_row_by_row(recoding: Recoding | None) -> bool:
    """Whether labels were chosen for groups of rows, so that a label says something about its group."""
    if isinstance(recoding, DistributedRecoding):
        return False  # the rows stay in the engine
    return isinstance(recoding, LocalRecoding) and not recoding.wildcards and not recoding.keeps_small_groups


class Attackable:
    """A row-by-row recoding of a table, as the attack on minimal releases sees it.

    Parameters
    ----------
    problem, recoding
        What was solved, and how.
    """

    def __init__(self, problem: Problem, recoding: LocalRecoding) -> None:
        self.table: FrequencyTable = recoding.refined(problem.table)
        self.recoding = recoding
        self.made: Groups = groups(problem.table, recoding, problem.k, problem.sets, problem.group_models)
        visible = np.zeros(len(self.made.sizes), np.bool_)
        for place, nodes in enumerate(recoding.nodes):
            visible |= np.array([each is not None for each in nodes], np.bool_)[self.made.values[:, place]]
        self.lines: NDArray[np.int64] = np.flatnonzero(visible & self.made.kept & (self.made.sizes > 0))
        """The groups that are released and show anything."""
        self.groups = Attacked(self.made.values[self.lines], self.made.sizes[self.lines], problem.k)
        self.columns = {
            place: ReleasedColumn(domain, recoding.nodes[place])
            for place, domain in enumerate(self.table.domains)
        }
        self.values: dict[int, Rows] = {
            place: dict(enumerate(self.table.margin(place).tolist()))
            for place in range(len(self.table.domains))
        }
        order = np.argsort(self.made.of_row, kind="stable")
        bounds = np.searchsorted(self.made.of_row[order], np.arange(len(self.made.sizes) + 1))
        self._rows = order
        self._bounds: list[int] = bounds.tolist()

    def truth(self, group: int, place: int) -> Rows:
        """The rows of each value of a group in a column, by code."""
        line = int(self.lines[group])
        rows = self._rows[self._bounds[line] : self._bounds[line + 1]]
        codes, of_row = np.unique(self.table.codes[rows, place], return_inverse=True)
        counts = np.bincount(of_row, self.table.counts[rows], len(codes)).astype(np.int64)
        return dict(zip(codes.tolist(), counts.tolist(), strict=True))

    def codes(self, group: int) -> list[int]:
        """The numbers of a group's released values."""
        return [int(code) for code in self.made.values[self.lines[group]]]

    def label(self, group: int, place: int) -> int:
        """The number of a group's released value in a column."""
        return self.groups.label(group, place)

    def line(self, group: int) -> tuple[Released, ...]:
        """The released values of a group."""
        return tuple(self.recoding.nodes[place][code] for place, code in enumerate(self.codes(group)))

    def rows_between(self, place: int) -> Margin:
        """Counts the rows of the table whose codes in a column are in a range."""
        sums = self._sums[place]
        return lambda first, last: int(sums[last] - sums[first])

    @cached_property
    def _sums(self) -> list[NDArray[np.int64]]:
        return [
            np.concatenate(([0], np.cumsum(self.table.margin(place))))
            for place in range(len(self.table.domains))
        ]

    def refinement(self, on_group: Callable[[], None] | None = None) -> Refinement:
        """What the attack writes finer, and how much of that is right.

        Parameters
        ----------
        on_group
            Called before each group; what it raises ends the attack.
        """
        return refinement(self.groups, self.columns, self.truth, self.values, on_group)
