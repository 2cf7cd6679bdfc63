"""Numbers for people: 1,204,518; 0.0312; 3.4 %; 1 in 12; 2 min 30 s; 3 rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

MISSING = "-"


def number(value: float | Fraction | None, missing: str = MISSING) -> str:
    """A number with thousands separators, or with four significant digits."""
    if value is None:
        return missing
    value = float(value)
    if value.is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def signed(value: float | Fraction) -> str:
    """A change, with its sign."""
    return ("+" if value > 0 else "") + number(value)


def percent(share: float | None, missing: str = MISSING) -> str:
    """A share in per cent, with its significant digits; nearly all or nothing is never rounded to it."""
    if share is None:
        return missing
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f} %"
    if abs(value) < 0.01:
        return "below 0.01 %"
    if 99.95 <= value < 100:
        return "above 99.9 %"
    if abs(value) >= 1000:
        return f"{value:,.0f} %"
    return f"{value:.2g} %" if abs(value) < 10 else f"{value:.3g} %"


def percent_in_line(share: float | None, missing: str = MISSING) -> str:
    """A share in per cent for lines of a terminal, where decimal points line up: one decimal from 10 % on."""
    if share is None:
        return missing
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"


def odds(risk: float | None, missing: str = MISSING) -> str:
    """A probability in words: 1 in 12."""
    if risk is None:
        return missing
    if risk <= 0:
        return "none"
    if risk >= 1:
        return "certain"
    return f"1 in {1 / risk:,.3g}" if risk > 0.001 else f"1 in {round(1 / risk):,}"


def seconds(value: float | None, missing: str = MISSING) -> str:
    """A duration."""
    if value is None:
        return missing
    if value < 100:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def counted(count: int, noun: str) -> str:
    """How many there are of something: 1 row, 1,204 rows."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names in a row; of many the first ones, and how many more there are."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left:,} more" if left > 0 else "")
