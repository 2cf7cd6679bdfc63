"""Compares a release with the table it was made from: is every cell true, and what was lost?

Works on any table, also one that another tool released: only the texts of the cells are read, with the
policy's hierarchies. Of the original, only names of columns and numbers are reported.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import KeptColumn, ReadColumn
from shoal.auditor.original.losses import CELL_METRICS, Losses, Measured, losses
from shoal.auditor.original.paired_rows import PairedRows, Reads, paired_rows, untrue_rows
from shoal.auditor.original.pairing import NOBODY, TablePair
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets

_MOST_EXAMINED = 1000
"""Rows without a pair, and candidates for each of them, that are examined to find the untrue column."""


@dataclass(frozen=True, kw_only=True)
class UntrueCells:
    """Cells of one column that do not cover their original value.

    Parameters
    ----------
    column
        The column.
    cells
        How many.
    first_row
        The number, from 1, of the first released row that has one; `None` where rows have no order.
    """

    column: str
    cells: int
    first_row: int | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A release compared with its original.

    Parameters
    ----------
    matched_by
        How rows were paired: by "key", "position" or "order".
    rows, originals, dropped
        Released rows, original ones, and how many of the latter the release does not have.
    untrue
        Untrue cells, by column.
    unreadable
        Per column how many cells are unknown words: the policy's hierarchy does not have them.
    unpaired, first_unpaired
        Released rows that are true of no original row that is left, and the number, from 1, of the first.
        Where one cell is to blame, it is among `untrue`.
    losses, per_attribute
        Losses by metric, of the release and of each quasi-identifier; `None` where one is not defined.
    absent, added
        Quasi-identifiers that the release does not have, and columns that the original does not have;
        neither are checked.
    """

    matched_by: str
    rows: int
    originals: int
    dropped: int
    untrue: tuple[UntrueCells, ...] = ()
    unreadable: tuple[UntrueCells, ...] = ()
    unpaired: int = 0
    first_unpaired: int | None = None
    losses: Losses = field(default_factory=dict)
    per_attribute: dict[str, Losses] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def untrue_cells(self) -> int:
        """All untrue cells."""
        return sum(each.cells for each in self.untrue)

    @property
    def holds(self) -> bool:
        """Whether every cell can be read and is true, and every row has an original one."""
        return not (self.untrue or self.unreadable or self.unpaired)

    @property
    def sound_losses(self) -> Losses:
        """Losses by metric; without those of cells where some are untrue: a false value loses no detail."""
        return {
            metric: loss
            for metric, loss in self.losses.items()
            if self.holds or metric == "suppressed-cells" or metric not in CELL_METRICS
        }

    @property
    def are_cells_alone(self) -> bool:
        """Whether nothing is wrong but untrue cells: all can be read, and every row has an original one."""
        return not (self.unreadable or self.unpaired)

    @property
    def failures(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        failures = [
            f"{each.cells:,} cell(s) of {each.column!r} do not cover their original value"
            + ("" if each.first_row is None else f", the first in row {each.first_row:,}")
            for each in self.untrue
        ]
        if self.unpaired:
            where = "" if self.first_unpaired is None else f", the first is row {self.first_unpaired:,}"
            failures.append(
                f"{self.unpaired:,} released row(s) are true of no original row that is left{where}"
            )
        failures += [
            f"{each.cells:,} cell(s) of {each.column!r} cannot be read; give its hierarchy, and for short "
            "labels of sets the manifest"
            for each in self.unreadable
        ]
        if failures and self.matched_by != "key":
            failures[-1] += f" (rows were paired by {self.matched_by}; if they were shuffled, name a key)"
        if self.untrue:
            failures[-1] += "; if values were replaced by means, the manifest says truthful = false"
        return tuple(failures)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "matched_by": self.matched_by,
            "rows": self.rows,
            "originals": self.originals,
            "dropped": self.dropped,
            "untrue_cells": self.untrue_cells,
            "untrue": [
                {"column": each.column, "cells": each.cells, "first_row": each.first_row}
                for each in self.untrue
            ],
            "unreadable": [{"column": each.column, "cells": each.cells} for each in self.unreadable],
            "unpaired": {"rows": self.unpaired, "first_row": self.first_unpaired},
            "absent": list(self.absent),
            "added": list(self.added),
            "losses": self.losses,
            "per_attribute": self.per_attribute,
            "holds": self.holds,
        }


def comparison(
    engine: Reads,
    release: Any,
    original: Any,
    policy: Policy,
    *,
    key: str | None = None,
    original_engine: Reads | None = None,
    sets: ListedSets = NOT_LISTED,
    treated: Collection[str] = (),
    shuffled: bool = False,
) -> Comparison:
    """Compare a release with its original, cell by cell.

    Parameters
    ----------
    engine, original_engine
        Where to read the release and the original; the same engine when only one is given.
    release, original
        The tables.
    policy
        Which columns are quasi-identifiers, their hierarchies and weights.
    key
        A column of both tables that is different in every row. Without it rows are paired by position, or,
        if the release has fewer, by order; a table whose rows have no order needs it.
    sets
        What the short labels of the release represent, as its manifest says.
    treated, shuffled
        Columns that were treated and are not compared here, and whether the rows are in another order.
    """
    paired = paired_rows(
        engine,
        release,
        original,
        policy,
        key=key,
        original_engine=original_engine,
        sets=sets,
        treated=treated,
        shuffled=shuffled,
    )
    return compared(policy, paired)


def compared(policy: Policy, paired: PairedRows) -> Comparison:
    """The comparison of tables whose rows are paired already."""
    tables, pairs = paired.tables, paired.pairs
    lonely = np.flatnonzero((pairs == NOBODY) & ~_silent_rows(tables))
    wrong = {name: untrue_rows(tables, pairs, name) for name in tables.columns}
    # A row whose key no original row has is reported only as that.
    for row in lonely[:_MOST_EXAMINED].tolist() if paired.matched_by == "order" else ():
        for name in _to_blame(tables, pairs, row):
            wrong[name] = np.append(wrong[name], row)
    quasi = {
        name: column
        for name, column in tables.columns.items()
        if isinstance(column, ReadColumn) and policy.role_of(name) is Role.QUASI_IDENTIFIER
    }
    rows, originals = len(tables.release.codes), len(tables.original.codes)
    total, per_attribute = losses(
        Measured(
            release=tables.release, columns=quasi, silent=tables.silent, originals=originals, policy=policy
        )
    )

    def shown(number: int) -> int | None:
        return number + 1 if paired.ordered else None

    return Comparison(
        matched_by=paired.matched_by,
        rows=rows,
        originals=originals,
        dropped=max(0, originals - rows),
        untrue=tuple(
            UntrueCells(column=name, cells=len(rows_of), first_row=shown(int(rows_of.min())))
            for name, rows_of in wrong.items()
            if len(rows_of)
        ),
        unreadable=tuple(
            UntrueCells(column=name, cells=cells)
            for name, column in tables.columns.items()
            if isinstance(column, ReadColumn)
            and (cells := int(column.unreadable[tables.release.column(name)].sum()))
        ),
        unpaired=len(lonely),
        first_unpaired=shown(int(lonely[0])) if len(lonely) else None,
        losses=total,
        per_attribute=per_attribute,
        absent=paired.absent,
        added=paired.added,
    )


def _silent_rows(tables: TablePair) -> NDArray[np.bool_]:
    """Per released row whether it is suppressed and its other cells are empty: it is true of anybody."""
    silent = tables.silent.copy()
    for name, column in tables.columns.items():
        if isinstance(column, KeptColumn):
            silent &= column.wild(tables.release.column(name), tables.silent)
    return silent


def _to_blame(tables: TablePair, pairs: NDArray[np.int64], row: int) -> list[str]:
    """The columns in which a row differs from the most similar original row.

    Only rows between the pairs of its neighbours are compared. If none is left there, no column is to blame:
    the row was invented, or occurs twice.
    """
    before, after = pairs[:row], pairs[row + 1 :]
    first = int(before.max(initial=NOBODY)) + 1
    later = after[after != NOBODY]
    last = int(later[0]) if len(later) else len(tables.original.codes)
    candidates = np.arange(first, min(last, first + _MOST_EXAMINED))
    if not len(candidates):
        return []
    one = np.full(len(candidates), row)
    wrong = {name: ~tables.true(name, one, candidates) for name in tables.columns}
    fewest = int(np.argmin(np.sum(list(wrong.values()), axis=0)))
    return [name for name, each in wrong.items() if each[fewest]]
