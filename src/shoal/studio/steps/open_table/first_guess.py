"""What the first rows of a table show while all of it is read: its columns, and their likely roles."""

from __future__ import annotations

import csv
import secrets
from dataclasses import replace
from pathlib import Path

import shoal
from shoal import FileSource, Inspected, Preview, TableSource

LOOKED_AT = 1_000
"""Rows that the guess is made from."""


def first_guess(
    source: FileSource | TableSource, folder: Path, shown: int
) -> tuple[Preview, Inspected | None]:
    """The first rows, and the likely roles of the columns by some more of them.

    Parameters
    ----------
    source
        The table.
    folder
        A private folder; nothing stays in it.
    shown
        How many rows are wanted.
    """
    seen = shoal.preview(source, rows=LOOKED_AT)
    first = replace(seen, rows=seen.rows[:shown])
    if not seen.rows:
        return first, None
    place = folder / f"first-{secrets.token_hex(8)}.csv"
    try:
        with place.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(seen.columns)
            writer.writerows(seen.rows)
        return first, shoal.inspect(FileSource(place, delimiter=",", header=True))
    finally:
        place.unlink(missing_ok=True)
