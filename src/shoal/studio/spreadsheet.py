"""A copy of a release that spreadsheet programs open without running anything in it.

A cell that begins with = + - @, a tab or a line end can be taken for a formula. Here such a cell gets an
apostrophe in front, which those programs show as text (OWASP, "CSV Injection"); so does such a sign after a
semicolon or a tab within a cell, since a program that takes these for the end of a cell would see it first.
Negative numbers stay as they are. The copy is for looking at: it is not the release that was audited.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from shoal import EngineError

ENDINGS = (".csv", ".tsv")
"""Kinds of releases of which there is such a copy."""

_SEPARATORS = (",", ";", "\t", "|")
# Also the wide signs of East Asian keyboards, which some programs take for the plain ones.
_FORMULA = "=+\\-@\\t\\r\\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}" + (
    "\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
)
_BEGINS = re.compile(f"^[{_FORMULA}]")
_WITHIN = re.compile(f"(?<=[;\\t\\r\\n])(?=[{_FORMULA}])")
_NEGATIVE = re.compile(r"-\d+([.,]\d+)?([eE][+-]?\d+)?", re.ASCII)

_PIECE = 1 << 16


def harmless(cell: str) -> str:
    """A cell that no spreadsheet program takes for a formula."""
    if _NEGATIVE.fullmatch(cell):
        return cell
    cell = _WITHIN.sub("'", cell)
    return "'" + cell if _BEGINS.match(cell) else cell


def harmless_copy(release: Path, columns: Sequence[str]) -> Iterator[bytes]:
    """The copy of a release, piece by piece: however large the file, little of it is in memory.

    Parameters
    ----------
    release
        A .csv or .tsv file.
    columns
        Its columns; they show which separator it uses.
    """
    if release.suffix.lower() not in ENDINGS:
        raise EngineError("a copy for spreadsheets is made of .csv and .tsv releases only")
    return _pieces(release, _separator(release, list(columns)))


def _separator(release: Path, columns: list[str]) -> str:
    """What separates cells: the sign that makes the columns of the header."""
    csv.field_size_limit(2**31 - 1)  # cells can be longer than the 128 KiB that Python reads by itself
    for sign in _SEPARATORS:
        with _read(release) as file:
            if next(csv.reader(file, delimiter=sign), []) == columns:
                return sign
    return "\t" if release.suffix.lower() == ".tsv" else ","


def _pieces(release: Path, separator: str) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    buffer.write("\ufeff")  # by which these programs know UTF-8
    # Tabs are not kept: the copy is named .csv.
    written = csv.writer(buffer, delimiter=";" if separator == ";" else ",", lineterminator="\r\n")
    with _read(release) as file:
        for row in csv.reader(file, delimiter=separator):
            written.writerow([harmless(cell) for cell in row])
            if buffer.tell() >= _PIECE:
                yield buffer.getvalue().encode()
                buffer.seek(0)
                buffer.truncate()
    if buffer.tell():
        yield buffer.getvalue().encode()


def _read(release: Path) -> TextIO:
    return release.open(encoding="utf-8-sig", errors="replace", newline="")
