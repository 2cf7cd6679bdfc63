"""How a column writes its numbers: decimal mark, thousands mark, percent and currency signs.

A form reads one text as one exact number, or refuses it. Which form a column has is decided in `recognise`,
by all of its cells together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from shoal.model.table.number_text import NoNumberError, Number, number

_SPACES = " \u00a0\u202f\u2009"
_APOSTROPHES = "'\u2019"
_MINUS = "\u2212-"  # the hyphen last: between two signs it would be a range
_CURRENCIES = (
    *("US$", "\u20ac", "$", "\u00a3", "\u00a5", "\u20b9", "\u20bd", "\u20ba", "z\u0142", "K\u010d", "Ft"),
    *("kr.", "kr", "Kr", "Fr.", "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF"),
    *("RON", "ISK", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "BRL", "RUB", "TRY", "ZAR"),
)
_CURRENCY = "|".join(sorted(map(re.escape, _CURRENCIES), key=len, reverse=True))
_BODY = rf"[.,]?\d(?:[\d.,{_APOSTROPHES}{_SPACES}]*\d)?[.,]?"
_GAP = rf"[\s{_SPACES}]*"
_CELL = re.compile(
    rf"{_GAP}(?P<open>\()?{_GAP}(?P<sign>[+{_MINUS}])?{_GAP}(?:(?P<before>{_CURRENCY}){_GAP})?"
    rf"(?P<inner>[{_MINUS}])?(?P<body>{_BODY})(?P<power>[eE][+-]?\d{{1,4}})?{_GAP}(?P<percent>%)?{_GAP}"
    rf"(?P<after>{_CURRENCY})?(?P<last>[{_MINUS}])?{_GAP}(?P<close>\))?{_GAP}",
    re.ASCII,
)
_EXAMPLE = re.compile(rf"1(?P<grouping>[.,{_APOSTROPHES}{_SPACES}]?)234(?:(?P<decimal>[.,])\d+)?")
_ONE_MARK = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_APOSTROPHES, "'")})
_WHOLE = re.compile(r"0|[1-9]\d*", re.ASCII)


class Parts(NamedTuple):
    """A text that looks like a number, taken apart.

    Parameters
    ----------
    body
        Digits and marks.
    negative
        Whether it is negative.
    certain
        Whether its sign is. A minus at the end is one only of an amount: 2- is a grade. In parentheses it is
        negative only with a currency sign: statistical offices put uncertain numbers into them.
    power
        The power of ten that it ends with, if any.
    percent, currency
        The signs around it.
    """

    body: str
    negative: bool
    certain: bool
    power: str
    percent: bool
    currency: str


def parts_of(text: str) -> Parts | None:
    """The parts of a text that looks like a number in some form; `None` for any other."""
    found = _CELL.fullmatch(text)
    if found is None or (found["open"] is None) != (found["close"] is None):
        return None
    signs = [found["sign"], found["inner"], found["last"], found["open"]]
    currencies = [each for each in (found["before"], found["after"]) if each]
    if sum(each is not None for each in signs) > 1 or len(currencies) > 1:
        return None
    if found["percent"] and currencies:
        return None
    behind, enclosed = found["last"] is not None, found["open"] is not None
    is_amount = bool(currencies) or not found["body"].isdigit()
    return Parts(
        body=found["body"].translate(_ONE_MARK),
        negative=behind or enclosed or found["inner"] is not None or (found["sign"] or "+") in _MINUS,
        certain=not (behind and not is_amount) and not (enclosed and not currencies),
        power=found["power"] or "",
        percent=found["percent"] is not None,
        currency=currencies[0] if currencies else "",
    )


@dataclass(frozen=True, kw_only=True)
class NumberForm:
    """One way to write numbers.

    Parameters
    ----------
    decimal
        The mark before decimals, "." or ",".
    grouping
        The mark between groups of three digits: "", ".", ",", a space or an apostrophe.
    percent
        Whether every number has a percent sign.
    currency
        The currency sign that numbers may have; empty for none.
    """

    decimal: str = "."
    grouping: str = ""
    percent: bool = False
    currency: str = ""

    kind: ClassVar[Literal["number"]] = "number"

    @property
    def format(self) -> str:
        """The form by example, as a policy states it."""
        sign = " %" if self.percent else f" {self.currency}" if self.currency else ""
        return f"1{self.grouping}234{self.decimal}5{sign}"

    @property
    def words(self) -> str:
        """The form for people."""
        return f"numbers written as {self.format}"

    def read(self, text: str) -> Number:
        """The number that a text is; `NoNumberError` if it is not one in this form."""
        return self.number(parts_of(text))

    def number(self, parts: Parts | None) -> Number:
        """The number that the parts of a text make up; percent and currency signs do not change it."""
        if parts is None or parts.percent != self.percent or parts.currency not in ("", self.currency):
            raise NoNumberError
        whole, _, decimals = parts.body.partition(self.decimal)
        if decimals and not (decimals.isascii() and decimals.isdigit()):
            raise NoNumberError
        whole = self._ungrouped(whole, empty=bool(decimals))
        return number(
            f"{'-' if parts.negative else ''}{whole}{'.' if decimals else ''}{decimals}{parts.power}"
        )

    def _ungrouped(self, whole: str, *, empty: bool) -> str:
        if not whole and empty:
            return "0"
        first, *groups = whole.split(self.grouping) if self.grouping else [whole]
        # A zero at the beginning belongs to a code: 0.123.456 is no number of thousands.
        if not _WHOLE.fullmatch(first) or (groups and (first == "0" or len(first) > 3)):
            raise NoNumberError
        if any(len(each) != 3 or not each.isascii() or not each.isdigit() for each in groups):
            raise NoNumberError
        return first + "".join(groups)


MARKS: tuple[tuple[str, str], ...] = (
    *((".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'")),
)
"""Decimal and thousands marks, the simplest first."""


def number_forms(every: Iterable[Parts]) -> tuple[NumberForm, ...]:
    """The forms that numbers with these parts could have; none if they have several currencies."""
    parts = list(every)
    currencies = {each.currency for each in parts} - {""}
    if len(currencies) > 1:
        return ()
    percent = sum(each.percent for each in parts) * 2 > len(parts)
    currency = next(iter(currencies), "")
    return tuple(
        NumberForm(decimal=decimal, grouping=grouping, percent=percent, currency=currency)
        for decimal, grouping in MARKS
    )


def parse_number_format(format: str) -> NumberForm | None:
    """The form that a policy states by example, like "1.234,5" or "1 234,5 kr"; `None` if it is none."""
    parts = parts_of(format)
    found = None if parts is None else _EXAMPLE.fullmatch(parts.body)
    if parts is None or found is None or parts.negative or parts.power:
        return None
    grouping, decimal = found["grouping"], found["decimal"]
    if decimal is None:
        decimal = "," if grouping == "." else "."
    if decimal == grouping:
        return None
    return NumberForm(decimal=decimal, grouping=grouping, percent=parts.percent, currency=parts.currency)
