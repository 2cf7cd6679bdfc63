"""The problem: frequency table, privacy demand, cost metric and suppression limit; checked once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import PolicyError
from shoal.model.frequency import FrequencyTable

if TYPE_CHECKING:
    from shoal.cost import CostMetric


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Find the recoding of `table` of least `cost` whose groups have at least `k` rows.

    Rows of smaller groups are suppressed; `limit` says how many may be.

    Parameters
    ----------
    table
        The data.
    k
        Least size of a released group.
    cost
        The metric to minimize.
    limit
        Most rows that may be suppressed; `None` for any number.
    levels
        Per attribute the least and the greatest level that is allowed; all of its levels when empty.
    sets
        Quasi-identifiers that others know apart from each other, each by its attributes. When empty, as
        usual, all attributes together are the one quasi-identifier.
    """

    table: FrequencyTable
    k: int
    cost: CostMetric
    limit: int | None = None
    levels: tuple[tuple[int, int], ...] = ()
    sets: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        rows = self.table.rows
        if not self.table.domains:
            raise PolicyError("name at least one quasi-identifier")
        if rows == 0:
            raise PolicyError("the source has no rows; there is nothing to release")
        if self.k < 1:
            raise PolicyError(f"k must be at least 1; it is {self.k}")
        if self.k > rows:
            raise PolicyError(f"k = {self.k:,} is larger than the table ({rows:,} rows); choose a smaller k")
        if self.limit is not None and not 0 <= self.limit <= rows:
            raise PolicyError(f"suppression = {self.limit:,} is out of range: 0 to {rows:,} rows")
        for domain, (least, greatest) in zip(self.table.domains, self.levels, strict=bool(self.levels)):
            height = domain.hierarchy.height
            if not 0 <= least <= greatest <= height:
                raise PolicyError(
                    f"column {domain.name!r}: levels {least} to {greatest} are asked for, but its hierarchy "
                    f"has levels 0 to {height}; change min_level or max_level"
                )
        self.cost.check(self.table)

    @property
    def most_suppressed(self) -> int:
        """Rows that may be suppressed."""
        return self.table.rows if self.limit is None else self.limit

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that determines the answer."""
        sha = hashlib.sha256()
        sha.update(repr((self.k, self.cost, self.limit, self.levels, self.sets, self.table.labels)).encode())
        sha.update(repr(self.table.domains).encode())
        for array in (self.table.codes, self.table.counts, self.table.label_counts):
            sha.update(array.tobytes())
        return sha.hexdigest()
