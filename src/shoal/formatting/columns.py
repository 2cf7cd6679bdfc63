"""The table of what became of each column, for a terminal, a log or a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from shoal.formatting.numbers import MISSING, percent

HEAD = ("column", "loss", "values", "labels", "example", "released as")
RIGHT = (False, True, True, True, False, False)
LONGEST = 32
"""Characters of a name or a cell that are shown."""


class Column(Protocol):
    """What the table says of a column; see `ReleasedColumn`."""

    @property
    def name(self) -> str: ...

    @property
    def loss(self) -> float | None: ...

    @property
    def values(self) -> int: ...

    @property
    def labels(self) -> int: ...

    @property
    def value(self) -> str | None: ...

    @property
    def label(self) -> str | None: ...

    @property
    def joined(self) -> bool: ...


def column_rows(columns: Sequence[Column]) -> Iterator[tuple[str, ...]]:
    """The cells of the table, a line per column."""
    for column in columns:
        yield (
            _cut(column.name),
            percent(column.loss),
            f"{column.values:,}",
            f"{column.labels:,}",
            MISSING if column.value is None else _cut(column.value),
            MISSING if column.label is None else _cut(column.label),
        )


def joined_words(columns: Sequence[Column]) -> str | None:
    """A warning about columns that say nothing any more; `None` if there are none."""
    names = [_cut(column.name) for column in columns if column.joined]
    if not names:
        return None
    if len(names) == 1:
        return f"one label for all rows, so the column says nothing any more: {names[0]}"
    return f"one label for all rows, so these columns say nothing any more: {', '.join(names)}"


def as_text(columns: Sequence[Column]) -> list[str]:
    """The table in aligned lines, and the warning."""
    rows = [HEAD, *column_rows(columns)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEAD))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, RIGHT, strict=True)
        ).rstrip()
        for row in rows
    ]
    warning = joined_words(columns)
    return lines if warning is None else [*lines, warning]


def _cut(text: str) -> str:
    """A text in one line, without signs that would move a cursor, and not longer than fits."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return printable if len(printable) <= LONGEST else f"{printable[: LONGEST - 3]}..."
