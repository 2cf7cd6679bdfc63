"""Mask: some signs of a text are kept, the others hidden."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.treatments._base import Cells, Treatment

KEPT, HIDDEN = "#", "*"


@dataclass(frozen=True, kw_only=True)
class Mask(Treatment):
    """A pattern has one sign per place.

    Parameters
    ----------
    pattern
        `#` keeps the sign at its place, `*` hides it, and any other sign is written as it is.
    """

    name = "mask"
    description = Description(
        title="Mask",
        short="Some signs of a text are kept, the others hidden",
        meaning="The pattern has one sign per place: # keeps the sign of the cell, * hides it, and any other "
        "sign is written as it is. What comes after the end of the pattern is left out; where a cell is "
        "shorter than the pattern, * is written for what it lacks.",
        when="Codes whose beginning or end says what readers need: a postcode, a code of a diagnosis.",
        limits="The signs that are kept are known to others, too.",
        example='With pattern = "###**", 10115 becomes 101**; with "***-**-####", 123-45-6789 becomes '
        "***-**-6789.",
    )
    checked_by = "original"

    pattern: str = field(metadata=parameter("Pattern", "# keeps a sign, * hides it.", start="###**"))

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str) or not self.pattern:
            raise self.wrong("pattern", "a text of # and *")
        if HIDDEN not in self.pattern and KEPT not in self.pattern:
            raise self.wrong("pattern", "a text with # for signs that are kept, or * for hidden ones")

    def treated(self, cells: Cells) -> NewCells:
        return cells.mapped(self.masked)

    def masked(self, text: str) -> str:
        """A text behind the pattern."""
        padded = text.ljust(len(self.pattern), HIDDEN)
        return "".join(own if sign == KEPT else sign for sign, own in zip(self.pattern, padded, strict=False))

    def words(self) -> str:
        return f"was masked by the pattern {self.pattern}, where # keeps a sign and * hides it"
