"""A table released by a recoding under a limit of suppression, as properties measure it.

The suppression rule of the paper, section 6: k is not demanded but measured. Rows of the smallest groups are
suppressed, whole sizes at a time, while they are at most the limit; k is the least size that stays. The
largest groups always stay: an empty table is no release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


def least_kept(sizes: Iterable[int], limit: int) -> int:
    """The least size of a group that stays, where at most `limit` rows may be suppressed."""
    rows_of_size = Counter[int]()
    for size in sizes:
        rows_of_size[size] += size
    suppressed = 0
    for size, rows in sorted(rows_of_size.items()):
        suppressed += rows
        if suppressed > limit:
            return size
    return max(rows_of_size)


@dataclass(frozen=True, eq=False)
class Released:
    """The rows of a table in their groups.

    Rows that are equal in all that is counted share an entry: it is a distinct row, or one with one
    combination of sensitive values where those are counted. The entries of a table are the same whatever the
    recoding, so vectors over them can be compared row by row.

    Parameters
    ----------
    table, recoding
        What is recoded, and how.
    limit
        Most rows that may be suppressed.
    """

    table: FrequencyTable
    recoding: Recoding
    limit: int

    @cached_property
    def k(self) -> int:
        """Least rows of a released group."""
        every = groups(self.table, self.recoding, 1)
        return least_kept((size for size in every.sizes.tolist() if size > 0), self.limit)

    @cached_property
    def groups(self) -> Groups:
        """The groups, and which of them are released."""
        return groups(self.table, self.recoding, self.k)

    @cached_property
    def _entries(self) -> NDArray[np.int64]:
        """Per entry its distinct row."""
        facts = self.table.facts
        if facts is None:
            return np.arange(len(self.table.counts))
        return np.repeat(np.arange(len(self.table.counts)), np.diff(facts.first))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Per entry how many rows it represents."""
        return self.table.counts if self.table.facts is None else self.table.facts.counts

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """Per entry the number of its group."""
        return self.groups.of_row[self._entries]

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Per entry whether its rows are released."""
        return self.groups.kept[self.group]

    @property
    def suppressed(self) -> int:
        """Rows that are not released."""
        return self.groups.suppressed

    def sensitive(self, name: str) -> NDArray[np.int32]:
        """Per entry the code of its value in a sensitive column."""
        position = self.table.people.position(name)
        facts = self.table.facts
        assert facts is not None
        codes: NDArray[np.int32] = facts.combinations[facts.of_entry, position]
        return codes
