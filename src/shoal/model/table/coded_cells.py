"""A table as a reader sees it: the texts of its cells, and which row has which text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import SUPPRESSED


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedCells:
    """Rows of some columns. Nothing here depends on how the table was produced.

    Parameters
    ----------
    columns
        The columns that were read.
    cells
        For each column the text of each code; `None` is a missing cell.
    codes
        One line per row, or per distinct row, with one code per column.
    counts
        How many rows each line represents: 1 where rows were read one by one, in their order.
    """

    columns: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return int(self.counts.sum())

    def position(self, column: str) -> int:
        """The number of a column."""
        return self.columns.index(column)

    def texts(self, column: str) -> tuple[str | None, ...]:
        """The texts of a column by code."""
        return self.cells[self.position(column)]

    def column(self, name: str) -> NDArray[np.int32]:
        """The codes of a column."""
        return self.codes[:, self.position(name)]

    def digest(self, columns: Sequence[str]) -> str:
        """SHA-256 of the cells of some columns, line by line, however their texts are numbered."""
        sha = hashlib.sha256(f"{len(self.codes)} lines".encode())
        for name in columns:
            ordered = sorted({text for text in self.texts(name) if text is not None})
            places = {text: place for place, text in enumerate(ordered)}
            place_of = np.array([-1 if text is None else places[text] for text in self.texts(name)], np.int64)
            cells = place_of[self.column(name)]
            used = [ordered[place] for place in np.unique(cells[cells >= 0]).tolist()]
            dense = np.unique(cells, return_inverse=True)[1].astype(np.int64)
            sha.update(repr((name, bool((cells < 0).any()), used)).encode("utf-8", "surrogatepass"))
            sha.update(dense.tobytes())
        return sha.hexdigest()

    def stars(self) -> NDArray[np.bool_]:
        """Whether the cell of each line and column is suppressed, that is, reads `*`."""
        flags = [np.array([text == SUPPRESSED for text in texts], np.bool_) for texts in self.cells]
        if not flags:
            return np.zeros((len(self.codes), 0), np.bool_)
        return np.column_stack([flag[self.codes[:, index]] for index, flag in enumerate(flags)])

    def of(self, columns: Sequence[str]) -> CodedCells:
        """Distinct rows of some of the columns."""
        chosen = [self.position(name) for name in columns]
        lines, of_line = distinct_codes(self.codes[:, chosen])
        return CodedCells(
            columns=tuple(columns),
            cells=tuple(self.cells[each] for each in chosen),
            codes=lines.astype(np.int32),
            counts=np.bincount(of_line, self.counts, len(lines)).astype(np.int64),
        )

    def spelled(self, sets: Mapping[str, Mapping[str, str]]) -> CodedCells:
        """The same rows, with some labels in another spelling: that of `listed_sets`, by column."""
        if not any(name in sets for name in self.columns):
            return self
        cells = (
            tuple(text if text is None else sets[name].get(text, text) for text in texts)
            if name in sets
            else texts
            for name, texts in zip(self.columns, self.cells, strict=True)
        )
        return replace(self, cells=tuple(cells))

    def lines(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> CodedCells:
        """Some of the lines."""
        return replace(self, codes=self.codes[chosen], counts=self.counts[chosen])
