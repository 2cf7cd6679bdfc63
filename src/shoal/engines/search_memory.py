"""How much memory a search may take, and what to do when its table would take more."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.remote_table import NODE_ALGORITHMS

SEARCH_MULTIPLE = 16
"""What a search takes, as a multiple of its table.

Measured with 1.8 million distinct rows of eight columns, 68 MB: `exact` 2.5, `mondrian` 10, `lattice` 12,
`flash` 17 times as much; 256 MB of what the latter two take are a cache, and do not grow.
"""
RELEASE_MULTIPLE = 4
"""What making a release of groups takes, as a multiple of the table of groups."""
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*([KMGT]?)(i?)B", re.IGNORECASE)


@dataclass(frozen=True)
class SearchMemory:
    """Most memory that the table of a search and the search itself may take.

    Parameters
    ----------
    bytes
        The limit.
    """

    bytes: int

    @classmethod
    def of(cls, stated: str | None) -> SearchMemory:
        """The limit that a size such as "2GB" states; half of the machine's memory when nothing is stated."""
        if stated is None:
            return cls(_machine() // 2)
        found = _SIZE.fullmatch(stated.strip())
        if found is None:
            raise PolicyError(f'search_memory must be a size like "1GB" or "512MB"; it is {stated!r}')
        power = " KMGT".index(found[2].upper() or " ")
        return cls(int(float(found[1]) * (1024 if found[3] else 1000) ** power))

    def allows(self, rows: int, columns: int) -> bool:
        """Whether so many distinct rows of so many columns can be searched."""
        return _table(rows, columns) * SEARCH_MULTIPLE <= self.bytes

    def check(self, rows: int, columns: int, about: str) -> None:
        """Raise `PolicyError`, with what helps, unless so many distinct rows can be searched."""
        if self.allows(rows, columns):
            return
        *others, last = map(repr, NODE_ALGORITHMS)
        raise PolicyError(
            f"{about} has {rows:,} distinct combinations of values; a search among them takes about "
            f"{_words(_table(rows, columns) * SEARCH_MULTIPLE)} of memory, and {_words(self.bytes)} are "
            "allowed. Nothing was fetched. Put numbers into bins, leave out quasi-identifiers, or allow more "
            "(search_memory, --search-memory); or let the engine count node by node: algorithm "
            f"{', '.join(others)} or {last}, with k alone, no class and no privacy models; in Spark also "
            "'mondrian' with distributed = true"
        )

    def check_groups(self, groups: int, columns: int, about: str) -> None:
        """Raise `PolicyError` unless the groups of a release can be fetched."""
        size = _table(groups, columns) * RELEASE_MULTIPLE
        if size > self.bytes:
            raise PolicyError(
                f"{about}: the recoding that was found makes {groups:,} groups, which take about "
                f"{_words(size)} of memory, and {_words(self.bytes)} are allowed. Allow more (search_memory, "
                "--search-memory), or ask for a larger k"
            )


def _table(rows: int, columns: int) -> int:
    """Bytes of a table of distinct rows: four per code, eight per count."""
    return rows * (4 * columns + 8)


def _machine() -> int:
    """The machine's memory; 4 GB where it cannot be told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 4_000_000_000


def _words(size: int) -> str:
    for unit, power in (("GB", 3), ("MB", 2)):
        if size >= 1000**power:
            return f"{size / 1000**power:,.1f} {unit}"
    return f"{size:,} bytes"
