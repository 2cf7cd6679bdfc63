"""Who has several rows in a table, and what links them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class LinkedPersons:
    """Persons with several rows; rows without a person are left out.

    Parameters
    ----------
    rows, persons
        Rows that have a person, and the persons.
    several
        Persons with at least two rows.
    by_column
        For each column, how many persons it links: those with a value on at least two of their rows that no
        other person has.
    neighbours
        Persons of whom two rows follow each other; `None` where rows have no order.
    pairs, pairs_by_chance
        Pairs of rows that follow each other and are of one person, and how many to expect of a random order.
    """

    rows: int
    persons: int
    several: int
    by_column: Mapping[str, int] = field(default_factory=dict)
    neighbours: int | None = None
    pairs: int = 0
    pairs_by_chance: float = 0.0
