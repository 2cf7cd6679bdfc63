"""What a released cell says, read from docs/reference/released-values.md, in exact arithmetic.

A text can read in two ways (a category `[1, 2]` is also an interval); it is true if one reading is. Numbers
are compared as decimals and times as fractions of a second, so nothing is rounded.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
INTERVAL = re.compile(r"([\[(])(.*), (.*)([\])])", re.DOTALL)
OR_MISSING = " or missing"
SHORT = re.compile(r"\{.*, \.\.\. ([1-9]\d*) #[1-9]\d*\}", re.ASCII | re.DOTALL)
"""The short label of a large set, with the number of its values."""


def text_of(cell: Any) -> str:
    """A cell as a file of text has it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell)


def number(text: str) -> Fraction | None:
    """The number that a text is."""
    return Fraction(Decimal(text)) if NUMBER.fullmatch(text) else None


def moment(text: str) -> Fraction | None:
    """The seconds from the year 1 to a date or time."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    day, hour, minute, second, parts, zone = found.groups()
    try:
        days = datetime.date.fromisoformat(day).toordinal()
    except ValueError:
        return None
    seconds = days * 86400 + int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    moved = 0
    if zone not in (None, "Z"):
        sign, digits = (-1 if zone[0] == "-" else 1), zone[1:].replace(":", "").ljust(4, "0")
        moved = sign * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)
    return seconds - moved + Fraction(int(parts or 0), 10 ** len(parts or ""))


def size(text: str) -> Fraction | None:
    """What orders a text as a number or a time."""
    found = number(text)
    return moment(text) if found is None else found


def same(one: str, two: str) -> bool:
    """Whether two texts are the same value."""
    if one == two:
        return True
    if number(one) is not None and number(two) is not None:
        return number(one) == number(two)
    return moment(one) is not None and moment(one) == moment(two)


def members(text: str) -> list[str | None] | None:
    """The members of a printed set; `None` among them is the missing value; `None` if it is no set."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    inside, found, place = text[1:-1], list[str | None](), 0
    while place <= len(inside):
        if inside[place : place + 1] == '"':
            try:
                member, place = json.JSONDecoder().raw_decode(inside, place)
            except json.JSONDecodeError:
                return None
            found.append(member)
            if inside[place : place + 2] not in ("", ", "):
                return None
            place += 2
        else:
            end = inside.find(", ", place)
            end = len(inside) if end < 0 else end
            member = inside[place:end]
            found.append(None if member == "missing" else member)
            place = end + 2
    return found


def holds(printed: str, value: str) -> bool:
    """Whether an interval of numbers or times holds a value; false if it is none."""
    found, measured = INTERVAL.fullmatch(printed), size(value)
    if found is None or measured is None:
        return False
    low, high = size(found[2]), size(found[3])
    if low is None or high is None:
        return False
    return (low <= measured if found[1] == "[" else low < measured) and (
        measured <= high if found[4] == "]" else measured < high
    )


def is_step(printed: str, value: str) -> bool:
    """Whether a label of a built hierarchy is true: `< 20`, `0213*`, `2024-Q2`, `2020-2029`, a day."""
    measured = number(value)
    for sign, below in (("< ", True), (">= ", False)):
        bound = number(printed.removeprefix(sign)) if printed.startswith(sign) else None
        if bound is not None and measured is not None:
            return measured < bound if below else measured >= bound
    if printed.endswith("*") and printed.rstrip("*") != "":
        return value.startswith(printed.rstrip("*"))
    if moment(value) is None:
        return False
    year, month = value[:4], int(value[5:7])
    if re.fullmatch(r"\d{4}-\d{4}", printed):
        return printed[:4] <= year <= printed[5:]
    if re.fullmatch(r"\d{4}-W\d\d", printed):
        week = datetime.date.fromisoformat(value[:10]).isocalendar()
        return printed == f"{week.year:04}-W{week.week:02}"
    return printed in (year, value[:7], value[:10], f"{year}-Q{(month + 2) // 3}")


def is_true(printed: str | None, value: str | None, labels: Collection[str]) -> bool:
    """Whether a released cell is true of a value.

    Parameters
    ----------
    printed, value
        The released cell and the source's; `None` is missing.
    labels
        What a hierarchy of the policy calls the value.
    """
    if printed == "*" or (printed is not None and printed in labels):
        return True
    if printed is None or value is None:
        if printed is None or value is not None:
            # Among numbers `nan` is a missing one, and is released as such.
            return printed is None and (value is None or value.lower() == "nan")
        listed = members(printed)
        return printed.endswith(OR_MISSING) or (listed is not None and None in listed)
    if same(printed, value):
        return True
    listed = members(printed)
    if listed is not None and any(member is not None and same(member, value) for member in listed):
        return True
    short = printed.removesuffix(OR_MISSING)
    among = None if short == printed else members(short)
    if short in labels or (among is not None and any(member and same(member, value) for member in among)):
        return True
    return (
        holds(short, value) or is_step(printed, value) or same(short, value) or is_word_interval(short, value)
    )


def is_word_interval(printed: str, value: str) -> bool:
    """Whether an interval of categories may hold a value: their order is not printed."""
    found = INTERVAL.fullmatch(printed)
    return found is not None and size(found[2]) is None and size(value) is None
