"""What an engine measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.model.lines import distinct_lines
from shoal.model.people import PARTS_OF_A_PERSON, Group, People


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a table really holds, measured from nothing but its cells.

    Parameters
    ----------
    rows
        All rows, suppressed ones included.
    suppressed
        Rows whose quasi-identifiers all read `*`.
    groups
        Distinct combinations of the quasi-identifiers among the other rows. A missing value is equal to a
        missing value and to nothing else.
    smallest
        Rows of the smallest group; `None` if there is no group.
    groups_below, rows_below
        Groups smaller than the k that was asked about, and the rows in them.
    """

    rows: int
    suppressed: int
    groups: int
    smallest: int | None
    groups_below: int
    rows_below: int


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredGroups:
    """The groups of a table as privacy models see them.

    Parameters
    ----------
    people
        The whole table, or the one that it was made from.
    rows
        The rows of each group; 0 for one that only the population has.
    of_entry, codes, counts
        Per entry its group, in increasing order, the codes of the counted columns, and how many rows have
        them.
    population
        Per group how many people of the population it stands for, in millionths; `None` if nobody asks.
    """

    people: People
    rows: NDArray[np.int64]
    of_entry: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    population: NDArray[np.int64] | None = None

    def of(self, columns: Sequence[int]) -> People:
        """The whole table with these columns alone."""
        return replace(self.people, columns=tuple(self.people.columns[each] for each in columns))

    def alike(self, columns: Sequence[int]) -> Iterator[tuple[Group, int]]:
        """The groups with these columns alone, and how many groups are just like each.

        Groups with equal counts of equal values need to be looked at only once: of 100,000 small groups most
        are like another.
        """
        facts, lines, first, counts = self._entries(columns)
        empty = np.zeros(len(self.rows), np.int64)
        population = empty if self.population is None else self.population
        seen: dict[tuple[int, int, bytes, bytes], int] = {}
        where: list[tuple[int, int, int]] = []
        for group, (rows, people) in enumerate(zip(self.rows.tolist(), population.tolist(), strict=True)):
            begin, end = first[group], first[group + 1]
            key = (rows, people, facts[begin:end].tobytes(), counts[begin:end].tobytes())
            if key not in seen:
                where.append((group, begin, end))
            seen[key] = seen.get(key, 0) + 1
        told = [tuple(line) for line in lines.tolist()]
        for (group, begin, end), times in zip(where, seen.values(), strict=True):
            numbers, many = facts[begin:end].tolist(), counts[begin:end].tolist()
            yield (
                Group(
                    rows=int(self.rows[group]),
                    facts={told[number]: count for number, count in zip(numbers, many, strict=True)},
                    population=Fraction(int(population[group]), PARTS_OF_A_PERSON),
                ),
                times,
            )

    def _entries(
        self, columns: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[int], NDArray[np.int64]]:
        """Entries with these columns alone: their facts, what each fact is, first entries, rows."""
        if not columns:
            nothing = np.zeros(0, np.int64)
            return nothing, np.zeros((0, 0), np.int32), [0] * (len(self.rows) + 1), nothing
        lines, facts = distinct_lines(self.codes[:, list(columns)])
        keys = self.of_entry * len(lines) + facts
        distinct, of_key = np.unique(keys, return_inverse=True)
        counts = np.bincount(of_key.reshape(-1), self.counts, len(distinct)).astype(np.int64)
        first = np.searchsorted(distinct // max(1, len(lines)), np.arange(len(self.rows) + 1))
        return distinct % max(1, len(lines)), lines, first.tolist(), counts
