"""Flags that hold lists and pairs: `-q age,zip`, `--bin age=5`, `--order size=S,M,L`."""

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


def values(text: str) -> list[str]:
    """The values of an order, separated by commas; one with a comma in it goes in quotes."""
    return [value.strip() for value in _split(text)]


def _split(text: str) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True), [])
