"""One of several written tables, as its reader sees it."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.linked_columns import LinkedColumns


@dataclass(frozen=True, kw_only=True, eq=False)
class WrittenTable:
    """A table, and what its columns are.

    Parameters
    ----------
    columns
        Which columns identify, link and describe its rows.
    cells
        These columns, row by row.
    """

    columns: LinkedColumns
    cells: CodedCells

    @property
    def name(self) -> str:
        """The table."""
        return self.columns.name

    def texts(self, column: str) -> list[str | None]:
        """The cells of a column, row by row."""
        texts = self.cells.texts(column)
        return [texts[code] for code in self.cells.column(column).tolist()]

    def rows(self) -> list[tuple[str | None, ...]]:
        """The quasi-identifiers of each row."""
        if not self.columns.labels:
            return [()] * len(self.cells.codes)
        return list(zip(*(self.texts(name) for name in self.columns.labels), strict=True))
