"""What a policy might state of a column that nothing decides: codes for "missing", dates of digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shoal.model.cells.cell_form import read_in_form
from shoal.model.cells.date_form import DIGITS_ONLY
from shoal.model.cells.missing_markers import is_marker, marker_text, suggested_codes
from shoal.model.cells.values import UnreadableError, read
from shoal.model.table.domain import Kind, Value
from shoal.model.table.number_text import Number

_FEWEST = 3
"""With fewer values, a pattern in them may be chance."""
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_YEARS = ("18", "19", "20")


def suspects(cells: Sequence[object], kind: Kind) -> tuple[str, ...]:
    """The cells of a column that may mean "missing", although the column is not read so: as they are listed.

    Parameters
    ----------
    cells
        Its distinct cells that are not read as missing.
    kind
        What it is read as.
    """
    if kind == "category":
        words = {marker_text(cell) for cell in cells if isinstance(cell, str) and is_marker(cell)}
        return tuple(sorted(words - {""}))
    if kind != "number":
        return ()
    return tuple(map(str, suggested_codes(_numbers(cells))))


def suggestions(cells: Sequence[object], kind: Kind, counts: Mapping[str, int]) -> tuple[str, ...]:
    """What a policy might state of a column, in sentences.

    Parameters
    ----------
    cells
        Its distinct cells that are not read as missing.
    kind
        What it is read as.
    counts
        Suspect -> how many rows have it.
    """
    far = ", far from the others" if kind == "number" else ""
    said = [
        f'{suspect} occurs in {rows:,} row(s){far}: state missing = ["{suspect}"] if it means missing'
        for suspect, rows in counts.items()
    ]
    texts = [cell if isinstance(cell, str) else str(cell) for cell in cells if cell is not None]
    if kind == "number" and _are_digit_dates(texts):
        said.append('every number could be a date: state format = "YYYYMMDD" if they are dates')
    if kind == "number" and _could_be_thousands(texts):
        said.append('every point is followed by three digits: state format = "1.234,5" if it marks thousands')
    return tuple(said)


def _numbers(cells: Sequence[object]) -> list[Number]:
    try:
        values: list[Value] = read(cells, "number")
    except UnreadableError:  # in another form
        return []
    return [value for value in values if value is not None]  # type: ignore[misc]


def _are_digit_dates(texts: Sequence[str]) -> bool:
    if len(texts) < _FEWEST or not all(len(text) == 8 and text[:2] in _YEARS for text in texts):
        return False
    try:
        return all(read_in_form(text, DIGITS_ONLY) is not None for text in texts)
    except UnreadableError:
        return False


def _could_be_thousands(texts: Sequence[str]) -> bool:
    pointed = [text for text in texts if "." in text]
    return len(pointed) >= _FEWEST and all(map(_THOUSANDS.fullmatch, pointed))
