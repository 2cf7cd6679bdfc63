"""Delimiter and quote of a text file, from its start.

Each pair is tried: the records that it gives are regular if most have the same number of fields. The most
regular pair wins, then the one whose quotes are around cells, then the one with more columns. DuckDB then
reads every line strictly, so a line that does not fit the guess is an error with its number.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from shoal.model.table.file_options import NO_QUOTE, FileOptions

USUAL = (",", ";", "\t", "|")
RARE = (" ", "^")
RECORDS = 2_000
"""How many records are tried."""

_REGULAR = 0.5
_CLEAR = 0.9
_AROUND = 2
"""Whole cells are in quotes."""
_SEPARATOR = re.compile(r"\s*\"?sep=(.)\"?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How cells are told apart.

    Parameters
    ----------
    delimiter
        The sign between them.
    quote
        The sign around them; "none" without one.
    escape
        A sign before a quote inside of quotes, if it is not doubled.
    """

    delimiter: str
    quote: str = '"'
    escape: str | None = None

    def records(self, text: str, most: int = RECORDS) -> list[list[str]]:
        """The first records of a text; blank lines are empty ones."""
        reader = csv.reader(io.StringIO(text, newline=""), **self.arguments)
        found: list[list[str]] = []
        try:
            for record in reader:
                found.append(record)
                if len(found) == most:
                    break
        except csv.Error:  # a field is too long, perhaps because of an open quote
            pass
        return found

    @property
    def arguments(self) -> dict[str, Any]:
        """For Python's reader."""
        if self.quote == NO_QUOTE:
            return {"delimiter": self.delimiter, "quoting": csv.QUOTE_NONE, "quotechar": None}
        escaped: dict[str, Any] = (
            {} if self.escape is None else {"escapechar": self.escape, "doublequote": False}
        )
        return {"delimiter": self.delimiter, "quotechar": self.quote, **escaped}


@dataclass(frozen=True)
class Fit:
    """How regular the records of a text are.

    Parameters
    ----------
    dialect
        How the text was read.
    width
        The number of fields that most records have.
    share
        The share of records with that number.
    quoted
        What speaks for the quote: 2 if it is around whole cells, 1 for the usual one, 0 for none.
    """

    dialect: Dialect
    width: int
    share: float
    quoted: int = 1


def separator_line(line: str) -> str | None:
    """The delimiter that a first line like `sep=;` states for Excel."""
    found = _SEPARATOR.fullmatch(line)
    return None if found is None else found[1]


def sniffed(text: str, options: FileOptions, by_name: str | None) -> Fit:
    """The dialect of a text.

    Parameters
    ----------
    text
        The first whole lines of a file.
    options
        What the user states.
    by_name
        The delimiter that the file's name implies; the user's comes first.
    """
    line, _, rest = text.partition("\n")
    separator = separator_line(line.rstrip("\r"))
    body = text if separator is None else rest
    stated = options.delimiter or separator
    if stated is not None:
        delimiters: tuple[str, ...] = (stated,)
    else:
        delimiters = USUAL if by_name is None else (by_name, *USUAL)
    quotes = (options.quote,) if options.quote is not None else ('"', "'", NO_QUOTE)
    body = _after(body, options.skip or 0)
    best = _best(body, delimiters, quotes)
    if best.width < 2 and stated is None:
        best = max(best, _best(body, RARE, quotes), key=_rank)
    if best.width > 1 or best.share == 1 or stated is not None:
        return best
    return single(body, best.dialect.quote)


def single(text: str, quote: str) -> Fit:
    """How to read a text as one column: by a delimiter that it does not have."""
    delimiter = next((sign for sign in (*USUAL, *RARE[1:]) if sign not in text), "\x1f")
    return Fit(Dialect(delimiter, quote, _escape(text, delimiter, quote)), 1, 1.0)


def _after(text: str, lines: int) -> str:
    for _ in range(lines):
        text = text.partition("\n")[2]
    return text


def _best(text: str, delimiters: tuple[str, ...], quotes: tuple[str, ...]) -> Fit:
    fits: list[Fit] = []
    for delimiter in dict.fromkeys(delimiters):
        found = [_fit(text, delimiter, quote, alone=len(quotes) == 1) for quote in quotes]
        of_delimiter = [fit for fit in found if fit is not None]
        if any(fit.quoted == _AROUND and fit.share >= _CLEAR for fit in of_delimiter):
            # Signs around whole cells are quotes, also where a delimiter inside of them gives more cells.
            of_delimiter = [fit for fit in of_delimiter if fit.quoted]
        fits += of_delimiter
    # Of equals, the first: the more common quote, and the more common delimiter.
    return max(fits, key=_rank)


def _rank(fit: Fit) -> tuple[bool, float, int, int]:
    """One column is what remains: a text with some broken lines must not be read as one.

    Quotes come before the width: `"Doe, Jane",41` in every line is as regular with three cells.
    """
    return fit.width > 1 and fit.share >= _REGULAR, round(fit.share, 2), fit.quoted, fit.width


def _fit(text: str, delimiter: str, quote: str, *, alone: bool) -> Fit | None:
    """How well a pair fits; `None` for a quote that nothing speaks for."""
    around = quote != NO_QUOTE and _quotes_cells(text, delimiter, quote)
    if not alone and quote == "'" and not around:
        return None
    quoted = _AROUND if around else int(quote != NO_QUOTE)
    dialect = Dialect(delimiter, quote, _escape(text, delimiter, quote))
    records = [record for record in dialect.records(text) if any(record)]
    if not records:
        return Fit(dialect, 1, 1.0, quoted)
    counts = Counter(map(len, records))
    width = max(counts, key=lambda size: (counts[size], size))
    return Fit(dialect, width, counts[width] / len(records), quoted)


def _quotes_cells(text: str, delimiter: str, quote: str) -> bool:
    """Whether a sign is around whole cells, at least in every third line."""
    sign, between = re.escape(quote), re.escape(delimiter)
    whole = re.compile(rf"(?:^|{between}){sign}[^{sign}\r\n]*{sign}(?={between}|\r?$)", re.MULTILINE)
    return len(whole.findall(text)) * 3 >= max(1, text.count("\n"))


def _escape(text: str, delimiter: str, quote: str) -> str | None:
    """A backslash, if quotes inside of cells are written with one and not doubled."""
    if quote == NO_QUOTE or f"\\{quote}" not in text:
        return None
    doubled = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote, doublequote=True, strict=True
    )
    try:
        for _ in doubled:
            pass
    except csv.Error as error:
        return None if "end of data" in str(error) else "\\"
    return None
