"""Numbers as a reader of a report wants them: 1,204,518; 0.0312; 3.4 %; 1 in 12."""

from __future__ import annotations

from collections.abc import Sequence

NONE = "not measured"


def number(value: float | None) -> str:
    """A number with thousands separators, or four digits that count."""
    if value is None:
        return NONE
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def share(value: float | None) -> str:
    """A share in per cent, with the digits that count; what is nearly all or nothing is not rounded to it."""
    if value is None:
        return NONE
    percent = 100 * value
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if abs(percent) < 0.01:
        return "below 0.01 %"
    if 99.95 <= percent < 100:
        return "above 99.9 %"
    if abs(percent) >= 1000:
        return f"{percent:,.0f} %"
    return f"{percent:.2g} %" if abs(percent) < 10 else f"{percent:.3g} %"


def odds(risk: float | None) -> str:
    """A probability in words: 1 in 12."""
    if risk is None:
        return NONE
    if risk <= 0:
        return "none"
    return (
        "certain" if risk >= 1 else f"1 in {1 / risk:,.3g}" if risk > 0.001 else f"1 in {round(1 / risk):,}"
    )


def seconds(value: float | None) -> str:
    """A time that a search took."""
    if value is None:
        return NONE
    if value < 100:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names in a row; of many the first ones, and how many more there are."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left:,} more" if left > 0 else "")
