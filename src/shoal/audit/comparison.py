"""A release beside the table it was made from: is every cell true, and what was lost?

Works on any table, also one that another tool released: only the texts of the cells are read, with the
policy's hierarchies. What is told of the original are names of columns and numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.audit.beside_original import Flags, KeptColumn, ReadColumn
from shoal.audit.losses import Losses, Measured, losses
from shoal.audit.pairing import NOBODY, Beside, paired_by_key, paired_by_order
from shoal.errors import PolicyError
from shoal.model.attribute import Attribute, Role
from shoal.model.coded_cells import CodedCells
from shoal.model.names import hint
from shoal.model.policy import Policy

_LOOKED_AT = 1000
"""Rows without a pair, and candidates for each of them, that are looked at to tell the untrue column."""


class Reads(Protocol):
    """All that a comparison wants of an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def cells(self, source: Any, columns: Sequence[str]) -> CodedCells: ...

    def rows(self, source: Any, columns: Sequence[str]) -> CodedCells: ...


@dataclass(frozen=True, kw_only=True)
class UntrueCells:
    """Cells of one column that do not stand for their original value.

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
    """What a release is beside its original.

    Parameters
    ----------
    matched_by
        How rows were paired: by "key", "position" or "order".
    rows, originals, dropped
        Released rows, original ones, and how many of the latter the release does not have.
    untrue
        Untrue cells, by column.
    unreadable
        Per column how many cells are words that nobody knows: the policy's hierarchy does not have them.
    unpaired, first_unpaired
        Released rows that are true of no original row that is left, and the number, from 1, of the first.
        Where one cell is to blame, it is among `untrue`.
    losses, per_attribute
        Losses by metric, of the release and of each quasi-identifier; `None` where one is not defined.
    absent, added
        Quasi-identifiers that the release does not have, and columns that the original does not have, of
        which nothing is checked.
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
    def failures(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        found = [
            f"{each.cells:,} cell(s) of {each.column!r} do not stand for their original value"
            + ("" if each.first_row is None else f", the first in row {each.first_row:,}")
            for each in self.untrue
        ]
        if self.unpaired:
            where = "" if self.first_unpaired is None else f", the first is row {self.first_unpaired:,}"
            found.append(f"{self.unpaired:,} released row(s) are true of no original row that is left{where}")
        found += [
            f"{each.cells:,} cell(s) of {each.column!r} cannot be read; give its hierarchy"
            for each in self.unreadable
        ]
        if found and self.matched_by != "key":
            found[-1] += f" (rows were paired by {self.matched_by}; if they were shuffled, name a key)"
        if self.untrue:
            found[-1] += "; means are no true values: the manifest of such a release says truthful = false"
        return tuple(found)

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
    """
    source = engine if original_engine is None else original_engine
    names = engine.columns(release)
    originals = source.columns(original)
    _check_columns(policy, names, originals, key)
    common = [name for name in names if name in originals]
    released, ordered = _read(engine, release, common, key)
    held, _ = _read(source, original, common, key)
    beside = _beside(policy, released, held, key)
    pairs, matched_by = _paired(beside, key)
    return _compared(
        policy,
        beside,
        pairs,
        matched_by=matched_by,
        ordered=ordered,
        absent=tuple(each.name for each in policy.quasi_identifiers if each.name not in names),
        added=tuple(name for name in names if name not in originals),
    )


def _check_columns(policy: Policy, names: Sequence[str], originals: Sequence[str], key: str | None) -> None:
    for each in policy.quasi_identifiers:
        if each.name not in originals:
            raise PolicyError(f"the original has no column {each.name!r}.{hint(each.name, originals)}")
    for what, columns in (("release", names), ("original", originals)):
        if key is not None and key not in columns:
            raise PolicyError(f"the {what} has no column {key!r} to be the key.{hint(key, columns)}")
    if key in [each.name for each in policy.quasi_identifiers]:
        raise PolicyError(f"{key!r} is a quasi-identifier, and its cells are labels; name another key")
    if not set(names) & set(originals):
        raise PolicyError("the release and the original have no column in common; are they of one source?")


def _read(engine: Reads, source: Any, columns: Sequence[str], key: str | None) -> tuple[CodedCells, bool]:
    """All rows of a table, and whether they are in its order; with a key they need not be."""
    try:
        return engine.rows(source, columns), True
    except PolicyError:
        if key is None:
            raise
    found = engine.cells(source, columns)
    rows = np.repeat(np.arange(len(found.counts)), found.counts)
    return replace(found, codes=found.codes[rows], counts=np.ones(len(rows), np.int64)), False


def _beside(policy: Policy, released: CodedCells, held: CodedCells, key: str | None) -> Beside:
    labelled = {each.name: each for each in policy.attributes if _has_labels(each)}
    columns: dict[str, KeptColumn | ReadColumn] = {}
    for name in released.columns:
        cells, values = released.texts(name), held.texts(name)
        if name in labelled and name != key:
            rows = np.bincount(held.column(name), minlength=len(values)).astype(np.int64)
            columns[name] = ReadColumn(labelled[name], cells, values, rows)
        else:
            columns[name] = KeptColumn(cells, values)
    quasi = [each.name for each in policy.quasi_identifiers if each.name in released.columns]
    chosen = [released.position(name) for name in quasi]
    silent: Flags = np.zeros(len(released.codes), np.bool_)
    if quasi:
        silent = np.logical_and.reduce(released.stars()[:, chosen], axis=1)
    return Beside(released, held, columns, silent)


def _has_labels(attribute: Attribute) -> bool:
    return attribute.role is Role.QUASI_IDENTIFIER or attribute.hierarchy is not None


def _paired(beside: Beside, key: str | None) -> tuple[NDArray[np.int64], str]:
    if key is not None:
        return paired_by_key(beside, key), "key"
    if len(beside.release.codes) == len(beside.original.codes):
        return np.arange(len(beside.release.codes)), "position"
    pairs = paired_by_order(beside)
    lonely = int((pairs == NOBODY).sum())
    if not lonely:
        return pairs, "order"
    # Something is untrue, whatever the pairs. If labels are to blame, kept cells tell which row is which.
    by_kept = paired_by_order(replace(beside, columns=beside.kept))
    strange = by_kept == NOBODY
    for name in beside.columns:
        strange[_untrue(beside, by_kept, name)] = True
    return (by_kept if int(strange.sum()) <= lonely else pairs), "order"


def _compared(
    policy: Policy,
    beside: Beside,
    pairs: NDArray[np.int64],
    *,
    matched_by: str,
    ordered: bool,
    absent: tuple[str, ...],
    added: tuple[str, ...],
) -> Comparison:
    lonely = np.flatnonzero((pairs == NOBODY) & ~_tells_nothing(beside))
    wrong = {name: _untrue(beside, pairs, name) for name in beside.columns}
    for row in lonely[:_LOOKED_AT].tolist():
        for name in _to_blame(beside, pairs, row):
            wrong[name] = np.append(wrong[name], row)
    quasi = {
        name: column
        for name, column in beside.columns.items()
        if isinstance(column, ReadColumn) and policy.role_of(name) is Role.QUASI_IDENTIFIER
    }
    rows, originals = len(beside.release.codes), len(beside.original.codes)
    total, per_attribute = losses(
        Measured(
            release=beside.release, columns=quasi, silent=beside.silent, originals=originals, policy=policy
        )
    )

    def told(number: int) -> int | None:
        return number + 1 if ordered else None

    return Comparison(
        matched_by=matched_by,
        rows=rows,
        originals=originals,
        dropped=max(0, originals - rows),
        untrue=tuple(
            UntrueCells(column=name, cells=len(found), first_row=told(int(found.min())))
            for name, found in wrong.items()
            if len(found)
        ),
        unreadable=tuple(
            UntrueCells(column=name, cells=cells)
            for name, column in beside.columns.items()
            if isinstance(column, ReadColumn)
            and (cells := int(column.unreadable[beside.release.column(name)].sum()))
        ),
        unpaired=len(lonely),
        first_unpaired=told(int(lonely[0])) if len(lonely) else None,
        losses=total,
        per_attribute=per_attribute,
        absent=absent,
        added=added,
    )


def _tells_nothing(beside: Beside) -> NDArray[np.bool_]:
    """Per released row whether it is suppressed and its other cells are empty: it is true of anybody."""
    found = beside.silent.copy()
    for name, column in beside.columns.items():
        if isinstance(column, KeptColumn):
            found &= column.wild(beside.release.column(name), beside.silent)
    return found


def _untrue(beside: Beside, pairs: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """The released rows whose cell of a column is not true of their pair."""
    rows = np.flatnonzero(pairs != NOBODY)
    return rows[~beside.true(name, rows, pairs[rows])]


def _to_blame(beside: Beside, pairs: NDArray[np.int64], row: int) -> list[str]:
    """The columns in which a row differs from the original row that it is most like.

    Looked at are the rows between the pairs of its neighbours. If none is left there, no column is to blame:
    the row was invented, or stands twice.
    """
    before, after = pairs[:row], pairs[row + 1 :]
    first = int(before.max(initial=NOBODY)) + 1
    later = after[after != NOBODY]
    last = int(later[0]) if len(later) else len(beside.original.codes)
    candidates = np.arange(first, min(last, first + _LOOKED_AT))
    if not len(candidates):
        return []
    one = np.full(len(candidates), row)
    wrong = {name: ~beside.true(name, one, candidates) for name in beside.columns}
    fewest = int(np.argmin(np.sum(list(wrong.values()), axis=0)))
    return [name for name, each in wrong.items() if each[fewest]]
