"""Some rows of a table, and what a release made of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """Rows of a table beside the released ones. Private: they go into no message, log or report.

    Parameters
    ----------
    columns
        The columns of the original, then those that only the release has.
    dropped, added
        Those of them that only the original has, and only the release.
    start
        The place of the first row, from 0.
    before, after
        Per row its cells as text, one per column, `None` for a missing one and where a table has no such
        column. Of a row that was left out, `None` in place of the cells.
    marked
        Per row the places, from 0, of columns whose cell was changed.
    certain
        Per row whether no other pairing of the rows in their order says anything else of it. No row is, if
        the tables turn out to be in different orders.
    originals, released, unpaired
        Rows of the original, rows of the release, and how many of the latter are true of no original row.
    matched_by
        How rows were paired: by "position", where both tables have as many, or by "order".
    uncertain
        How many rows of the whole table are not certain.
    changed
        Per column that both tables have, how many released cells of the whole table differ.
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
