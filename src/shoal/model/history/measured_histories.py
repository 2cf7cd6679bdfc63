"""What was measured about the rows of persons in a table."""

from __future__ import annotations

from dataclasses import dataclass

MOST_COMBINATIONS = 1_000_000_000
"""Combinations of rows that are counted at most, over all distinct histories; more are not measured."""


@dataclass(frozen=True, kw_only=True)
class MeasuredEvents:
    """How well persons hide from somebody who knows some of their rows.

    Parameters
    ----------
    events
        How many rows of a person are known, at most.
    fewest
        The fewest persons who have the same combination of at most so many rows; `None` if there is no row,
        or if combinations were not counted.
    persons_below
        Persons who have a combination that fewer than k persons have.
    too_many
        How many combinations there can be, if they are too many to count; `None` if they were counted.
    """

    events: int
    fewest: int | None = None
    persons_below: int = 0
    too_many: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeasuredHistories:
    """How well persons hide by single rows, by whole histories, and by some of their rows.

    Rows without a mark of a person are those of one person. A row whose quasi-identifiers all read `*` is a
    row of its person's history, for it is seen; by itself it belongs to no group.

    Parameters
    ----------
    k
        The number of persons to hide among.
    ordered
        Whether histories are sequences in the order of the table; otherwise they are multisets.
    persons, rows
        All persons, and all rows.
    fewest_per_row
        The fewest persons of a group of rows that read alike; `None` if there is no group.
    persons_in_small_groups
        Persons who have a row in a group of fewer than k persons.
    histories
        The number of distinct histories.
    fewest_per_history
        The fewest persons who share a history; `None` if there is no row.
    persons_alone
        Persons whose history nobody shares.
    persons_below
        Persons whose history fewer than k persons share, themselves included.
    known
        What was measured for each number of known rows.
    sizes
        By how many persons histories are shared: a number of persons, in increasing order, and how many
        distinct histories so many persons have.
    """

    k: int
    ordered: bool
    persons: int
    rows: int
    fewest_per_row: int | None
    persons_in_small_groups: int
    histories: int
    fewest_per_history: int | None
    persons_alone: int
    persons_below: int
    known: tuple[MeasuredEvents, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
