"""How large the groups of a table are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupSizes:
    """How many groups of each size a table has. Its rows of `*` belong to none.

    Parameters
    ----------
    sizes, groups
        The sizes that occur, in increasing order, and how many groups have each.
    suppressed
        Rows whose quasi-identifiers all read `*`.
    """

    sizes: NDArray[np.int64]
    groups: NDArray[np.int64]
    suppressed: int = 0

    @cached_property
    def rows(self) -> int:
        """Rows that belong to a group."""
        return int((self.sizes * self.groups).sum())

    @cached_property
    def count(self) -> int:
        """All groups."""
        return int(self.groups.sum())

    @property
    def smallest(self) -> int | None:
        """Rows of the smallest group; `None` without groups."""
        return int(self.sizes[0]) if len(self.sizes) else None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each size and how many groups have it, as plain numbers."""
        return list(zip(self.sizes.tolist(), self.groups.tolist(), strict=True))

    def of_size(self, size: int) -> int:
        """How many groups have exactly this size."""
        place = int(np.searchsorted(self.sizes, size))
        return int(self.groups[place]) if place < len(self.sizes) and self.sizes[place] == size else 0

    def rows_below(self, size: int) -> int:
        """Rows in groups that are smaller."""
        small = self.sizes < size
        return int((self.sizes[small] * self.groups[small]).sum())
