"""How much a column adds to what others reveal: a column can be harmless alone and not in combination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

MUCH = 0.25
"""A column that makes this share of the rows unique, together with the quasi-identifiers, adds much."""
FEWEST_ROWS = 20


def adds(column: str, others: Sequence[str], texts: Mapping[str, tuple[str | None, ...]]) -> float:
    """The share of rows that are unique in the others and the column together, and not in the others alone.

    Parameters
    ----------
    column
        The column.
    others
        The columns that are known, without it.
    texts
        Column -> its cells in some rows, the same rows for each.
    """
    rows = len(texts.get(column, ()))
    if rows < FEWEST_ROWS or not others:
        return 0.0
    known = list(zip(*(texts[name] for name in others), strict=True))
    more = list(zip(known, texts[column], strict=True))
    return (_unique(more) - _unique(known)) / rows


def _unique(rows: Sequence[object]) -> int:
    return sum(count == 1 for count in Counter(rows).values())
