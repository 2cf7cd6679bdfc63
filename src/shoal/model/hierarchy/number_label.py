"""Labels that read as sets of numbers, and whether they hold a value.

Read are `35-39`, `30..39`, `30 to 39`, `[30, 39]`, `[30, 40)`, `[30, 40[` as ARX writes it, `<20`, `<= 20`,
`>80`, `80+` and `{1, 2}`. Anything else is a word, of which nothing can be said; a number by itself is one
too, since `021` may be the beginning of a code.
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
    """Numbers from `low` to `high`; `None` for no end, and whether an end itself belongs to it."""

    low: Fraction | None
    high: Fraction | None
    has_low: bool = True
    has_high: bool = True

    def holds(self, other: Span) -> bool:
        """Whether every number of the other span is one of this."""
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
    """The numbers that a label reads as; none if it is a word."""
    label = label.strip()
    if found := _BOUNDED.fullmatch(label):
        ends = _fraction(found["low"]), _fraction(found["high"])
        return (Span(*ends, has_low=found["open"] == "[", has_high=found["close"] == "]"),)
    if found := _DASHED.fullmatch(label):
        return (Span(_fraction(found["low"]), _fraction(found["high"])),)
    if found := _COMPARED.fullmatch(label):
        end, has_end = _fraction(found["end"]), found["sign"] not in ("<", ">")
        return (
            Span(None, end, has_high=has_end)
            if found["sign"] in ("<", "<=", "≤")
            else Span(end, None, has_low=has_end),
        )
    if found := _UPWARD.fullmatch(label):
        return (Span(_fraction(found["low"]), None),)
    if found := _LISTED.fullmatch(label):
        members = [_fraction(member.strip()) for member in found["members"].split(",")]
        return tuple(Span(member, member) for member in members)
    return ()


def _fraction(text: str) -> Fraction:
    return Fraction(Decimal(text))  # Python reads no whole numbers of more than 4,300 digits


def is_untrue(value: str, label: str) -> bool:
    """Whether a label reads as numbers without those of the value, which is a number or numbers itself."""
    if value == label:
        return False
    claimed = spans(label)
    number = number_of(value)
    said = spans(value) if number is None else (Span(number, number),)
    return bool(claimed and said) and not all(any(each.holds(one) for each in claimed) for one in said)
