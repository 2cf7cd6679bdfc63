"""How many decimals the numbers of a column have."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from shoal.model.table.number_text import number_of

MOST = 12
"""Beyond this, decimals are those of a computation, not of a measurement."""


def decimals_of(texts: Iterable[str | None]) -> int:
    """The most decimals of a text that is a number."""
    found = 0
    for text in texts:
        if text is not None and number_of(text) is not None:
            exponent = Decimal(text).normalize().as_tuple().exponent
            found = max(found, -exponent if isinstance(exponent, int) else 0)
    return min(found, MOST)


def rounded_to(value: Fraction, decimals: int) -> Fraction:
    """A number with at most so many decimals; halfway goes to the even last digit."""
    return Fraction(round(value * 10**decimals), 10**decimals)
