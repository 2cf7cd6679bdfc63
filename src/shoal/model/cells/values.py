"""From the cells of a column to the values of a domain: numbers, dates, categories.

Cells arrive as text from files and as the library's own scalars from data frames; the result is the same for
both, so that a table gives the same problem however it is stored. 1, 1.0 and "1" are one number.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from shoal.model.table import number_text
from shoal.model.table.domain import Kind, Value, value_text
from shoal.model.table.number_text import NoNumberError, Number

# After microseconds only zeros are allowed: Python would cut off other digits.
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?")
_MISSING_NUMBERS = ("nan", "NaN", "NAN")
_MIDNIGHT = datetime.time()


class UnreadableError(ValueError):
    """A cell cannot be read as the required kind."""


def guess(cells: Sequence[object]) -> Kind:
    """The narrowest kind that every cell of a column can be read as."""
    present = [cell for cell in cells if cell is not None]
    if any(isinstance(cell, bool) for cell in present):
        return "category"
    kinds: tuple[Kind, Kind] = ("number", "date")
    for kind in kinds:
        try:
            values = read(present, kind)
        except UnreadableError:
            continue
        if any(value is not None for value in values):
            return kind
    return "category"


def read(cells: Sequence[object], kind: Kind) -> list[Value]:
    """The cells as values of one kind; `UnreadableError` if a cell is not of that kind."""
    if kind == "number":
        return [None if cell is None else number(cell) for cell in cells]
    if kind == "date":
        return comparable([None if cell is None else _moment(cell) for cell in cells])
    return _of_one_type([None if cell is None else _category(cell) for cell in cells])


def number(cell: object) -> Number | None:
    """A cell as an exact number; NaN counts as missing."""
    if isinstance(cell, str) and cell in _MISSING_NUMBERS:
        return None
    if not isinstance(cell, str | int | float | Decimal | Fraction):
        raise UnreadableError
    if cell.is_nan() if isinstance(cell, Decimal) else cell != cell:
        return None
    try:
        return number_text.number(cell)
    except NoNumberError:
        raise UnreadableError from None


def _moment(cell: object) -> datetime.date:
    if isinstance(cell, datetime.date):
        return cell
    if not isinstance(cell, str) or not _DATE.fullmatch(cell):
        raise UnreadableError
    try:
        if len(cell) == len("2000-01-01"):
            return datetime.date.fromisoformat(cell)
        return datetime.datetime.fromisoformat(cell)
    except ValueError:
        raise UnreadableError from None


def comparable(moments: list[datetime.date | None]) -> list[Value]:
    """Dates if no moment has a time of day, else moments; all in one time zone, or all without."""
    timed = [each for each in moments if isinstance(each, datetime.datetime)]
    zoned = [each for each in timed if each.tzinfo is not None]
    if zoned and len(zoned) < sum(each is not None for each in moments):
        raise UnreadableError
    if zoned:
        return [each if each is None else _in_utc(each) for each in moments]
    if all(each.time() == _MIDNIGHT for each in timed):
        return [each.date() if isinstance(each, datetime.datetime) else each for each in moments]
    return [None if each is None else moment(each) for each in moments]


def moment(value: datetime.date) -> datetime.datetime:
    """A date or moment as a moment without a time zone, so that any two can be compared."""
    if not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, _MIDNIGHT)
    return value if value.tzinfo is None else _in_utc(value).replace(tzinfo=None)


def _in_utc(moment: datetime.date) -> datetime.datetime:
    assert isinstance(moment, datetime.datetime)
    return moment.astimezone(datetime.UTC)


def _category(cell: object) -> Value:
    if isinstance(cell, bool | str | datetime.date):
        return cell
    if isinstance(cell, int | float | Decimal | Fraction):
        try:
            return number(cell)
        except UnreadableError:  # an infinity, or one third
            return str(cell)
    return str(cell)


def _of_one_type(values: list[Value]) -> list[Value]:
    """The values, or their texts if they are of several types: 1 and "1" in one column are the same value."""
    families = {_family(value) for value in values if value is not None}
    return values if len(families) <= 1 else [None if value is None else text_of(value) for value in values]


def _family(value: Value) -> str:
    return (
        "number" if isinstance(value, int | Decimal) and not isinstance(value, bool) else type(value).__name__
    )


def text_of(value: Value | float) -> str:
    """A value as a release prints it."""
    return value_text(_category(value) if isinstance(value, float) else value)


def natural_key(value: Value) -> tuple[int, bool | Number | str]:
    """Sorts categories: truth values, numbers, then everything else by its text."""
    if isinstance(value, bool):
        return (0, value)
    if isinstance(value, int | Decimal):
        return (1, value)
    return (2, str(value))
