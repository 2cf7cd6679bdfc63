"""Recognises the order that the values of a column have by themselves: months, grades, ranges, low to high.

Decided by the texts alone, exactly: every known value must belong to one scheme, otherwise none is
recognised. Values such as "unknown" or "?" come last. Nothing is learned from the rows, so the order reveals
nothing about them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from shoal.model.hierarchy.code_texts import look_like_codes
from shoal.model.order import calendar_order, number_order
from shoal.model.order.arrangement import CODES, Arrangement
from shoal.model.order.education import education
from shoal.model.order.plain_words import is_unknown, plain, without_shared
from shoal.model.order.range_order import ranges
from shoal.model.order.word_scales import SCALES

LONGEST = 100
"""Signs of the longest text that a scheme has; Python reads no number of some thousand digits."""


class Recognised(NamedTuple):
    """A recognised order: the reason, and the places of the texts in their order."""

    arrangement: Arrangement
    order: list[int]


_BEFORE_WORDS: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "months": calendar_order.months,
    "quarters": calendar_order.quarters,
    "half-years": calendar_order.halves,
    "weeks": calendar_order.weeks,
    "clock times": calendar_order.clock_times,
    "weekdays": calendar_order.weekdays,
    "seasons": calendar_order.seasons,
    "times of day": calendar_order.times_of_day,
    "dates": calendar_order.dates,
}
_AFTER_WORDS: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "levels of education": education,
    "ordinals": number_order.ordinals,
    "Roman numerals": number_order.romans,
    "grades": number_order.grades,
    "sizes": number_order.sizes,
    "ranges": ranges,
}
_LAST: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "numbers": number_order.signed_numbers,
    "texts with numbers": number_order.numbered,
}


def recognised(texts: Sequence[str]) -> Recognised | None:
    """The order that the texts have by themselves, if they have one.

    Parameters
    ----------
    texts
        The distinct values of a column, without the missing one.
    """
    known = [text for text in texts if not is_unknown(text)]
    if len(known) < 2 or max(map(len, known)) > LONGEST:
        return None
    found = _keys(known)
    if found is None:
        return None
    name, keys = found
    if name is None:
        return Recognised(CODES, sorted(range(len(texts)), key=lambda place: texts[place]))
    key_of = dict(zip(known, keys, strict=True))
    # Two ways to write one thing, like med and medium, are put in the order of their texts.
    order = sorted(
        range(len(texts)),
        key=lambda place: (texts[place] not in key_of, key_of.get(texts[place], ()), texts[place]),
    )
    return Recognised(Arrangement(how="recognised", words=f"recognised as {name}"), order)


def _keys(known: Sequence[str]) -> tuple[str | None, Sequence[Any]] | None:
    """The first scheme that fits, and its sort keys; codes have no name and keep their sorted order."""
    for name, scheme in _BEFORE_WORDS.items():
        if (keys := scheme(known)) is not None:
            return name, keys
    words = [plain(text) for text in known]
    for texts in (words, without_shared(words)):
        for name, scale in SCALES.items():
            if all(text in scale for text in texts):
                return name, [scale[text] for text in texts]
    for name, scheme in _AFTER_WORDS.items():
        if (keys := scheme(known)) is not None:
            return name, keys
    if look_like_codes(known):
        return None, known
    for name, scheme in _LAST.items():
        if (keys := scheme(known)) is not None:
            return name, keys
    # A number in front alone makes no scale: 1. never married, 2. married.
    rest = number_order.without_numbers(known)
    return None if rest is None else _keys(rest)
