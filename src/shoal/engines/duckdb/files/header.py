"""Whether the first row of a table has the names of its columns, judged by the rows below.

A column of numbers, dates or repeated values shows it: a first cell that is not like the others is a name,
one that is like them is data. If no column shows it, the first row is taken as names, and a note says so.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = re.compile(
    r"[-+(]?\s*[€$£¥]?\s*[-+]?[\d.,'\u2019\s\u00a0\u202f]*\d\)?\s*(?:%|€|zł|kr|EUR|[eE][-+]?\d+)?"
)
_DATE = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ].*)?|\d{1,2}[:.]\d{2}(?:[:.]\d{2})?|"
    r"\d{1,2}[-. ]?[A-Za-z]{3}[-. ]?\d{2,4}(?::.*)?"
)
_MISSING = frozenset({"", "na", "n/a", "null", "none", "nan", "?", ".", "-", "..", "#n/a"})
_MOST = 0.8
_FEW = 6
YEARS = range(1800, 2101)

DOUBT = (
    "nothing tells the header from the rows, so line {line} was taken as the header; state header = false "
    "(--no-header) if it is data"
)
NUMBERS = (
    "line {line} has numbers, and was taken as the header because they count up; state header = false "
    "(--no-header) if it is data"
)


@dataclass(frozen=True)
class HeaderGuess:
    """Whether there is a header.

    Parameters
    ----------
    header
        Whether the first row has names.
    certain
        Whether numbers, dates or repeated values show it.
    note
        What was assumed where they do not.
    """

    header: bool
    certain: bool = True
    note: str | None = None


def is_data(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    text = cell.strip()
    return _NUMBER.fullmatch(text) is not None or _DATE.fullmatch(text) is not None


def guessed_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> HeaderGuess:
    """Whether the first row is a header.

    Parameters
    ----------
    first
        Its cells.
    rows
        Rows below, with as many cells.
    """
    names = data = repeats = 0
    numbered: list[tuple[str, list[str]]] = []
    for position, cell in enumerate(first):
        column = [row[position] for row in rows if position < len(row)]
        known = [each for each in column if each.strip().lower() not in _MISSING]
        if not cell.strip() or not known:
            continue
        values = Counter(known)
        like = sum(times for value, times in values.items() if is_data(value)) / len(known)
        if like >= _MOST:
            if is_data(cell):
                numbered.append((cell.strip(), known))
            elif cell.strip().lower() not in _MISSING:
                names += 1
        elif len(known) >= _FEW and len(values) * 2 <= len(known):
            repeats += 1 if cell in values else -1
        elif cell in values:
            data += 1
    if names:
        return HeaderGuess(header=True)
    if numbered:
        if _count_up([cell for cell, _ in numbered], [column for _, column in numbered]):
            return HeaderGuess(header=True, certain=False, note=NUMBERS)
        return HeaderGuess(header=False)
    if repeats:
        return HeaderGuess(header=repeats < 0)
    if data * 2 >= max(1, sum(1 for cell in first if cell.strip())) and data:
        return HeaderGuess(header=False, certain=False)
    if not rows and any(map(is_data, first)):
        return HeaderGuess(header=False, certain=False)
    return HeaderGuess(header=True, certain=False, note=DOUBT)


def _count_up(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether numbers in the first row are names: 2019, 2020, 2021 above other numbers, or 0, 1, 2, 3."""
    if len(cells) < 2 or not all(re.fullmatch(r"\d{1,4}", cell) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    if any(after - before != 1 for before, after in itertools.pairwise(numbers)):
        return False
    if all(number in YEARS for number in numbers):
        below = [cell.strip() for column in columns for cell in column]
        years = sum(1 for cell in below if re.fullmatch(r"\d{4}", cell) and int(cell) in YEARS)
        return years * 2 < len(below)
    return numbers[0] in (0, 1) and len(numbers) >= 3
