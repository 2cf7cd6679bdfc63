"""What a look at some rows of a table tells of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.model.table.domain import SUPPRESSED


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How well the value of one column tells that of another, counted in pairs of rows.

    Parameters
    ----------
    rows
        Rows that share their value of the first column with another row; missing ones aside.
    chance
        Of all pairs of rows that agree in the first column, the share that agrees in the second, too.
    by_chance
        How often two rows agree in the second column, whatever the first.
    """

    rows: int
    chance: float
    by_chance: float

    @property
    def strength(self) -> float:
        """What the first column adds, of what it could: 0 for nothing, 1 if it determines the second."""
        left = 1 - self.by_chance
        return (self.chance - self.by_chance) / left if left > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """How many values a column has.

    Parameters
    ----------
    known, values
        Cells that are not missing, and how many distinct ones there are among them; or both of a part of the
        values, with all of its rows.
    """

    known: int
    values: int

    @property
    def share(self) -> float:
        """Distinct values per cell."""
        return self.values / self.known if self.known else 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class TableLook:
    """A look at a table. The texts are private: they go into no message.

    Parameters
    ----------
    rows
        Rows of the table.
    texts
        Column -> its cells in some rows, the same rows for each; `None` for a missing one.
    distinct
        Column -> how many values it has, of columns that could be nearly unique; of the others what a sample
        has.
    agreements
        (first, second) -> how well the first column tells the second.
    """

    rows: int
    texts: Mapping[str, tuple[str | None, ...]] = field(repr=False)
    distinct: Mapping[str, Distinct]
    agreements: Mapping[tuple[str, str], Agreement] = field(default_factory=dict)

    def told(self, column: str) -> list[str]:
        """The distinct texts of a column that tell something: missing cells and `*` do not."""
        return sorted({text for text in self.texts.get(column, ()) if text and text != SUPPRESSED})
