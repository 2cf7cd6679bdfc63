"""Round: numbers as the nearest multiple of a base."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import LARGEST, exact, is_finite, number, number_of, number_text
from shoal.treatments._base import Cells, Treatment


@dataclass(frozen=True, kw_only=True)
class Round(Treatment):
    """Exact arithmetic: no number becomes a double on its way.

    Parameters
    ----------
    to
        The base.
    """

    name = "round"
    description = Description(
        title="Round",
        short="Numbers as the nearest multiple of a base",
        meaning="Each number is replaced by the nearest multiple of the base. A number halfway between two "
        "multiples goes to the even one: with a base of 100, 250 becomes 200 and 350 becomes 400.",
        when="Amounts whose last digits would find a person, such as an income to the cent.",
        limits="A rare large amount stays rare; top-code hides it.",
        example="With to = 100, 1,234 becomes 1200.",
    )
    meant = "number"
    checked_by = "original"

    to: int | float = field(metadata=parameter("To multiples of", "The base, above 0.", start=100, least=0))

    def __post_init__(self) -> None:
        if not is_finite(self.to) or not 0 < self.to <= LARGEST:
            raise self.wrong("to", "a number above 0")

    def treated(self, cells: Cells) -> NewCells:
        cells.numbers(self.name)
        return cells.mapped(self.rounded, kind="number")

    def rounded(self, text: str) -> str:
        """The nearest multiple; Python rounds fractions halfway to the even whole number."""
        value, base = number_of(text), exact(self.to)
        if value is None:
            raise PolicyError(f"treatment {self.name!r} needs numbers")
        return number_text(number(Fraction(round(value / base)) * base))

    def words(self) -> str:
        return f"was rounded to multiples of {self.to}; halfway goes to the even multiple"
