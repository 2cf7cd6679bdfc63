"""What the cells of one written column may represent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class WrittenColumn:
    """The distinct cells of a column, in rows that are not suppressed as a whole.

    Parameters
    ----------
    column
        Its name.
    meanings
        For each distinct cell the codes of the domain that it may represent.
    unreadable
        Distinct cells that neither the domain nor its hierarchy contains.
    suppressed
        Whether some cell is suppressed, that is, reads `*`.
    """

    column: str
    meanings: frozenset[tuple[int, ...]]
    unreadable: int
    suppressed: bool
