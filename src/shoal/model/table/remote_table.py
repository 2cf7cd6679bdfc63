"""A frequency table whose distinct rows stay in the engine: they are asked about, and never fetched.

Searches that look at nodes one by one need only sums over the groups of a node. A code stands for all codes
that a level joins with it: the first of them. So the groups of a node are rows like those they are made of,
and what is above a node can be counted from its groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

NODE_ALGORITHMS = ("flash", "incognito", "ola", "samarati")
"""The algorithms that look at nodes one by one."""

Firsts = tuple[NDArray[np.int32], ...]
"""Per attribute and code the first of the codes that a node joins with it."""


@dataclass(frozen=True)
class NodeSums:
    """What an engine counts of a node at one k.

    Parameters
    ----------
    groups, squares
        Groups of at least k rows, and the sum of the squares of their sizes.
    suppressed
        Rows of the others.
    """

    groups: int
    squares: int
    suppressed: int


class RemoteRows(Protocol):
    """Distinct rows in an engine."""

    def sums(self, firsts: Firsts, k: int) -> NodeSums:
        """The sums over the groups of a node."""

    def units_below(self, firsts: Firsts, k: int, units: Sequence[NDArray[np.int64]]) -> int:
        """Per row of a group smaller than k the units of its codes, summed up."""

    def groups(self, firsts: Firsts) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The groups of a node: their codes, and their rows."""

    def rows_below(self, firsts: Firsts, k: int) -> list[NDArray[np.int64]]:
        """Per attribute and code how many rows are in groups smaller than k."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteTable(FrequencyTable):
    """Domains and how often each value occurs; `codes` and `counts` are empty.

    Parameters
    ----------
    margins
        Per attribute the rows of each code.
    held
        The distinct rows.
    """

    margins: tuple[NDArray[np.int64], ...]
    held: RemoteRows

    @cached_property
    def rows(self) -> int:
        return int(self.margins[0].sum())

    def margin(self, attribute: int) -> NDArray[np.int64]:
        return self.margins[attribute]

    def fetched(self, levels: Sequence[int], k: int) -> FrequencyTable:
        """The groups of a node as a table; recodings at or above the node make of it what they make of this.

        The values that its released rows have are those of this one's, for labels are spelled with them: a
        released group is told by released values, and the others of these have rows that count nothing.
        """
        firsts = firsts_of(self.domains, levels)
        codes, counts = self.held.groups(firsts)
        kept = counts >= k
        released = list(self.margins)
        if not kept.all():
            below = self.held.rows_below(firsts, k)
            released = [margin - less for margin, less in zip(self.margins, below, strict=True)]
        told = []
        for attribute, first in enumerate(firsts):
            values = np.flatnonzero(released[attribute])
            teller = np.arange(len(first), dtype=np.int32)
            teller[first[values[::-1]]] = values[::-1]  # of several the least
            codes[kept, attribute] = teller[codes[kept, attribute]]
            told.append((values, teller[first[values]]))
        more = []
        for attribute, (values, tellers) in enumerate(told):
            others = values != tellers
            present, where = np.unique(codes[kept, attribute], return_index=True)
            rows = codes[kept][where[np.searchsorted(present, tellers[others])]]
            rows[:, attribute] = values[others]
            more.append(rows)
        every = np.concatenate([codes, *more])
        sizes = np.concatenate([counts, np.zeros(len(every) - len(counts), np.int64)])
        order = np.lexsort(every.T[::-1])
        return FrequencyTable(
            domains=self.domains, codes=np.ascontiguousarray(every[order]), counts=sizes[order]
        )


def firsts_of(domains: Sequence[Domain], levels: Sequence[int]) -> Firsts:
    """What the codes of domains stand for at a node."""
    found = []
    for domain, level in zip(domains, levels, strict=True):
        parts = np.array(domain.hierarchy.parts[level], np.int32)
        _, first, of_code = np.unique(parts, return_index=True, return_inverse=True)
        found.append(first[of_code].astype(np.int32))
    return tuple(found)
