"""Numbers as text, exactly: what is a number, and how one is printed in a label."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction

NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
# No leading zeros: 02139 is a code whose zeros carry meaning, not the number 2139.
_PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_DIGITS = 2000  # more than any number has whose exponent has three digits


def number_of(text: str) -> Fraction | None:
    """The number that a text is, if it is one; 39, 39.0 and +39 are the same."""
    return Fraction(text) if _PLAIN.fullmatch(text) else None


def exact(value: int | float) -> Fraction:
    """A number as its shortest text says it: 0.1 is one tenth, not its binary neighbour."""
    return Fraction(str(value))


def decimal_text(number: Fraction) -> str:
    """A decimal number without an exponent and without rounding."""
    if number.denominator == 1:
        return str(number.numerator)
    with localcontext() as context:
        context.prec = _DIGITS
        return format(Decimal(number.numerator) / Decimal(number.denominator), "f")
