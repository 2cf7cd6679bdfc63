"""What a sample of its rows reveals about the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.model.table.domain import SUPPRESSED


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How well the value of one column predicts that of another, counted in pairs of rows.

    Parameters
    ----------
    rows
        Rows that share their value of the first column with another row, without missing ones.
    chance
        Of all pairs of rows that agree in the first column, the share that also agrees in the second.
    by_chance
        How often two rows agree in the second column, whatever the first.
    """

    rows: int
    chance: float
    by_chance: float

    @property
    def strength(self) -> float:
        """How much the first column adds to chance: 0 for nothing, 1 if it determines the second."""
        possible = 1 - self.by_chance
        return (self.chance - self.by_chance) / possible if possible > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """How many values a column has.

    Parameters
    ----------
    known, values
        Cells that are not missing, and the distinct ones among them; or the same two numbers for a part of
        the values with all of its rows.
    """

    known: int
    values: int

    @property
    def share(self) -> float:
        """Distinct values per cell."""
        return self.values / self.known if self.known else 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class TableSample:
    """A sample of a table. The texts are private: they go into no message.

    Parameters
    ----------
    rows
        Rows of the table.
    texts
        Column -> its cells in some rows, the same rows for each; `None` for a missing one.
    distinct
        Column -> how many values it has, for columns that could be nearly unique; for the others, how many
        the sample has.
    agreements
        (first, second) -> how well the first column predicts the second.
    """

    rows: int
    texts: Mapping[str, tuple[str | None, ...]] = field(repr=False)
    distinct: Mapping[str, Distinct]
    agreements: Mapping[tuple[str, str], Agreement] = field(default_factory=dict)

    def informative(self, column: str) -> list[str]:
        """The distinct texts of a column that reveal something: all but missing cells and `*`."""
        return sorted({text for text in self.texts.get(column, ()) if text and text != SUPPRESSED})
