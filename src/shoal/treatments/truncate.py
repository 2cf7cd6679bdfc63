"""Truncate: dates as their year, quarter or month."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal, get_args

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.treatments._base import Cells, Treatment

Unit = Literal["year", "quarter", "month"]


@dataclass(frozen=True, kw_only=True)
class Truncate(Treatment):
    """Dates and moments.

    Parameters
    ----------
    to
        "year" (2024), "quarter" (2024-Q2) or "month" (2024-05).
    """

    name = "truncate"
    description = Description(
        title="Truncate",
        short="Dates as their year, quarter or month",
        meaning="Each date or moment is replaced by the year, quarter or month that it is in.",
        when="Dates that readers compare by season or year.",
        limits="Intervals of days are lost; shift keeps them.",
        example='With to = "month", 2024-05-17 becomes 2024-05.',
    )
    meant = "date"
    checked_by = "original"

    to: Unit = field(
        default="month",
        metadata=parameter("To the", choices={"year": "year", "quarter": "quarter", "month": "month"}),
    )

    def __post_init__(self) -> None:
        if self.to not in get_args(Unit):
            raise self.wrong("to", "'year', 'quarter' or 'month'")

    def treated(self, cells: Cells) -> NewCells:
        cells.days(self.name)
        return cells.mapped(self.truncated)

    def truncated(self, text: str) -> str:
        """The year, quarter or month of a date, as the cell itself has it, whatever its time zone."""
        day = date.fromisoformat(text[:10])
        if self.to == "quarter":
            return f"{day.year:04}-Q{(day.month + 2) // 3}"
        return text[:4] if self.to == "year" else text[:7]

    def words(self) -> str:
        return f"was truncated to the {self.to}"
