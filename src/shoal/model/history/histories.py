"""The distinct histories of persons: which distinct rows each person has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.table.frequency_table import FrequencyTable

NO_PARENT = -1
"""In place of a position: the row belongs to the person directly."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Histories:
    """Who has which rows: persons with the same rows are one history, with their number.

    The rows of a history are `first[h]` up to `first[h + 1]`. In most releases there is one table and no row
    has a parent; with several tables (patients, stays, prescriptions) the rows of all of them are in one
    history, each row after its parent.

    Parameters
    ----------
    tables
        The distinct rows of each table.
    first
        Where the rows of each history begin; one entry more than there are histories.
    table_of
        For each row of a history the number of its table.
    row_of
        For each row of a history the distinct row of that table.
    parent
        For each row of a history the position, within the history, of the row that it belongs to, or
        `NO_PARENT`.
    counts
        For each history the number of persons who have it.
    values
        For each row of a history the codes of the sensitive columns that models look at, in the order of
        `tables[table].facts.columns`; `None` without models. Persons whose sensitive values differ have
        different histories then.
    ordered
        Whether the rows of a history are in the order of the source. Otherwise they are in an order that
        depends on the rows alone, and equal multisets are equal histories.
    """

    tables: tuple[FrequencyTable, ...]
    first: NDArray[np.int64]
    table_of: NDArray[np.int32]
    row_of: NDArray[np.int32]
    parent: NDArray[np.int32]
    counts: NDArray[np.int64]
    values: NDArray[np.int32] | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        if len(self.first) != len(self.counts) + 1 or int(self.first[-1]) != len(self.row_of):
            raise InternalError("histories and their rows do not match")
        if not len(self.row_of) == len(self.table_of) == len(self.parent):
            raise InternalError("the rows of histories do not match their tables and parents")

    @classmethod
    def of_one_table(
        cls,
        table: FrequencyTable,
        first: NDArray[np.int64],
        row_of: NDArray[np.int32],
        counts: NDArray[np.int64],
        *,
        values: NDArray[np.int32] | None = None,
        ordered: bool = False,
    ) -> Histories:
        """The histories of persons who have rows in one table."""
        return cls(
            tables=(table,),
            first=first,
            table_of=np.zeros(len(row_of), np.int32),
            row_of=row_of,
            parent=np.full(len(row_of), NO_PARENT, np.int32),
            counts=counts,
            values=values,
            ordered=ordered,
        )

    @cached_property
    def persons(self) -> int:
        """The number of persons."""
        return int(self.counts.sum())

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each history."""
        return np.diff(self.first)

    @cached_property
    def history_of(self) -> NDArray[np.int64]:
        """For each row of a history the number of its history."""
        return np.repeat(np.arange(len(self.counts)), self.lengths)

    @cached_property
    def unchanging(self) -> tuple[int, ...]:
        """The columns of a single table that have one value in all rows of each person."""
        (table,) = self.tables
        codes = table.codes[self.row_of]
        same = (codes == codes[self.first[:-1]][self.history_of]).all(axis=0)
        return tuple(np.flatnonzero(same).tolist())

    @cached_property
    def rows(self) -> int:
        """Rows of the source, in all tables together."""
        return int((self.lengths * self.counts).sum())
