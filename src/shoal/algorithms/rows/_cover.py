"""Greedy covers of rows with sets of small diameter, and partitions made of them.

Proofs: docs/algorithms/meyerson-williams.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._watch import Watch
from shoal.model.table.frequency_table import FrequencyTable

MOST_SUBSETS = 100_000
MOST_BALL_ENTRIES = 25_000_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows one by one, with how far apart their distinct rows are.

    Of a distinct row with 2k copies or more, multiples of k are set aside: they are groups that lose nothing.

    Parameters
    ----------
    k
        Least size of a group.
    counts
        Per distinct row its copies, all of them.
    apart
        Per pair of distinct rows the cells that releasing both alike would lose.
    distinct
        Per row its distinct row; equal rows are neighbours.
    first
        Per distinct row its first row, and one past the last.
    """

    k: int
    counts: NDArray[np.int64]
    apart: NDArray[np.int64]
    distinct: list[int]
    first: list[int]

    @classmethod
    def of(cls, table: FrequencyTable, k: int, charges: Sequence[int]) -> Rows:
        """The rows of a table."""
        apart = np.zeros((len(table.counts), len(table.counts)), np.int64)
        for column, charge in zip(table.codes.T, charges, strict=True):
            apart += charge * (column[:, None] != column[None, :])
        return cls.of_distances(apart, table.counts, k)

    @classmethod
    def of_distances(cls, apart: NDArray[np.int64], counts: NDArray[np.int64], k: int) -> Rows:
        """Rows of which nothing is known but how far apart they are, and how often each occurs."""
        kept = np.where(counts < 2 * k, counts, k + counts % k)
        first = [0, *np.cumsum(kept).tolist()]
        return cls(k, counts, apart, np.repeat(np.arange(len(kept)), kept).tolist(), first)

    def copies(self, distinct: int) -> range:
        """The rows that are equal to a distinct row."""
        return range(self.first[distinct], self.first[distinct + 1])

    def with_the_aside(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Groups of distinct rows with those that were set aside, each a group of its own."""
        aside = [
            [row] * (int(count) - len(self.copies(row)))
            for row, count in enumerate(self.counts)
            if count > len(self.copies(row))
        ]
        return [*map(list, groups), *aside]

    def bound(self) -> int:
        """The least that all rows lose: each at least its distance to its (k - 1)th nearest row."""
        total = 0
        for row, count in enumerate(self.counts.tolist()):
            order = np.argsort(self.apart[row], kind="stable")
            held = np.cumsum(self.counts[order])
            total += count * int(self.apart[row][order[np.searchsorted(held, self.k)]])
        return total


def subsets(counts: NDArray[np.int64], k: int, most: int) -> int:
    """The number of sets of k to 2k - 1 rows, equal rows not distinguished; counting stops beyond `most`."""
    # ways[s]: sets of s rows among the distinct rows so far
    ways = [1] + [0] * (2 * k - 1)
    for count in counts.tolist():
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(2 * k)]
        if sum(ways[k:]) > most:
            break
    return sum(ways[k:])


def _every_subset(counts: Sequence[int], k: int, first: int = 0, size: int = 0) -> Iterator[tuple[int, ...]]:
    """Sets of k to 2k - 1 rows as sorted distinct rows, each as often as the set has copies of it."""
    if first == len(counts):
        if size >= k:
            yield ()
        return
    if size + sum(counts[first:]) < k:
        return
    for copies in range(min(counts[first], 2 * k - 1 - size) + 1):
        for others in _every_subset(counts, k, first + 1, size + copies):
            yield (first,) * copies + others


def subset_cover(rows: Rows, watch: Watch) -> list[list[int]]:
    """Cover by all sets of k to 2k - 1 rows: always the one of least diameter per newly covered row."""
    counts = [len(rows.copies(row)) for row in range(len(rows.first) - 1)]
    sets = []
    for chosen in _every_subset(counts, rows.k):
        watch.look()
        members = list(dict.fromkeys(chosen))
        sets.append((int(rows.apart[np.ix_(members, members)].max()), chosen))
    sets.sort(key=lambda each: each[0])
    cover, left = [], [list(rows.copies(row)) for row in range(len(counts))]
    while any(left):
        watch.look()
        best, best_set = (np.inf, 0), None
        for diameter, chosen in sets:
            if diameter / (2 * rows.k - 1) > best[0]:
                break
            new = sum(min(len(list(run)), len(left[row])) for row, run in itertools.groupby(chosen))
            # The weight per row that is new; among equals the set that covers most.
            if new and (diameter / new, -new) < best:
                best, best_set = (diameter / new, -new), chosen
        assert best_set is not None
        cover.append(_taken(rows, best_set, left))
    return cover


def _taken(rows: Rows, chosen: Sequence[int], left: list[list[int]]) -> list[int]:
    """Rows that equal those of a set, taken from those that are left as far as they go."""
    taken: list[int] = []
    for row, run in itertools.groupby(chosen):
        size = len(list(run))
        new, left[row] = left[row][:size], left[row][size:]
        others = [copy for copy in rows.copies(row) if copy not in new]
        taken += [*new, *others[: size - len(new)]]
    return taken


def ball_cover(rows: Rows, watch: Watch) -> list[list[int]]:
    """Cover by balls of at most 2k - 1 rows: always the one of least radius per newly covered row."""
    k, counts = rows.k, np.diff(rows.first)
    radii = np.unique(rows.apart)
    # Per centre and radius how many rows the ball has, and how many of them are left.
    held = np.stack([(rows.apart <= radius) @ counts for radius in radii], axis=1)
    left_in, left = held.copy(), [list(rows.copies(row)) for row in range(len(counts))]
    enough = held >= k
    cover = []
    while any(left):
        watch.look()
        new = np.minimum(left_in, 2 * k - 1)
        usable = enough & (new > 0)
        price = np.where(usable, radii[None, :] / np.maximum(new, 1), np.inf)
        least = price == price.min()
        centre, radius = divmod(int(np.argmax(np.where(least, new, 0))), len(radii))
        ball, before = _ball(rows, centre, int(radii[radius]), left), [len(each) for each in left]
        cover.append(_taken(rows, ball, left))
        for row in dict.fromkeys(ball):
            gone = before[row] - len(left[row])
            if gone:
                left_in -= gone * (rows.apart[:, row][:, None] <= radii[None, :])
    return cover


def _ball(rows: Rows, centre: int, radius: int, left: Sequence[Sequence[int]]) -> list[int]:
    """The distinct rows, with copies, of a set in a ball: those left, nearest first, then others."""
    near = [
        row
        for row in np.argsort(rows.apart[centre], kind="stable").tolist()
        if rows.apart[centre, row] <= radius
    ]
    chosen = list(itertools.chain(*([row] * len(left[row]) for row in near)))[: 2 * rows.k - 1]
    if len(chosen) < rows.k:
        others = itertools.chain(*([row] * (len(rows.copies(row)) - len(left[row])) for row in near))
        chosen += itertools.islice(others, rows.k - len(chosen))
    return sorted(chosen)


def disjoint(cover: Sequence[Sequence[int]], k: int) -> list[list[int]]:
    """A partition from a cover: a row in two sets leaves one that can spare it; else they are joined."""
    groups: dict[int, set[int]] = {}
    owner: dict[int, int] = {}
    for number, members in enumerate(cover):
        here = set(members)
        while shared := [row for row in here if owner.get(row, number) != number]:
            row = min(shared)
            there = groups[owner[row]]
            if len(here) > k:
                here.discard(row)
            elif len(there) > k:
                there.discard(row)
                owner[row] = number
            else:
                del groups[owner[row]]
                here |= there
                owner.update(dict.fromkeys(there, number))
        groups[number] = here
        owner.update(dict.fromkeys(here, number))
    return [sorted(each) for each in groups.values()]
