"""The least and the greatest value that a label can represent, as exact numbers.

Dates are counted in days, moments in parts of days. Whole numbers, days and microseconds have neighbours, so
that `< 20` and `2024-05` end with a value that is included; only decimals can end just below a number.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.model.hierarchy.number_label import Span
from shoal.model.table.cell_meaning import Meaning, day_of

_MICROSECONDS = 86_400_000_000
DAY = Fraction(1)
MICROSECOND = Fraction(1, _MICROSECONDS)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values of a column of numbers or dates, as far as their form tells.

    Parameters
    ----------
    is_date
        Whether they are dates or moments.
    step
        The distance of neighbours: 1 for whole numbers and days; `None` for decimals.
    """

    is_date: bool
    step: Fraction | None

    def hull(self, meaning: Meaning) -> Span | None:
        """From the least to the greatest value that a label can represent; `None` if it names none."""
        parts = meaning.days if self.is_date else meaning.spans
        parts = parts or tuple(Span(each, each) for each in self._points(meaning))
        if not parts:
            return None
        return self.on_grid(_around(parts))

    def _points(self, meaning: Meaning) -> Iterable[Fraction]:
        if not self.is_date:
            return [key for key in meaning.values if isinstance(key, Fraction)]
        days = [day_of(key) for key in meaning.values if isinstance(key, str)]
        return [day for day in days if day is not None]

    def on_grid(self, span: Span) -> Span:
        """The same values, with ends that are included where values have neighbours."""
        step = self.step
        if step is None:
            return span
        low, high = span.low, span.high
        if low is not None:
            places = -((-low) // step)
            low = (places + (not span.has_low and places * step == low)) * step
        if high is not None:
            places = high // step
            high = (places - (not span.has_high and places * step == high)) * step
        return Span(low, high)


def _around(parts: Iterable[Span]) -> Span:
    """The smallest span that contains all of some."""
    spans = list(parts)
    first = min(spans, key=lambda each: (each.low is not None, each.low or 0, not each.has_low))
    last = max(spans, key=lambda each: (each.high is None, each.high or 0, each.has_high))
    return Span(first.low, last.high, first.has_low, last.has_high)


def moment_of(days: Fraction) -> datetime.datetime:
    """A number of days as a moment, to the microsecond."""
    whole, parts = divmod(days, 1)
    return datetime.datetime.fromordinal(int(whole)) + datetime.timedelta(
        microseconds=round(parts * _MICROSECONDS)
    )
