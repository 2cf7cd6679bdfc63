"""Top and bottom code: numbers or dates beyond a bound are released as the bound."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from shoal.model.cells.treated_texts import Meant
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.new_cells import CellKind, NewCells
from shoal.model.table.number_text import exact, is_finite, number, number_text
from shoal.treatments._base import Cells, Treatment

Written = Literal["label", "bound"]


@dataclass(frozen=True, kw_only=True)
class BoundCode(Treatment):
    """One end of a column.

    Parameters
    ----------
    at
        The bound: a number, or a date as text.
    written
        "label" writes `>= 90` in cells from the bound on; "bound" writes the bound itself, so that the column
        stays one of numbers, and a cell beyond it is not true of its row.
    """

    sign: ClassVar[str]
    checked_by = "original"

    at: int | float | str = field(metadata=parameter("Bound", "A number, or a date like 2024-05-17."))
    written: Written = field(
        default="label",
        metadata=parameter(
            "What is written beyond it",
            choices={"label": "a label like >= 90", "bound": "the bound: not true of its row"},
        ),
    )

    def __post_init__(self) -> None:
        readable = day_of(self.at) is not None if isinstance(self.at, str) else is_finite(self.at)
        if not readable:
            raise self.wrong("at", "a number, or a date like 2024-05-17")
        if self.written not in get_args(Written):
            raise self.wrong("written", "'label' or 'bound'")

    @property
    def truthful(self) -> bool:
        return self.written == "label"

    @property
    def needs(self) -> Meant:
        return "date" if isinstance(self.at, str) else "number"

    @abstractmethod
    def reaches(self, value: Fraction, bound: Fraction) -> bool:
        """Whether a value is at the bound or beyond it."""

    def treated(self, cells: Cells) -> NewCells:
        kind: CellKind = "same"
        if isinstance(self.at, str):
            values, bound, text = cells.days(self.name), day_of(self.at), self.at
        else:
            values, bound = cells.numbers(self.name), exact(self.at)
            text, kind = number_text(number(self.at)), "number"
        assert bound is not None
        beyond = {
            own: value is not None and self.reaches(value, bound)
            for own, value in zip(cells.texts, values, strict=True)
        }
        new = text if self.written == "bound" else f"{self.sign} {text}"
        return cells.mapped(
            lambda own: new if beyond[own] else own, "text" if self.written == "label" else kind
        )

    def words(self) -> str:
        what = f"{self.sign} {self.at}" if self.written == "label" else f"{self.at} itself"
        return f"has {what} in place of all values {self.sign} {self.at}"


@dataclass(frozen=True, kw_only=True)
class TopCode(BoundCode):
    """Values from a bound on."""

    name = "top-code"
    sign = ">="
    description = Description(
        title="Top code",
        short="Large numbers or late dates as one label",
        meaning="Each value from the bound on is released as a label such as `>= 90`.",
        when="When the few largest values would find a person: an age of 103, the highest income.",
        limits='With written = "bound" the column stays one of numbers, but its mean is too small.',
        example="With at = 90, 103 becomes >= 90, and 57 stays 57.",
    )

    def reaches(self, value: Fraction, bound: Fraction) -> bool:
        return value >= bound


@dataclass(frozen=True, kw_only=True)
class BottomCode(BoundCode):
    """Values up to a bound."""

    name = "bottom-code"
    sign = "<="
    description = Description(
        title="Bottom code",
        short="Small numbers or early dates as one label",
        meaning="Each value up to the bound is released as a label such as `<= 18`.",
        when="When the few smallest values would find a person.",
        limits='With written = "bound" the column stays one of numbers, but its mean is too large.',
        example="With at = 18, 3 becomes <= 18, and 57 stays 57.",
    )

    def reaches(self, value: Fraction, bound: Fraction) -> bool:
        return value <= bound
