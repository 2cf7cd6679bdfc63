"""Flags that hold lists and pairs: `-q age,zip`, `--bin age=5`, `--order size=S,M,L`, `--widths 5,10`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from typing import TypeVar

from shoal.errors import PolicyError

T = TypeVar("T")


def names(flags: Sequence[str] | None) -> list[str]:
    """Columns, separated by commas or given by several flags; one with a comma in its name goes in quotes."""
    return [name.strip() for flag in flags or () for name in _split(flag) if name.strip()]


def pairs(flag: str, given: Sequence[str] | None, read: Callable[[str], T]) -> dict[str, T]:
    """`column=value` flags as a dictionary."""
    found: dict[str, T] = {}
    for text in given or ():
        column, sign, value = text.partition("=")
        if not sign or not column or not value:
            raise PolicyError(f"{flag} takes COLUMN=VALUE; given was {text!r}")
        if column in found:
            raise PolicyError(f"{flag} names column {column!r} twice")
        found[column] = read(value)
    return found


def width(text: str) -> int | float:
    """The width of a bin."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise PolicyError(f"the width of a bin is a number; given was {text!r}") from None


def number(flag: str, text: str | None) -> int | float | None:
    """The number that a flag was given, if it was."""
    if text is None:
        return None
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    raise PolicyError(f"{flag} takes numbers; given was {text!r}")


def numbers(flag: str, text: str | None) -> tuple[int | float, ...]:
    """The numbers that a flag was given, separated by commas."""
    found = (number(flag, entry) for entry in names(None if text is None else [text]))
    return tuple(each for each in found if each is not None)


def values(text: str) -> list[str]:
    """The values of an order, separated by commas; one with a comma in it goes in quotes."""
    return [value.strip() for value in _split(text)]


def _split(text: str) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True), [])
