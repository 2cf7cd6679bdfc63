"""Labels that read as sets of numbers, and whether they cover a value.

The formats are `35-39`, `30..39`, `30 to 39`, `[30, 39]`, `[30, 40)`, `[30, 40[` as ARX writes it, `<20`,
`<= 20`, `>80`, `80+` and `{1, 2}`. Anything else is a word, which is not judged; so is a number alone, since
`021` may be the beginning of a code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from shoal.model.table.number_text import NUMBER, number_of

_BOUNDED = re.compile(
    rf"(?P<open>[\[(\]])\s*(?P<low>{NUMBER})\s*(?:,|;|\.\.)\s*(?P<high>{NUMBER})\s*(?P<close>[\])\[])",
    re.ASCII,
)
_DASHED = re.compile(rf"(?P<low>{NUMBER})\s*(?:-|–|—|\.\.\.?|to)\s*(?P<high>{NUMBER})", re.ASCII)  # noqa: RUF001
_COMPARED = re.compile(rf"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<end>{NUMBER})", re.ASCII)
_UPWARD = re.compile(rf"(?P<low>{NUMBER})\s*\+", re.ASCII)
_LISTED = re.compile(rf"\{{\s*(?P<members>{NUMBER}(?:\s*,\s*{NUMBER})*)\s*\}}", re.ASCII)


@dataclass(frozen=True)
class Span:
    """Numbers from `low` to `high`, `None` for no end, and whether each end is included."""

    low: Fraction | None
    high: Fraction | None
    has_low: bool = True
    has_high: bool = True

    def contains(self, other: Span) -> bool:
        """Whether every number of the other span is in this one."""
        above = self.low is None or (
            other.low is not None
            and (other.low > self.low or (other.low == self.low and (self.has_low or not other.has_low)))
        )
        below = self.high is None or (
            other.high is not None
            and (
                other.high < self.high or (other.high == self.high and (self.has_high or not other.has_high))
            )
        )
        return above and below


def spans(label: str) -> tuple[Span, ...]:
    """The numbers that a label reads as; empty if it is a word."""
    label = label.strip()
    if match := _BOUNDED.fullmatch(label):
        ends = _fraction(match["low"]), _fraction(match["high"])
        return (Span(*ends, has_low=match["open"] == "[", has_high=match["close"] == "]"),)
    if match := _DASHED.fullmatch(label):
        return (Span(_fraction(match["low"]), _fraction(match["high"])),)
    if match := _COMPARED.fullmatch(label):
        end, has_end = _fraction(match["end"]), match["sign"] not in ("<", ">")
        return (
            Span(None, end, has_high=has_end)
            if match["sign"] in ("<", "<=", "≤")
            else Span(end, None, has_low=has_end),
        )
    if match := _UPWARD.fullmatch(label):
        return (Span(_fraction(match["low"]), None),)
    if match := _LISTED.fullmatch(label):
        members = [_fraction(member.strip()) for member in match["members"].split(",")]
        return tuple(Span(member, member) for member in members)
    return ()


def _fraction(text: str) -> Fraction:
    return Fraction(Decimal(text))  # int() refuses more than 4,300 digits


def is_untrue(value: str, label: str) -> bool:
    """Whether value and label both read as numbers, and the label does not cover the value."""
    if value == label:
        return False
    claimed = spans(label)
    number = number_of(value)
    actual = spans(value) if number is None else (Span(number, number),)
    return bool(claimed and actual) and not all(any(each.contains(one) for each in claimed) for one in actual)
