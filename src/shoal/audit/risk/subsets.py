"""How well sets of columns tell rows apart.

Distinction is the share of distinct combinations among the rows; separation the share of pairs of rows that
differ somewhere.

Paper: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, SDM 2008.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.model.coded_cells import CodedCells
from shoal.model.group_sizes import GroupSizes

MOST_WORK = 30_000_000
"""Lines that are looked at, over all sets of columns: a few seconds. Where all sets would take more, only the
small ones are measured, and the whole."""


@dataclass(frozen=True, kw_only=True)
class Subset:
    """What a set of columns tells.

    Parameters
    ----------
    columns
        The columns.
    distinction
        Distinct combinations over rows.
    separation
        The share of pairs of rows that are told apart; 0 where there is no pair.
    uniqueness
        The share of rows that no other row is like.
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float
    uniqueness: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "columns": list(self.columns),
            "distinction": self.distinction,
            "separation": self.separation,
            "uniqueness": self.uniqueness,
        }


def subset_of(columns: Sequence[str], sizes: GroupSizes) -> Subset:
    """What the sizes of the groups of some columns tell."""
    rows = sizes.rows
    alike = sum(
        size * (size - 1) * n for size, n in zip(sizes.sizes.tolist(), sizes.groups.tolist(), strict=True)
    )
    pairs = rows * (rows - 1)
    return Subset(
        columns=tuple(columns),
        distinction=sizes.count / rows if rows else 0.0,
        separation=(pairs - alike) / pairs if pairs else 0.0,
        uniqueness=sizes.of_size(1) / rows if rows else 0.0,
    )


def subsets_measured(cells: CodedCells) -> list[Subset]:
    """Every set of columns, or those of few columns and the whole: small ones first."""
    place = {name: index for index, name in enumerate(cells.columns)}
    most = largest_measured(len(cells.columns), len(cells.codes))
    found = _all(cells) if most == len(cells.columns) else _small(cells, most)
    return sorted(found, key=lambda each: (len(each.columns), [place[name] for name in each.columns]))


def largest_measured(columns: int, lines: int) -> int:
    """Of how many columns the sets are that can be measured in time; at least one."""
    work = 0
    for size in range(1, columns + 1):
        work += math.comb(columns, size) * lines
        if work > MOST_WORK:
            return max(1, size - 1)
    return columns


def _small(cells: CodedCells, most: int) -> Iterator[Subset]:
    for size in range(1, most + 1):
        for columns in combinations(cells.columns, size):
            yield _measured(cells.of(columns))
    yield _measured(cells)


def _all(cells: CodedCells) -> Iterator[Subset]:
    """All sets, each from one with a column more. What has many values goes first: most start from few."""
    most_values = sorted(cells.columns, key=lambda name: -len(np.unique(cells.column(name))))
    left: list[tuple[CodedCells, int]] = [(cells, 0)]
    while left:
        larger, begin = left.pop()
        yield _measured(larger)
        for place in range(begin, len(most_values)):
            kept = [name for name in larger.columns if name != most_values[place]]
            if kept:
                left.append((larger.of(kept), place + 1))


def _measured(cells: CodedCells) -> Subset:
    return subset_of(cells.columns, sizes_of(cells))


def sizes_of(cells: CodedCells) -> GroupSizes:
    """The sizes of the groups that distinct rows are."""
    sizes, groups = np.unique(cells.counts, return_counts=True)
    return GroupSizes(sizes=sizes.astype(np.int64), groups=groups.astype(np.int64))
