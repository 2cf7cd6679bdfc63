"""Which original row a released row was made from, where the release does not say so.

By a key that both tables have; by position where both have as many rows; else by order: rows that were left
out leave the others in their order, so the released rows must be a subsequence of the original ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import Flags, KeptColumn, ReadColumn
from shoal.errors import PolicyError
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import SUPPRESSED

NOBODY = -1
_STEPS = 5
"""Tries per row after which pairing by order stops: the tables do not have the same order."""


@dataclass(frozen=True, eq=False)
class TablePair:
    """The rows of a release and of the original, and the columns that both have.

    Parameters
    ----------
    release, original
        The rows.
    columns
        Per column that both have, how its cells are compared.
    silent
        Per released row whether it is suppressed: all its quasi-identifiers read `*`.
    """

    release: CodedCells
    original: CodedCells
    columns: dict[str, KeptColumn | ReadColumn]
    silent: Flags

    @property
    def kept(self) -> dict[str, KeptColumn | ReadColumn]:
        """The columns that the release must keep unchanged."""
        return {name: column for name, column in self.columns.items() if isinstance(column, KeptColumn)}

    def true(self, name: str, released: NDArray[np.int64], originals: NDArray[np.int64]) -> Flags:
        """Per pair of rows whether the cell of a column is true."""
        return self.columns[name].true(
            self.release.column(name)[released], self.original.column(name)[originals], self.silent[released]
        )


def paired_by_key(tables: TablePair, key: str) -> NDArray[np.int64]:
    """Per released row the original row with the same key; `NOBODY` if there is none."""
    column = tables.columns[key]
    assert isinstance(column, KeptColumn)
    originals = column.of_value[tables.original.column(key)]
    # As long as the list of texts: some, and the missing one, may occur in no row.
    row_of = np.full(len(column.of_value), NOBODY, np.int64)
    row_of[originals] = np.arange(len(originals))
    _check_unique(originals, key, "original")
    texts = tables.release.texts(key)
    blank = np.array([text is None or text == SUPPRESSED for text in texts], np.bool_)
    codes = tables.release.column(key)
    released = np.where(blank[codes] & tables.silent, NOBODY, column.of_cell[codes])
    _check_unique(released[released != NOBODY], key, "release")
    return np.where(released == NOBODY, NOBODY, row_of[released])


def _check_unique(keys: NDArray[np.int64], key: str, which: str) -> None:
    twice = len(keys) - len(np.unique(keys))
    if twice:
        raise PolicyError(
            f"column {key!r} does not distinguish the rows of the {which} table: {twice:,} of {len(keys):,} "
            "rows have the key of another row; name a column that is different in every row, or none, and "
            "rows are paired in their order"
        )


def paired_by_order(tables: TablePair) -> NDArray[np.int64]:
    """Per released row the earliest original row that it is true of, after the match of the row before."""
    return earliest_pairs(_PairTest(tables), len(tables.release.codes), len(tables.original.codes))


def earliest_pairs(
    is_pair: Callable[[int, int], bool], released: int, originals: int, *, all_or_none: bool = False
) -> NDArray[np.int64]:
    """Per released row the earliest original row that is its pair, after the match of the row before.

    If any pairing in order exists, this finds one, whatever "is a pair" means: by induction the earliest
    choice for a row is never later than its row in that pairing, which therefore is still open to it. A row
    that finds no partner before those that the rows after it need is `NOBODY`'s, and the next row is looked
    for from the same place.

    Parameters
    ----------
    is_pair
        Whether a released row may be an original one.
    released, originals
        How many rows there are.
    all_or_none
        Whether to stop at the first row without a pair.
    """
    spare = originals - released
    pairs = np.full(released, NOBODY, np.int64)
    tries = _STEPS * (released + originals) + 1_000_000
    at = 0
    for row in range(released):
        last = min(max(row + spare, at), originals - 1)
        here = at
        while here <= last and not is_pair(row, here):
            here += 1
        tries -= here - at + 1
        if here <= last:
            pairs[row], at = here, here + 1
        if tries < 0 or (all_or_none and here > last):
            break
    return pairs


class _PairTest:
    """Whether a released row is true of an original one; rows with equal cells are compared once."""

    def __init__(self, tables: TablePair) -> None:
        kept = {name: column for name, column in tables.columns.items() if isinstance(column, KeptColumn)}
        read = {name: column for name, column in tables.columns.items() if isinstance(column, ReadColumn)}
        self._tables = tables
        self._kept = list(kept)
        self._columns = list(read.values())
        rows = np.arange(len(tables.release.codes))
        wild = np.zeros(len(rows), np.bool_)
        for name, column in kept.items():
            wild |= column.wild(tables.release.column(name), tables.silent)
        self._wild: list[bool] = wild.tolist()
        # Kept cells are compared by numbers that both tables share; all of a row become one number.
        released = [column.of_cell[tables.release.column(name)] for name, column in kept.items()]
        originals = [column.of_value[tables.original.column(name)] for name, column in kept.items()]
        none = np.zeros(len(rows) + len(tables.original.codes), np.int64)
        joined = [np.concatenate(pair) for pair in zip(released, originals, strict=True)]
        both = np.column_stack([none, *joined])
        same = distinct_codes((both + 1).astype(np.int32))[1]
        self._same_released: list[int] = same[: len(rows)].tolist()
        self._same_original: list[int] = same[len(rows) :].tolist()
        self._labels, self._of_released = _lines(tables.release, list(read))
        self._values, self._of_original = _lines(tables.original, list(read))
        self._known: dict[tuple[int, int], bool] = {}

    def __call__(self, row: int, original: int) -> bool:
        if self._same_released[row] != self._same_original[original] and not (
            self._wild[row] and self._kept_are_true(row, original)
        ):
            return False
        pair = self._of_released[row], self._of_original[original]
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = all(
                column.is_true(cell, value)
                for column, cell, value in zip(
                    self._columns, self._labels[pair[0]], self._values[pair[1]], strict=True
                )
            )
        return known

    def _kept_are_true(self, row: int, original: int) -> bool:
        one, other = np.array([row]), np.array([original])
        return all(bool(self._tables.true(name, one, other)[0]) for name in self._kept)


def _lines(table: CodedCells, names: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """The distinct rows of some columns, and which of them each row is."""
    if not names:
        return [[]], [0] * len(table.codes)
    distinct, of_row = distinct_codes(table.codes[:, [table.position(name) for name in names]])
    return distinct.tolist(), of_row.tolist()
