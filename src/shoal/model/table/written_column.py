"""What the cells of one written column may stand for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class WrittenColumn:
    """The distinct cells of a column, in rows that are not suppressed as a whole.

    Parameters
    ----------
    column
        Its name.
    told
        Per distinct cell the codes of the domain that it may stand for.
    strange
        Distinct cells that are nothing which the domain or its hierarchy knows.
    suppressed
        Whether some cell is suppressed: reads `*`.
    """

    column: str
    told: frozenset[tuple[int, ...]]
    strange: int
    suppressed: bool
