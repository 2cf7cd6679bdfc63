"""Levels of numbers: intervals of given widths, or of neighbouring values, with open ends where asked.

Whole numbers are released as `[20, 29]`, both ends included; others as `[1.5, 3)`, without the upper end.
Only the last part of numbers that are not whole is closed, by the largest, unless its end is stated.
Open ends read `< 20` and `>= 80`; they are the same at every level, and intervals stop at them. Widths are
anchored at 0, so an interval of one table means the same in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from shoal.errors import PolicyError
from shoal.model.domain import Domain
from shoal.model.neighbours import Starts
from shoal.model.number_text import decimal_text, exact


@dataclass(frozen=True, kw_only=True)
class NumberLine:
    """The numbers of a domain, and where the open ends begin.

    Parameters
    ----------
    domain
        Numbers, perhaps in bins, in increasing order.
    bottom, top
        Numbers below `bottom`, and those from `top` on, are told apart no further.
    """

    domain: Domain
    bottom: int | float | None = None
    top: int | float | None = None

    def __post_init__(self) -> None:
        for name, end in (("bottom", self.bottom), ("top", self.top)):
            if end is not None and any(low < exact(end) < low + self._bin for low in self._lows):
                raise PolicyError(
                    f"column {self.domain.name!r}: the {name} {end} lies within a bin; take an end of a bin"
                )

    @cached_property
    def _lows(self) -> tuple[Fraction, ...]:
        known = self.domain.values[: len(self.domain) - self.domain.has_missing]
        return tuple(exact(value) for value in known if isinstance(value, int | float))

    @cached_property
    def _bin(self) -> Fraction:
        return Fraction(0) if self.domain.bin is None else exact(self.domain.bin)

    @cached_property
    def middle(self) -> range:
        """The codes between the open ends."""
        low = 0 if self.bottom is None else sum(value < exact(self.bottom) for value in self._lows)
        high = len(self._lows) if self.top is None else sum(value < exact(self.top) for value in self._lows)
        return range(low, high)

    def as_they_are(self) -> list[str]:
        """The label of each code when nothing but the open ends is joined."""
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
                    f"bins of width {self.domain.bin}; take a multiple of the bin"
                )
            first = low if self.bottom is None else max(low, exact(self.bottom))
            end = low + width if self.top is None else min(low + width, exact(self.top))
            labels.append(_label(first, end, whole=whole))
        return self._with_ends(labels)

    def of_parts(self, starts: Starts) -> list[str]:
        """The label of each code when parts of `middle` begin at these places of it."""
        if not self.middle:
            return self._with_ends([])
        lows = [self._lows[self.middle[start]] for start in starts]
        labels = [_label(low, end, whole=self._whole) for low, end in pairwise(lows)]
        labels.append(self._last_label(lows[-1]))
        sizes = [end - start for start, end in zip(starts, (*starts[1:], len(self.middle)), strict=True)]
        return self._with_ends(
            [label for label, size in zip(labels, sizes, strict=True) for _ in range(size)]
        )

    def _last_label(self, low: Fraction) -> str:
        last = self._lows[self.middle[-1]]
        if self.top is not None:
            return _label(low, exact(self.top), whole=self._whole)
        if self._bin or self._whole:
            return _label(low, last + (self._bin or 1), whole=self._whole)
        return decimal_text(low) if low == last else f"[{decimal_text(low)}, {decimal_text(last)}]"

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
