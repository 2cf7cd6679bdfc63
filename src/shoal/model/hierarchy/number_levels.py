"""Levels of numbers: intervals of given widths, or of neighbouring values, with optional open ends.

Whole numbers are released as `[20, 29]`, both ends included. Other numbers become intervals of a width,
`[1.5, 3)`, without the upper end, or intervals of neighbours, `[1.5, 2.75]`, from the least to the greatest.
Open ends read `< 20` and `>= 80`; they are the same at every level, and intervals stop at them. Widths are
anchored at 0, so an interval of one table means the same in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from shoal.errors import PolicyError
from shoal.model.hierarchy.neighbours import Starts
from shoal.model.table.domain import Domain
from shoal.model.table.number_text import decimal_text, exact


@dataclass(frozen=True, kw_only=True)
class NumberLine:
    """The numbers of a domain, and where the open ends begin.

    Parameters
    ----------
    domain
        Numbers, perhaps in bins, in increasing order.
    bottom, top
        Numbers below `bottom`, and numbers from `top` on, are not distinguished any further.
    """

    domain: Domain
    bottom: int | float | None = None
    top: int | float | None = None

    def __post_init__(self) -> None:
        for name, end in (("bottom", self.bottom), ("top", self.top)):
            if end is not None and any(low < exact(end) < low + self._bin for low in self._lows):
                raise PolicyError(
                    f"column {self.domain.name!r}: the {name} {end} is inside a bin; use an end of a bin"
                )

    @cached_property
    def _lows(self) -> tuple[Fraction, ...]:
        present = self.domain.values[: len(self.domain) - self.domain.has_missing]
        return tuple(exact(value) for value in present if isinstance(value, int | Decimal))

    @cached_property
    def _bin(self) -> Fraction:
        return Fraction(0) if self.domain.bin is None else exact(self.domain.bin)

    @cached_property
    def middle(self) -> range:
        """The codes between the open ends."""
        low = 0 if self.bottom is None else sum(value < exact(self.bottom) for value in self._lows)
        high = len(self._lows) if self.top is None else sum(value < exact(self.top) for value in self._lows)
        return range(low, high)

    def ungrouped(self) -> list[str]:
        """The label of each code when only the open ends are joined."""
        return self._with_ends([self.domain.label(code, code) or "" for code in self.middle])

    def of_width(self, width: Fraction) -> list[str]:
        """The label of each code when intervals have this width."""
        whole = self._whole and width.denominator == 1
        labels = []
        for code in self.middle:
            low = self._lows[code] // width * width
            if self._lows[code] + self._bin > low + width:
                raise PolicyError(
                    f"column {self.domain.name!r}: intervals of width {decimal_text(width)} would divide its "
                    f"bins of width {self.domain.bin}; use a multiple of the bin"
                )
            first = low if self.bottom is None else max(low, exact(self.bottom))
            end = low + width if self.top is None else min(low + width, exact(self.top))
            labels.append(_label(first, end, whole=whole))
        return self._with_ends(labels)

    def of_parts(self, starts: Starts) -> list[str]:
        """The label of each code when parts of `middle` begin at these places of it.

        They are built from the values present, as cuts are, so a release can spell them again with its own
        values: an end halfway to the next part would reveal a value that only suppressed rows had.
        """
        ends = (*starts[1:], len(self.middle))
        return self._with_ends(
            [
                self.domain.label(self.middle[start], self.middle[end - 1]) or ""
                for start, end in zip(starts, ends, strict=True)
                for _ in range(start, end)
            ]
            if self.middle
            else []
        )

    @cached_property
    def _whole(self) -> bool:
        stated = (self.domain.bin, self.bottom, self.top)
        return self.domain.integral and all(
            exact(number).denominator == 1 for number in stated if number is not None
        )

    def _with_ends(self, labels: Sequence[str]) -> list[str]:
        below, above = self.middle.start, len(self._lows) - self.middle.stop
        ends = [decimal_text(exact(end)) if end is not None else "" for end in (self.bottom, self.top)]
        return [f"< {ends[0]}"] * below + [*labels] + [f">= {ends[1]}"] * above


def _label(low: Fraction, end: Fraction, *, whole: bool) -> str:
    if not whole:
        return f"[{decimal_text(low)}, {decimal_text(end)})"
    return decimal_text(low) if end - low == 1 else f"[{decimal_text(low)}, {decimal_text(end - 1)}]"
