"""A frequency table whose distinct rows stay in the engine: searches query them and never fetch them.

Searches that visit nodes one by one need only sums over the groups of a node. The first of the codes that a
level joins represents all of them. So the groups of a node are rows of the same form as the distinct rows,
and the nodes above it can be counted from its groups.
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
"""The algorithms that visit nodes one by one."""

Firsts = tuple[NDArray[np.int32], ...]
"""For each attribute and code the first of the codes that a node joins with it."""


@dataclass(frozen=True)
class NodeSums:
    """What an engine counts in a node for one k.

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
        """The sum of the units of all codes of the rows in groups smaller than k."""

    def groups(self, firsts: Firsts) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The groups of a node: their codes, and their rows."""

    def rows_below(self, firsts: Firsts, k: int) -> list[NDArray[np.int64]]:
        """For each attribute and code the number of rows in groups smaller than k."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteTable(FrequencyTable):
    """Domains and how often each value occurs; `codes` and `counts` are empty.

    Parameters
    ----------
    margins
        For each attribute the rows of each code.
    remote_rows
        The distinct rows.
    """

    margins: tuple[NDArray[np.int64], ...]

    remote_rows: RemoteRows

    @cached_property
    def rows(self) -> int:
        return int(self.margins[0].sum())

    def margin(self, attribute: int) -> NDArray[np.int64]:
        return self.margins[attribute]

    def fetched(self, levels: Sequence[int], k: int) -> FrequencyTable:
        """The groups of a node as a table; recodings at or above the node give the same release of it as of
        this one.

        Labels are spelled with released values, so the released rows of both tables must have the same
        values: a released group is represented by released values, and each further value gets a row with
        count 0.
        """
        firsts = firsts_of(self.domains, levels)
        codes, counts = self.remote_rows.groups(firsts)
        kept = counts >= k
        released = list(self.margins)
        if not kept.all():
            below = self.remote_rows.rows_below(firsts, k)
            released = [margin - less for margin, less in zip(self.margins, below, strict=True)]
        represented = []
        for attribute, first in enumerate(firsts):
            values = np.flatnonzero(released[attribute])
            representative = np.arange(len(first), dtype=np.int32)
            representative[first[values[::-1]]] = values[::-1]  # of several the least
            codes[kept, attribute] = representative[codes[kept, attribute]]
            represented.append((values, representative[first[values]]))
        more = []
        for attribute, (values, representatives) in enumerate(represented):
            others = values != representatives
            present, where = np.unique(codes[kept, attribute], return_index=True)
            rows = codes[kept][where[np.searchsorted(present, representatives[others])]]
            rows[:, attribute] = values[others]
            more.append(rows)
        every = np.concatenate([codes, *more])
        sizes = np.concatenate([counts, np.zeros(len(every) - len(counts), np.int64)])
        order = np.lexsort(every.T[::-1])
        return FrequencyTable(
            domains=self.domains, codes=np.ascontiguousarray(every[order]), counts=sizes[order]
        )


def firsts_of(domains: Sequence[Domain], levels: Sequence[int]) -> Firsts:
    """For each code of the domains, the code that represents it at a node."""
    firsts = []
    for domain, level in zip(domains, levels, strict=True):
        parts = np.array(domain.hierarchy.parts[level], np.int32)
        _, first, of_code = np.unique(parts, return_index=True, return_inverse=True)
        firsts.append(first[of_code].astype(np.int32))
    return tuple(firsts)
