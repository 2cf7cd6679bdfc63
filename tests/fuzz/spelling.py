"""Columns of numbers and dates as files from elsewhere write them, with what each cell means."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping
from typing import Any

from tests.fuzz.instance import Column

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
USUAL = ("NA", "?", "n/a", "NULL", ".", "--")
"""Markers that are recognised among numbers and dates."""
STATED = ("refused", "unbekannt", "x", "-9", "0000")
Meanings = dict[str, str | None]


def _grouped(mark: str, decimal: str, sign: str = "") -> Callable[[float], str]:
    return lambda value: f"{value:,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", mark) + sign


NUMBERS: Mapping[str, Callable[[float], str]] = {
    "1.234,5": _grouped(".", ","),
    "1,234.5": _grouped(",", "."),
    "1'234.5": _grouped("'", "."),
    "1 234,5": _grouped(" ", ","),
    "1234,5": lambda value: f"{value:.2f}".replace(".", ","),
    "1234,5 %": lambda value: f"{value:.2f}".replace(".", ",") + " %",
    "1.234,5 €": _grouped(".", ",", " €"),
    "1234.5": lambda value: f"{value:.1f}",
}
DATES: Mapping[str, Callable[[datetime.date], str]] = {
    "DD.MM.YYYY": lambda day: f"{day.day:02}.{day.month:02}.{day.year}",
    "MM/DD/YYYY": lambda day: f"{day.month}/{day.day}/{day.year}",
    "DD/MM/YYYY": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "DD-MMM-YYYY": lambda day: f"{day.day:02}-{MONTHS[day.month - 1]}-{day.year}",
    "YYYYMMDD": lambda day: day.strftime("%Y%m%d"),
    "DD.MM.YY": lambda day: day.strftime("%d.%m.%y"),
}
MUST_BE_STATED = ("YYYYMMDD", "DD/MM/YYYY", "MM/DD/YYYY")
"""Digits are a number, and days up to 12 leave open which is the month."""


def odd_column(
    generator: random.Random, name: str, rows: int
) -> tuple[Column, Meanings, str | None, list[str] | None]:
    """A column, the meaning of its cells, and the format and the markers that the policy states."""
    meanings: Meanings = {}
    if generator.random() < 0.6:
        form = generator.choice(list(NUMBERS))
        for _ in range(generator.randint(1, 6)):
            value = generator.choice([0.5, 12.25, 999.75, 1234.5, 98765.25, -3.5, 1234567.5])
            meanings[NUMBERS[form](value)] = f"{value}"
        if form == "1234.5":
            meanings = {text: text for text in meanings}
    else:
        form = generator.choice(list(DATES))
        for _ in range(generator.randint(1, 6)):
            day = datetime.date(1950, 1, 1) + datetime.timedelta(days=generator.randrange(25_000))
            meanings[DATES[form](day)] = day.isoformat()
    stated: str | None = form if form in MUST_BE_STATED or generator.random() < 0.6 else None
    markers = None
    if generator.random() < 0.6:
        markers = generator.sample(STATED, 2) if generator.random() < 0.5 else None
        for marker in generator.sample(list(markers or USUAL), generator.randint(1, 2)):
            meanings[marker] = None
    cells = tuple(generator.choice(list(meanings)) for _ in range(rows))
    if all(meanings[cell] is None for cell in cells):
        cells = (next(text for text in meanings if meanings[text] is not None), *cells[1:])
    return Column(name, "text", cells), meanings, None if form == "1234.5" else stated, markers


def file_form(generator: random.Random, columns: list[Column]) -> dict[str, Any]:
    """How a file of text is written: every key differs from what is usual, now and then."""
    form: dict[str, Any] = {}
    texts = "".join(str(cell) for column in columns for cell in (column.name, *column.cells) if cell)
    if generator.random() < 0.5:
        form["delimiter"] = generator.choice([";", "\t", "|"])
    if generator.random() < 0.2 and "'" not in texts:
        form["quote"] = "'"
    if generator.random() < 0.4:
        codecs = ["utf-16", "utf-8-sig"]
        for codec in ("windows-1252", "latin-1"):
            try:
                texts.encode(codec)
            except UnicodeEncodeError:
                continue
            codecs.append(codec)
        form["encoding"] = generator.choice(codecs)
    if generator.random() < 0.2:
        form["skip"] = generator.randint(1, 3)
    return form
