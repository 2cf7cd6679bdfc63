"""Rows that an engine keeps on many workers: what an algorithm may query, and what it may send there.

Only sums leave the engine: how many rows have each code in a region and, if privacy models read them, each
sensitive value with it; how many are released as each value; how many groups have each size. An algorithm
that needs no more than that (`mondrian`) needs no frequency table.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.recoding.cut_tree import CutTree
from shoal.model.recoding.local_recoding import LocalRecoding, Vocabulary
from shoal.model.recoding.released_keys import Key, Released
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import SensitiveColumn


@dataclass(frozen=True, eq=False)
class KnownFacts:
    """The facts of `FrequencyTable.facts`, without the rows that have them.

    Parameters
    ----------
    columns
        The columns that privacy models read.
    combinations
        Combinations of their codes, one line each: the facts. Not all of them need to occur.
    """

    columns: tuple[SensitiveColumn, ...]
    combinations: NDArray[np.int32]

    def of_lines(self, row: NDArray[np.int64], fact: NDArray[np.int64], counts: NDArray[np.int64]) -> Facts:
        """The facts of a table, from lines in the order of its rows.

        Parameters
        ----------
        row, fact, counts
            Per line its row of the table, its fact, and how many rows of the source have both.
        """
        first = np.concatenate(([0], np.cumsum(np.bincount(row))))
        return Facts(
            columns=self.columns,
            combinations=self.combinations,
            first=first.astype(np.int64),
            of_entry=fact.astype(np.int32),
            counts=counts,
        )


@dataclass(frozen=True, eq=False)
class Codes:
    """The codes that the rows of a region have in an attribute.

    Parameters
    ----------
    codes
        The codes, increasing.
    rows, lines
        For each code the number of rows of the source that have it, and the number of distinct rows; rows
        with different facts are distinct, too.
    facts
        For each code the number of rows of each fact, if facts are counted.
    """

    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    lines: NDArray[np.int64]
    facts: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Histogram:
    """What is known about a region: the codes of each attribute."""

    attributes: tuple[Codes, ...]

    @property
    def rows(self) -> int:
        """Rows of the source in the region."""
        return int(self.attributes[0].rows.sum())

    @property
    def lines(self) -> int:
        """Distinct rows in the region."""
        return int(self.attributes[0].lines.sum())

    @property
    def facts(self) -> NDArray[np.int64] | None:
        """Rows of the source of each fact, if facts are counted."""
        facts = self.attributes[0].facts
        return None if facts is None else facts.sum(axis=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fragment:
    """The groups of a fragment: a region whose rows are all on one worker.

    Parameters
    ----------
    group_of
        For each distinct row its group, numbered from 0.
    values
        For each distinct row and attribute the number of the released value, among those of the fragment.
    keys
        For each attribute the keys of the fragment's released values.
    nodes
        Groups for which the worker searched for a cut.
    """

    group_of: NDArray[np.int64]
    values: NDArray[np.int32]
    keys: tuple[list[Key], ...]
    nodes: int


Solve = Callable[[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64] | None], Fragment]
"""What a worker does with the codes and counts of a fragment, and with its facts, if these are counted.

It is sent there, and must be picklable.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class DistributedGroups:
    """All rows in groups, in the place where the rows are.

    Parameters
    ----------
    values
        For each attribute the released values, in order.
    rows_of_value
        For each attribute the number of rows released as each of them.
    sizes
        The sizes of groups, counted from what is released, and how many groups have each.
    stars
        The number of rows in which every value is a suppressed cell.
    released_codes
        For each attribute the codes that rows have in cells that are not suppressed.
    nodes
        Groups for which workers searched for a cut.
    place
        Where the engine keeps the rows, their groups and the numbers of their released values.
    """

    values: tuple[tuple[Released, ...], ...]
    rows_of_value: tuple[NDArray[np.int64], ...]
    sizes: Mapping[int, int]
    stars: int
    released_codes: tuple[frozenset[int], ...]
    nodes: int
    place: Any


class DistributedRows(ABC):
    """Distinct coded rows with their counts, in an engine.

    Parameters
    ----------
    domains
        One per attribute.
    facts
        What privacy models read of the rows; `None` if nothing.
    """

    domains: tuple[Domain, ...]
    facts: KnownFacts | None = None

    def over(self, domains: Sequence[Domain]) -> Self:
        """The same rows over domains with the same values and additional hierarchies."""
        rows = copy.copy(self)
        rows.domains = tuple(domains)
        return rows

    @cached_property
    def whole(self) -> Histogram:
        """The histogram of the whole table."""
        return self.histograms(CutTree(), [0])[0]

    @abstractmethod
    def histograms(self, tree: CutTree, regions: Sequence[int]) -> dict[int, Histogram]:
        """The histograms of some leaves of a tree, in one pass over the rows."""

    @abstractmethod
    def grouped(
        self,
        tree: CutTree,
        finished: Mapping[int, Sequence[Released]],
        solve: Solve,
        vocabulary: Sequence[Vocabulary],
    ) -> DistributedGroups:
        """Put all rows into groups, and count the groups from the released values.

        Parameters
        ----------
        tree
            Its leaves are groups or fragments.
        finished
            The leaves that are groups, and the released values of each.
        solve
            What to do with each other leaf, on one worker.
        vocabulary
            For each attribute what its released values are.
        """


@dataclass(frozen=True, kw_only=True, eq=False)
class DistributedRecoding(LocalRecoding):
    """A local recoding whose rows are in an engine; `values` has every released value, and no rows.

    Parameters
    ----------
    groups
        The groups that it forms.
    """

    groups: DistributedGroups

    @classmethod
    def of(cls, groups: DistributedGroups) -> DistributedRecoding:
        """The recoding that releases these groups."""
        most = max(map(len, groups.values))
        lines = [np.minimum(np.arange(most), len(each) - 1) for each in groups.values]
        return cls(values=np.column_stack(lines).astype(np.int32), nodes=groups.values, groups=groups)

    def released(self, table: FrequencyTable) -> NDArray[np.int32]:  # noqa: ARG002
        raise InternalError(
            "the rows of this recoding are in an engine, and only the engine can release them"
        )


def marginal_table(
    domains: Sequence[Domain], whole: Histogram, known: KnownFacts | None = None
) -> FrequencyTable:
    """A frequency table with the domains, the rows and the codes of a histogram, attribute by attribute.

    Everything that depends on single columns is the same as for the table itself: checks of k and weights,
    and costs that are means over cells. The table does not know which codes occur together in a row: the
    first codes of all attributes form the first rows, then the next.
    """
    sums = [np.cumsum(each.rows) for each in whole.attributes]
    if known is not None:
        assert whole.facts is not None  # they are counted where they are known
        sums.append(np.cumsum(whole.facts))
    ends = np.unique(np.concatenate(sums))
    ends = ends[ends > 0]
    columns = [
        each.codes[np.searchsorted(until, ends, side="left")]
        for each, until in zip(whole.attributes, sums, strict=False)
    ]
    counts = np.diff(ends, prepend=0).astype(np.int64)
    facts = None
    if known is not None:
        fact = np.searchsorted(sums[-1], ends, side="left")
        facts = known.of_lines(np.arange(len(ends)), fact, counts)
    return FrequencyTable(
        domains=tuple(domains),
        codes=np.ascontiguousarray(np.column_stack(columns), np.int32),
        counts=counts,
        facts=facts,
    )
