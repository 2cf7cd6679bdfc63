"""What comes before the table in a file: titles, comments, `sep=;`, blank lines.

Only lines that cannot be rows are skipped by themselves. A line with several cells, but not as many as the
rows, is refused with the number of lines to skip: it could be data.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.engines.duckdb.files.dialect import RECORDS, Dialect, separator_line
from shoal.engines.duckdb.files.header import guessed_header
from shoal.errors import EngineError

LONGEST = 50
"""How many lines a preamble may have."""

_COMMENTS = ("#", "//", "%")


@dataclass(frozen=True)
class Row:
    """A row as the file has it.

    Parameters
    ----------
    line
        Its first line, from 1 on; in a sheet its row.
    lines
        How many lines it has.
    cells
        Its cells.
    text
        The line itself, of a text file.
    """

    line: int
    lines: int
    cells: tuple[str, ...]
    text: str = ""

    @property
    def known(self) -> int:
        """How many cells have something in them."""
        return sum(1 for cell in self.cells if cell.strip())


def rows_of(text: str, dialect: Dialect, skip: int) -> list[Row]:
    """The first rows of a text after some lines, blank ones included."""
    lines = io.StringIO(text, newline="").readlines()
    reader = csv.reader(iter(lines[skip:]), **dialect.arguments)
    found: list[Row] = []
    before = 0
    try:
        for record in reader:
            number = skip + before + 1
            found.append(
                Row(number, reader.line_num - before, tuple(record), lines[number - 1].rstrip("\r\n"))
            )
            before = reader.line_num
            if len(found) == RECORDS:
                break
    except csv.Error:
        pass
    return found


def first_row(name: str, rows: Sequence[Row], width: int) -> int:
    """Which of the rows is the header, or the first row without one.

    Parameters
    ----------
    name
        What to call the file.
    rows
        The first rows.
    width
        How many cells most rows have.
    """
    at = 0
    while at < min(len(rows), LONGEST) and _is_no_row(rows[at], width):
        at += 1
    if at == len(rows):
        return 0
    at = _below_sparse(rows, at, width)
    if width == 2 and len(rows[at].cells) == 1 and at + 1 < len(rows):
        # A title, or R's header of one column with row names: then the next row is no header.
        guess = guessed_header(rows[at + 1].cells, [row.cells for row in rows[at + 2 :] if row.known])
        at += guess.header and guess.certain
    if len(rows[at].cells) == width:
        return at
    after = _after_blank(rows, at, width)
    if after is not None:
        return after
    if _has_width(rows[at], width):
        return at
    if width < 2:
        return at
    raise EngineError(
        f"line {rows[at].line:,} of {name} has {len(rows[at].cells)} cells, but most lines have {width}: if "
        f"it is a title, skip it (skip = {rows[at].line}, --skip {rows[at].line}); if it is data, correct "
        "it, or state the delimiter and the quote"
    )


def _has_width(row: Row, width: int) -> bool:
    """Whether it can be a header: R writes no name for its row names, and some write one delimiter more."""
    size = len(row.cells)
    return size in (width, width - 1) or (size == width + 1 and not row.cells[-1].strip())


def _is_no_row(row: Row, width: int) -> bool:
    if row.known == 0 or separator_line(row.text) is not None:
        return True
    if row.text.startswith(_COMMENTS) and len(row.cells) != width:
        return True
    return width > 2 and row.known == 1 and len(row.cells) != width


def _below_sparse(rows: Sequence[Row], at: int, width: int) -> int:
    """Past lines filled up with empty cells, as Excel writes titles: if below them is a certain header."""
    if rows[at].known * 2 > width or width < 3:
        return at
    for below in range(at + 1, min(len(rows), at + LONGEST)):
        row = rows[below]
        if len(row.cells) == width and row.known == width:
            guess = guessed_header(row.cells, [each.cells for each in rows[below + 1 :] if each.known])
            return below if guess.header and guess.certain else at
        if row.known * 2 > width:
            return at
    return at


def _after_blank(rows: Sequence[Row], at: int, width: int) -> int | None:
    """The first row after a blank line, if it has the width and what is above it does not."""
    for below in range(at, min(len(rows), LONGEST)):
        if rows[below].known == 0:
            following = next((each for each in range(below, len(rows)) if rows[each].known), None)
            if following is not None and len(rows[following].cells) == width:
                return following
        elif len(rows[below].cells) == width:
            return None
    return None


def first_row_of_sheet(rows: Sequence[Row], *, judge: bool) -> int:
    """Which row of a sheet is the header, or the first row without one.

    Parameters
    ----------
    rows
        Its first rows, all equally wide.
    judge
        Whether titles are looked for; otherwise only blank rows are passed.
    """
    width = len(rows[0].cells)
    at = next(place for place, row in enumerate(rows) if row.known)
    while judge and width > 2 and rows[at].known == 1 and at < LONGEST:
        following = next((place for place in range(at + 1, len(rows)) if rows[place].known), None)
        if following is None:
            break
        at = following
    return _below_sparse(rows, at, width) if judge else at
