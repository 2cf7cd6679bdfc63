"""A treated column as it was written, next to the original cells of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.column_check import same_text
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.coded_cells import CodedCells

Facts = Mapping[str, Any]
"""What the manifest says about the treatment of a column."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedColumn:
    """The cells of one column.

    Parameters
    ----------
    column
        The column.
    released
        The written rows of the columns that the treatment needs, in the order of the release, without masked
        ones.
    original
        All rows of the source.
    rows
        Per written row its row of the source.
    facts
        What the manifest says about all treated columns.
    hierarchies
        The hierarchies by which columns were generalized, as far as they are known.
    """

    column: str
    released: CodedCells
    original: CodedCells
    rows: NDArray[np.int64]
    facts: Mapping[str, Facts]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @property
    def own(self) -> Facts:
        """What the manifest says about this column."""
        return self.facts[self.column]

    @property
    def left_out(self) -> int:
        """Rows of the source that the release does not have."""
        return len(self.original.codes) - len(self.rows)

    @property
    def codes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Per written row the codes of its released cell and of its original one."""
        return self.released.column(self.column), self.original.column(self.column)[self.rows]

    @cached_property
    def pairs(self) -> list[tuple[str | None, str | None, int]]:
        """The different pairs of a released and an original text, and how many rows have each."""
        written, values = self.released.texts(self.column), self.original.texts(self.column)
        cells, originals = self.codes
        keys, counts = np.unique(cells.astype(np.int64) * len(values) + originals, return_counts=True)
        return [
            (written[key // len(values)], values[key % len(values)], count)
            for key, count in zip(keys.tolist(), counts.tolist(), strict=True)
        ]

    def of(self, column: str) -> ComparedColumn:
        """Another treated column of the same rows."""
        return replace(self, column=column)

    def values(self) -> set[object]:
        """The known values of the source, also of rows that were left out."""
        codes = np.unique(self.original.column(self.column)).tolist()
        texts = self.original.texts(self.column)
        return {same_text(text) for code in codes if (text := texts[code]) is not None}

    def row_values(self, read: Callable[[str], Any]) -> tuple[list[Any], list[Any]]:
        """Per written row its released and its original value; `None` where one is missing."""
        written, original = self.codes
        one = [None if text is None else read(text) for text in self.released.texts(self.column)]
        other = [None if text is None else read(text) for text in self.original.texts(self.column)]
        return [one[code] for code in written.tolist()], [other[code] for code in original.tolist()]


def are_equal(one: str | None, other: str | None) -> bool:
    """Whether two texts are the same cell; a frame and a file may write a number differently."""
    if one is None or other is None:
        return one is other
    return one == other or same_text(one) == same_text(other)
