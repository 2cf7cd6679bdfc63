"""Whose rows released ones are: to measure an attacker, not to attack.

Persons are paired where the release keeps their marks, or by the rows: at the same place where both tables
have as many, else in their order. A pairing counts only if every row that it was tried on is true of its
person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._linked import common_codes
from shoal.auditor.attacks.candidates import Candidates
from shoal.auditor.original.pairing import NOBODY, earliest_pairs
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import SUPPRESSED

PairedBy = Literal["mark", "position", "order"]

MOST_IN_ORDER = 500_000
"""Rows of the original up to which rows are paired in order, which takes them one by one."""


NO_MARK = (None, "", SUPPRESSED)


@dataclass(frozen=True, kw_only=True, eq=False)
class EventRows:
    """The rows of a table as events of persons.

    Parameters
    ----------
    cells
        The rows one by one.
    lines
        For each row its line among the candidates' lines or people.
    owners
        For each row its person, numbered from 0; in a release without a column of persons each row is one.
    marks
        For each person the text that marks their rows, `None` if nothing does; empty without such a column.
    in_order
        Whether the rows are in the order of the table.
    """

    cells: CodedCells
    lines: NDArray[np.int64]
    owners: NDArray[np.int64]
    marks: tuple[str | None, ...] = ()
    in_order: bool = True

    @property
    def persons(self) -> int:
        """The number of persons."""
        return int(self.owners.max(initial=-1)) + 1

    @cached_property
    def _by_owner(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.owners, kind="stable")
        return order, np.searchsorted(self.owners[order], np.arange(self.persons + 1))

    def lines_of(self, person: int) -> NDArray[np.int64]:
        """The lines of a person's rows, in the order of the rows."""
        order, bounds = self._by_owner
        return self.lines[order[bounds[person] : bounds[person + 1]]]


def owners_of(cells: CodedCells, column: str) -> tuple[NDArray[np.int64], tuple[str | None, ...]]:
    """For each row the number of its person, and their marks; a row without a mark is a person of its own."""
    texts = cells.texts(column)
    number: dict[str, int] = {}
    of_text = [NOBODY if text in NO_MARK else number.setdefault(str(text), len(number)) for text in texts]
    every = np.array(of_text, np.int64)[cells.column(column)]
    unmarked = every == NOBODY
    every[unmarked] = len(number) + np.arange(int(unmarked.sum()))
    used, owners = np.unique(every, return_inverse=True)
    names: list[str | None] = [*number, *[None] * int(unmarked.sum())]
    return owners.reshape(-1).astype(np.int64), tuple(names[place] for place in used.tolist())


def by_mark(released: EventRows, original: EventRows) -> NDArray[np.int64] | None:
    """For each released person the original one with the same mark; `None` if some marks are not there."""
    mine, theirs = common_codes(released.marks, original.marks)
    person = {mark: place for place, mark in enumerate(theirs.tolist())}
    marked = np.array([mark is not None for mark in released.marks], np.bool_)
    if any(mark not in person for mark in mine[marked].tolist()):
        return None
    found = np.array([person.get(mark, NOBODY) for mark in mine.tolist()], np.int64)
    return np.where(marked, found, NOBODY)


def row_pairs(
    candidates: Candidates, released: EventRows, original: EventRows, columns: tuple[str, ...]
) -> tuple[NDArray[np.int64], PairedBy] | None:
    """For each released row its original row, `NOBODY` where that is not certain; `None` without pairs.

    Parameters
    ----------
    candidates
        Which released line may be which event.
    released, original
        The rows of both tables.
    columns
        Columns of both whose cells may be compared as well: those that the release kept.
    """
    if not (released.in_order and original.in_order):
        return None
    rows, originals = len(released.lines), len(original.lines)
    if rows == originals:
        if not candidates.may_be(released.lines, original.lines).all():
            return None
        return np.arange(rows), "position"
    if rows > originals or originals > MOST_IN_ORDER:
        return None
    for names in (columns, ()):
        pairs = _in_order(candidates, released, original, names)
        if pairs is not None:
            return pairs, "order"
    return None


def _in_order(
    candidates: Candidates, released: EventRows, original: EventRows, columns: tuple[str, ...]
) -> NDArray[np.int64] | None:
    """The pairs on which the earliest and the latest pairing agree; `None` if there is none of all rows."""
    same_released, same_original = _kept(released.cells, original.cells, columns)
    lines, events = released.lines.tolist(), original.lines.tolist()
    known: dict[tuple[int, int], bool] = {}

    def is_pair(row: int, event: int) -> bool:
        if same_released[row] != same_original[event]:
            return False
        pair = lines[row], events[event]
        if pair not in known:
            known[pair] = bool(candidates.may_be(np.array([pair[0]]), np.array([pair[1]]))[0])
        return known[pair]

    rows, originals = len(lines), len(events)
    earliest = earliest_pairs(is_pair, rows, originals, all_or_none=True)
    if (earliest == NOBODY).any():
        return None
    backward = earliest_pairs(
        lambda row, event: is_pair(rows - 1 - row, originals - 1 - event), rows, originals
    )
    latest = originals - 1 - backward[::-1]
    return np.where(earliest == latest, earliest, NOBODY)


def _kept(one: CodedCells, two: CodedCells, columns: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """For each row of two tables a number, the same for rows with equal cells in some columns."""
    if not columns:
        return [0] * len(one.codes), [0] * len(two.codes)
    parts = []
    for name in columns:
        mine, theirs = common_codes(one.texts(name), two.texts(name))
        parts.append(np.concatenate([mine[one.column(name)], theirs[two.column(name)]]))
    numbers = distinct_codes(np.column_stack(parts).astype(np.int32))[1].tolist()
    return numbers[: len(one.codes)], numbers[len(one.codes) :]


def by_rows(pairs: NDArray[np.int64], released: EventRows, original: EventRows) -> NDArray[np.int64] | None:
    """For each released person the original one whose rows are paired with theirs; `NOBODY` if none is.

    `None` if rows of one person are paired with rows of two.
    """
    sure = pairs != NOBODY
    mine, theirs = released.owners[sure], original.owners[pairs[sure]]
    person = np.full(released.persons, NOBODY, np.int64)
    person[mine] = theirs
    paired = person[person != NOBODY]
    one_each = bool((person[mine] == theirs).all()) and len(np.unique(paired)) == len(paired)
    return person if one_each else None


def some_rows(rows: EventRows, chosen: NDArray[np.bool_]) -> EventRows:
    """Some of the rows; persons keep their numbers."""
    return replace(rows, cells=rows.cells.lines(chosen), lines=rows.lines[chosen], owners=rows.owners[chosen])
