"""Columns that a release has in addition on request: the bounds of a quasi-identifier's labels, its sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Element = Literal["whole", "decimal", "date", "moment"]

SQL_TYPES: dict[Element, str] = {
    "whole": "BIGINT",
    "decimal": "DOUBLE",
    "date": "DATE",
    "moment": "TIMESTAMP",
}


@dataclass(frozen=True, kw_only=True)
class Companion:
    """One bound of a column of numbers or dates.

    Parameters
    ----------
    column
        The quasi-identifier.
    name
        The column that has the bound.
    element
        The type of the bound.
    texts
        The bound of each released value, as text; `None` where there is none.
    """

    column: str
    name: str
    element: Element
    texts: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class NestedColumn:
    """A quasi-identifier that is written as a struct: its label, and its bounds or its values.

    Parameters
    ----------
    column
        The quasi-identifier.
    bounds
        Its lower and its upper bound; none for categories.
    members
        For categories the values of each released value, `None` for the missing one; `None` where they are
        not known.
    """

    column: str
    bounds: tuple[Companion, ...] = ()
    members: tuple[tuple[str | None, ...] | None, ...] | None = None
