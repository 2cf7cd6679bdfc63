"""Companions and structs: true of their rows, and no finer than the label that they stand next to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.fuzz.cells import INTERVAL, same, size, text_of
from tests.fuzz.seen import Seen


def check_additions(found: Seen) -> Iterator[tuple[str, str]]:
    """What is written in addition to a label is a function of it, and holds the row's value."""
    for name in found.quasi:
        said: dict[Any, Any] = {}
        for row, source in found.pairs:
            label, more = row[found.columns.index(name)], found.more(row, name)
            if more is None:
                continue
            key = None if label is None else text_of(label)
            if said.setdefault(key, more) != more:
                yield "addition-finer", f"{name!r}: {label!r} goes with {said[key]!r} and with {more!r}"
            wrong = _wrong(key, source[name], more)
            if wrong is not None:
                yield "addition-untrue", f"{name!r}: {wrong}"
    for row in found.masked:
        if any(each not in (None, "*") for each in row):
            yield "masked-row-tells", f"{row!r}"


def _wrong(label: str | None, value: Any, more: Mapping[str, Any]) -> str | None:
    if label in (None, "*"):
        empty = all(each is None for each in more.values())
        return None if empty or label is None else f"{label!r} goes with {dict(more)!r}"
    assert label is not None
    if "values" in more:
        values = more["values"]
        if values is None:
            return None
        known = None if value is None else text_of(value)
        fits = known in values or any(
            each is not None and known is not None and same(each, known) for each in values
        )
        return None if fits else f"{value!r} is not among {values!r}"
    low, high = (None if more[end] is None else text_of(more[end]) for end in ("low", "high"))
    measured = None if value is None else size(text_of(value))
    for end, is_low in ((low, True), (high, False)):
        bound = None if end is None else size(end)
        if end is not None and bound is None:
            return f"a bound is {end!r}"
        # A double is the nearest one.
        slack = abs(bound or 0) / 2**52 if isinstance(more["low" if is_low else "high"], float) else 0
        beyond = (
            0 if bound is None or measured is None else (bound - measured if is_low else measured - bound)
        )
        if beyond > slack:
            return f"{value!r} is not from {low!r} to {high!r}"
    return _within(label, low, high)


def _within(label: str, low: str | None, high: str | None) -> str | None:
    """Bounds are those of the label, where it has two."""
    stated = INTERVAL.fullmatch(label.removesuffix(" or missing"))
    if stated is None or size(stated[2]) is None or size(stated[3]) is None:
        return None
    for end, given, closed in ((low, stated[2], stated[1] == "["), (high, stated[3], stated[4] == "]")):
        if closed and (end is None or not _same_day(end, given)):
            return f"{label!r} goes with {low!r} and {high!r}"
    return None


def _same_day(one: str, two: str) -> bool:
    if same(one, two) or size(one) == size(two):
        return True
    found, given = size(one), size(two)
    return found is not None and given is not None and abs(found - given) <= abs(given) / 2**52
