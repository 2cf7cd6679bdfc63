"""The table of what became of each column: coloured on a terminal, plain elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shoal.cli.console import say
from shoal.formatting.columns import HEAD, RIGHT, as_text, column_rows, joined_words
from shoal.model.result.released_column import ReleasedColumn


def show_columns(columns: Sequence[ReleasedColumn]) -> None:
    """Show the table, and a warning if columns have one label for all rows.

    Parameters
    ----------
    columns
        The quasi-identifiers of a release.
    """
    if not sys.stderr.isatty():
        for line in as_text(columns):
            say(line)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False)
    for heading, right in zip(HEAD, RIGHT, strict=True):
        shown.add_column(heading, justify="right" if right else "left", no_wrap=True, overflow="ellipsis")
    for column, row in zip(columns, column_rows(columns), strict=True):
        shown.add_row(*(Text(cell) for cell in row), style="yellow" if column.joined else None)
    console = Console(stderr=True, markup=False, highlight=False)
    console.print(shown)
    warning = joined_words(columns)
    if warning is not None:
        console.print(warning, style="yellow")
