"""A few rows of a table."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Preview:
    """Rows as a reader sees them. Private, if the table is: they go into no message, log or report.

    Parameters
    ----------
    columns
        The columns, in order.
    start
        The place of the first row, from 0.
    rows
        The cells of each row as text; `None` for a missing one.
    """

    columns: tuple[str, ...]
    start: int
    rows: tuple[tuple[str | None, ...], ...] = field(repr=False)
