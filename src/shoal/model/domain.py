"""The ordered domain of one quasi-identifier, as the search sees it: codes 0..n-1 in a fixed order.

A domain knows how an interval of its codes is printed in a release and how much detail the interval
loses (Iyengar's general loss). Both are decided here, once, for every algorithm and every engine.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

Kind = Literal["number", "date", "category"]
Value = int | float | str | bool | datetime.date | datetime.datetime | None

SUPPRESSED = "*"
MISSING = "missing"


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Values of one attribute in their order; `None`, the missing value, can only be the last.

    Parameters
    ----------
    name
        The column.
    kind
        Decides labels and losses: intervals for numbers and dates, sets for categories.
    values
        The values present, in order. With `bin`, the lower ends of the bins present.
    bin
        Width of the bins that the numbers were put into before the search, if they were.
    integral
        Whether the numbers are whole, so that a bin of width 5 ends at 24 and not just below 25.
    names
        Labels that a hierarchy has for sets of categories, each with the first and last code of its set.
    places, leaves
        With a hierarchy: the place of each known value among its leaves, and how many leaves there are.
    """

    name: str
    kind: Kind
    values: tuple[Value, ...]
    bin: int | float | None = None
    integral: bool = True
    names: tuple[tuple[int, int, str], ...] = ()
    places: tuple[int, ...] = ()
    leaves: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def has_missing(self) -> bool:
        return bool(self.values) and self.values[-1] is None

    @cached_property
    def _named(self) -> dict[tuple[int, int], str]:
        # A name that is also a value, or reads as a suppressed or missing cell, would say two things.
        taken = {SUPPRESSED, MISSING, "", *(self.text(code) for code in range(len(self) - self.has_missing))}
        return {(first, last): name for first, last, name in self.names if name not in taken}

    def loss(self, first: int, last: int) -> Fraction:
        """General loss of the interval of codes `first..last`: 0 for one value, 1 for the whole domain.

        Numbers and dates lose width over width; categories lose (values - 1) over (domain - 1). An
        interval that joins the missing value with others loses everything: it tells nothing of a row.
        With a hierarchy the domain is its leaves, seen or not, whatever the kind, and the missing value is
        one leaf more, after the others.
        """
        if first == last:
            return Fraction(0)
        if self.places:
            end = self.leaves if self.values[last] is None else self.places[last]
            return Fraction(end - self.places[first], self.leaves - 1 + self.has_missing)
        if self.kind == "category":
            return Fraction(last - first, len(self) - 1)
        if self.values[last] is None:
            return Fraction(1)
        present = len(self) - 1 - self.has_missing
        return (self._position(last) - self._position(first)) / (self._position(present) - self._position(0))

    def _position(self, code: int) -> Fraction:
        value = self.values[code]
        if isinstance(value, datetime.datetime):
            return Fraction((value - datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo)) // _MICROSECOND)
        if isinstance(value, datetime.date):
            return Fraction(value.toordinal())
        # The shortest text of a float is what the user wrote: 0.1 is one tenth, not its binary neighbour.
        return Fraction(str(value))

    def label(self, first: int, last: int) -> str | None:
        """How a release prints the interval of codes `first..last`; `None` stands for a missing cell."""
        return self._label(range(first, last + 1), (first, last), quoted=False)

    def labels(
        self, starts: Sequence[int], released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        """Labels of all intervals of a partition given by its first codes, no two of them equal.

        Parameters
        ----------
        starts
            The first codes of the intervals.
        released
            The codes that released rows have. A label is made of them alone, so that it cannot tell a value
            that only suppressed rows had; an interval without any is printed nowhere and has label `None`.
        """
        ends = [start - 1 for start in starts[1:]] + [len(self) - 1]
        intervals = [
            ([code for code in range(first, last + 1) if released is None or code in released], (first, last))
            for first, last in zip(starts, ends, strict=True)
        ]

        def printed(*, quoted: bool) -> tuple[str | None, ...]:
            return tuple(
                self._label(codes, whole, quoted=quoted) if codes else None for codes, whole in intervals
            )

        labels = printed(quoted=False)
        distinct = {label for label, (codes, _) in zip(labels, intervals, strict=True) if codes}
        if len(distinct) < sum(bool(codes) for codes, _ in intervals):
            return printed(quoted=True)  # a value itself reads like the label of a set
        return labels

    def _label(self, codes: Sequence[int], whole: tuple[int, int], *, quoted: bool) -> str | None:
        """The label of some codes, which are the released ones of the interval `whole`."""
        first, last = codes[0], codes[-1]
        if self.values[last] is None:
            if len(codes) == 1:
                return None
            if self.kind != "category":
                return f"{self._label(codes[:-1], whole, quoted=quoted)} or {MISSING}"
        if len(codes) == 1 and self.bin is None:
            text = self.text(first)
            if quoted and any(sign in text for sign in '{}"*'):
                return "{" + self._member(first, quoted) + "}"
            return f"{{{text}}}" if text == SUPPRESSED else text
        if self.kind == "category":
            if not quoted and whole in self._named:
                return self._named[whole]
            return "{" + ", ".join(self._member(code, quoted) for code in codes) + "}"
        if self.bin is None:
            return f"[{self.text(first)}, {self.text(last)}]"
        return self._bin_label(first, last)

    def _bin_label(self, first: int, last: int) -> str:
        low, start = self.values[first], self.values[last]
        assert isinstance(low, int | float)
        assert isinstance(start, int | float)
        assert self.bin is not None
        if self.integral:
            high = int(start + self.bin) - 1
            return str(low) if low == high else f"[{low}, {high}]"
        end = Fraction(str(start)) + Fraction(str(self.bin))
        return f"[{_number(low)}, {_number(float(end))})"

    def _member(self, code: int, quoted: bool) -> str:
        if self.values[code] is None:
            return MISSING
        text = self.text(code)
        special = quoted or text in ("", SUPPRESSED, MISSING) or any(sign in text for sign in '{},"')
        return json.dumps(text, ensure_ascii=False) if special else text

    def text(self, code: int) -> str:
        """One value as a release prints it."""
        value = self.values[code]
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return _number(value)
        if isinstance(value, datetime.datetime):
            return value.isoformat(sep=" ")
        return str(value)


_MICROSECOND = datetime.timedelta(microseconds=1)


def _number(value: int | float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else str(value)
