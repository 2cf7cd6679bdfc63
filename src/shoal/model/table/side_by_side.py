"""Some rows of a table, and the released row for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """Rows of a table next to the released ones. Private: they go into no message, log or report.

    Parameters
    ----------
    columns
        The columns of the original, then those that only the release has.
    dropped, added
        The columns that only the original has, and those that only the release has.
    start
        The place of the first row, from 0.
    before, after
        The cells of each row as text, one per column; `None` for a missing cell and where a table lacks the
        column. For a row that was left out, `None` in place of the cells.
    marked
        For each row the places, from 0, of the columns where the cell changed.
    certain
        For each row whether every pairing of the rows in their order agrees on it. No row is certain if the
        tables turn out to be in different orders.
    originals, released, unpaired
        Rows of the original, rows of the release, and the number of released rows that are true of no
        original row.
    matched_by
        How rows were paired: by "position", where both tables have the same number of rows, or by "order".
    uncertain
        How many rows of the whole table are not certain.
    changed
        For each column of both tables, the number of released cells of the whole table that differ.
    """

    columns: tuple[str, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    start: int
    before: tuple[Row, ...] = field(repr=False)
    after: tuple[Row | None, ...] = field(repr=False)
    marked: tuple[frozenset[int], ...] = field(repr=False)
    certain: tuple[bool, ...] = field(repr=False)
    originals: int
    released: int
    unpaired: int
    matched_by: str
    uncertain: int
    changed: Mapping[str, int]
