"""Which column probably distinguishes persons who have several rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from shoal.model.policy.attribute import Role
from shoal.model.table.roles.header import words_of
from shoal.model.table.roles.record_number import FEWEST, record_number

if TYPE_CHECKING:
    from shoal.model.table.inspected import InspectedColumn

OWN_ROWS = 0.98
"""Up to this many distinct values per row, a number of persons shows that some have several rows."""


def likely_entity(columns: Iterable[InspectedColumn], rows: int) -> InspectedColumn | None:
    """The column that numbers persons and repeats; the one with the most values if there are several."""
    numbered = [
        each
        for each in columns
        if each.likely_role is Role.IDENTIFIER
        and each.missing == 0
        and repeats(rows, each.distinct)
        and record_number(words_of(each.name), rows=rows, distinct=each.distinct) is not None
    ]
    return max(numbered, key=lambda each: each.distinct, default=None)


def repeats(rows: int, distinct: int) -> bool:
    """Whether so few distinct values in rows show that values repeat."""
    return 1 < distinct <= OWN_ROWS * rows


def named_as_persons(columns: Sequence[str]) -> list[str]:
    """The columns whose names alone say that they number persons or records."""
    return [
        name
        for name in columns
        if record_number(words_of(name), rows=10 * FEWEST, distinct=FEWEST) is not None
    ]
