"""How much memory a search may use, and what to do if its table would need more."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.remote_table import NODE_ALGORITHMS

SEARCH_MULTIPLE = 16
"""The memory of a search, as a multiple of its table.

Measured with 1.8 million distinct rows of eight columns, 68 MB: `exact` 2.5, `mondrian` 10, `lattice` 12,
`flash` 17 times as much; for the latter two, 256 MB of that is a cache that does not grow.
"""
RELEASE_MULTIPLE = 4
"""The memory of a release of groups, as a multiple of the table of groups."""
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
        """The limit for a size like "2GB"; half of the machine's memory when absent."""
        if stated is None:
            return cls(_machine() // 2)
        match = _SIZE.fullmatch(stated.strip())
        if match is None:
            raise PolicyError(f'search_memory must be a size like "1GB" or "512MB"; it is {stated!r}')
        power = " KMGT".index(match[2].upper() or " ")
        return cls(int(float(match[1]) * (1024 if match[3] else 1000) ** power))

    def allows(self, rows: int, columns: int) -> bool:
        """Whether that many distinct rows and columns can be searched."""
        return _table(rows, columns) * SEARCH_MULTIPLE <= self.bytes

    def check(self, rows: int, columns: int, about: str) -> None:
        """Raise `PolicyError`, with advice, unless that many distinct rows can be searched."""
        if self.allows(rows, columns):
            return
        *others, last = map(repr, NODE_ALGORITHMS)
        raise PolicyError(
            f"{about} has {rows:,} distinct combinations of values; a search over them takes about "
            f"{_size_text(_table(rows, columns) * SEARCH_MULTIPLE)} of memory, and "
            f"{_size_text(self.bytes)} are allowed. Nothing was fetched. Put numbers into bins, leave "
            "out quasi-identifiers, or allow more (search_memory, --search-memory); or let the engine "
            f"count node by node: algorithm {', '.join(others)} or {last}, with k alone, no class and no "
            "privacy models; in Spark also 'mondrian' with distributed = true"
        )

    def check_groups(self, groups: int, columns: int, about: str) -> None:
        """Raise `PolicyError` unless the groups of a release can be fetched."""
        size = _table(groups, columns) * RELEASE_MULTIPLE
        if size > self.bytes:
            raise PolicyError(
                f"{about}: the recoding forms {groups:,} groups, which take about {_size_text(size)} "
                f"of memory, and {_size_text(self.bytes)} are allowed. Allow more (search_memory, "
                "--search-memory), or choose a larger k"
            )


def _table(rows: int, columns: int) -> int:
    """Bytes of a table of distinct rows: four per code, eight per count."""
    return rows * (4 * columns + 8)


def _machine() -> int:
    """The machine's memory; 4 GB if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 4_000_000_000


def _size_text(size: int) -> str:
    for unit, power in (("GB", 3), ("MB", 2)):
        if size >= 1000**power:
            return f"{size / 1000**power:,.1f} {unit}"
    return f"{size:,} bytes"
