"""Exact numbers: which texts are numbers, and how to compute with and print them.

A number is a whole number or a decimal in its shortest form; nothing is rounded to a double, neither to
compare two numbers nor to print them. A float counts as its shortest text: 0.1 is one tenth, not its binary
neighbour. Sums and products of decimals are decimals, and are computed in a context in which rounding is an
error.
"""

from __future__ import annotations

import re
import sys
from decimal import Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from typing import TypeGuard

Number = int | Decimal

NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?"
# No leading zeros: 02139 is a code whose zeros carry meaning, not the number 2139.
_PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
LARGEST = Decimal(10) ** 300
"""A float can represent it, and lengths and losses can be computed."""
_LAST_PLACE = 299
"""The highest place of a number's first digit, except that of the largest."""
_FIRST_PLACE = -1100
"""The lowest place of a number's first digit: 2^-1074, the least double, takes 1,074 places to write out."""
_LONGEST = 1500
"""The most digits of a number, not counting zeros at its ends: more than any double has when written out."""
_FIRST_PLAIN = -4
"""Numbers whose first digit comes later after the point are printed with a power of ten, as floats are."""
_EXACT = Context(prec=4 * _LONGEST, Emin=-99_999, Emax=99_999, traps=[Inexact, InvalidOperation])
_SHORT = Context(prec=_LONGEST, Emin=-99_999, Emax=99_999, traps=[Inexact, InvalidOperation])


class NoNumberError(ValueError):
    """Something is not a number, or not one that allows exact computation."""


def number(value: str | int | float | Decimal | Fraction) -> Number:
    """A value as an exact number; `NoNumberError` if it is not a number, infinite, or out of range.

    Numbers lie between 10^300 and -10^300, have at most 1,500 digits and begin at most 1,100 places after the
    point. A fraction like 1/3 has no last digit, so it is not one.
    """
    try:
        return _shortest(_decimal(value))
    except (Inexact, InvalidOperation):
        raise NoNumberError from None


def _decimal(value: str | int | float | Decimal | Fraction) -> Decimal:
    if isinstance(value, str):
        if not _PLAIN.fullmatch(value):
            raise NoNumberError
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(float(value)))  # NumPy scalars print differently
    if isinstance(value, Fraction):
        return _written_out(value)
    return Decimal(value)


def _shortest(value: Decimal) -> Number:
    if not value.is_finite():
        raise NoNumberError
    if not value:
        return 0
    if not _FIRST_PLACE <= value.adjusted() <= _LAST_PLACE and value.copy_abs() != LARGEST:
        raise NoNumberError
    return int(value) if value == value.to_integral_value() else value.normalize(_SHORT)


def _written_out(value: Fraction) -> Decimal:
    """A fraction as a decimal; `NoNumberError` if it has no last digit."""
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        raise NoNumberError
    places = max(twos, fives)
    return _EXACT.scaleb(Decimal(value.numerator * 10**places // value.denominator), -places)


def is_finite(value: object) -> TypeGuard[int | float]:
    """Whether a value is one of Python's numbers, and neither it nor its double is NaN or infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def number_of(text: str) -> Fraction | None:
    """The number that a text is, if it is one; 39, 39.0 and +39 are the same."""
    try:
        return Fraction(number(text))
    except NoNumberError:
        return None


def exact(value: int | float | Decimal) -> Fraction:
    """A number as a fraction; a float as its shortest text says it."""
    return Fraction(repr(float(value)) if isinstance(value, float) else value)


def bin_start(value: Number, width: Number) -> Number:
    """Lower end of the bin that a number falls into; bins are anchored at 0, also below it."""
    if isinstance(value, int) and isinstance(width, int):
        return value // width * width
    whole = _EXACT.divide_int(Decimal(value), Decimal(width))
    if value < 0 and _EXACT.multiply(whole, Decimal(width)) != value:
        whole = _EXACT.subtract(whole, Decimal(1))
    return _shortest(_EXACT.multiply(whole, Decimal(width)))


def plus(one: Number, other: Number) -> Number:
    """A sum."""
    return _shortest(_EXACT.add(Decimal(one), Decimal(other)))


def number_text(value: Number) -> str:
    """A number as a release prints it.

    As Python prints the double of that value, if one exists; otherwise with all its digits, and like a
    double with a power of ten where it begins with more than three zeros after the point.
    """
    if isinstance(value, int):
        return str(value)
    double = repr(float(value))
    if Decimal(double) == value:
        return double
    return format(value, "f" if value.adjusted() >= _FIRST_PLAIN else "e")


def json_number(value: Number) -> int | float | str:
    """A number in the form JSON has for it; as text where its readers, who take doubles, would round it."""
    if isinstance(value, int):
        return value
    double = float(value)
    return double if Decimal(repr(double)) == value else number_text(value)


def decimal_text(number: Fraction) -> str:
    """A decimal number without an exponent and without rounding."""
    return format(_written_out(number), "f")
