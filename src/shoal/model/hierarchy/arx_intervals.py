"""Intervals as ARX builds them: repeated, snapped at the ends, coded beyond, joined level by level.

The steps are those of HierarchyBuilderIntervalBased in ARX 3.9, with its own arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.hierarchy.arx_types import Amount, ArxFunction, ArxType, listing, unboxed
from shoal.model.hierarchy.java_stream import JavaObject
from shoal.model.table.domain import SUPPRESSED

Groups = Sequence[tuple[int, ArxFunction]]


@dataclass(frozen=True)
class _Interval:
    low: Amount
    high: Amount
    function: ArxFunction


@dataclass(frozen=True)
class _Range:
    """From where intervals snap, from where values are coded, and the last value that is allowed."""

    repeat: Amount
    snap: Amount
    label: Amount

    @classmethod
    def of(cls, record: JavaObject, end: Amount) -> _Range:
        """The range that a record describes; a bound that is not stated is the one before it."""
        bounds = []
        for name in ("repeatBound", "snapBound", "labelBound"):
            stated = unboxed(record.fields[name])
            end = end if stated is None else stated
            bounds.append(end)
        return cls(*bounds)


def interval_levels(
    record: JavaObject, kind: ArxType, groups: Sequence[Groups], texts: Sequence[str]
) -> list[list[str]]:
    """The labels of the values at each level.

    Parameters
    ----------
    record
        The builder.
    kind
        How it reads and prints numbers.
    groups
        The sizes and functions by which each level joins intervals.
    texts
        The values.
    """
    if not kind.is_number:
        raise PolicyError("intervals of anything but numbers are not read")
    intervals = [_interval(each) for each in listing(record.fields["intervals"])]
    if not intervals:
        raise PolicyError("it has no interval")
    lower = _Range.of(record.fields["lowerRange"], intervals[0].low)
    upper = _Range.of(record.fields["upperRange"], intervals[-1].high)
    numbers = [kind.number(text) for text in texts]
    levels: list[list[str]] = []
    for depth in range(len(groups) + 1):
        placed = _Line(intervals, lower, upper, kind).labels(numbers)
        levels.append(placed)
        if len(set(placed)) == 1:
            return levels
        if depth < len(groups) and groups[depth]:
            intervals = _joined(intervals, groups[depth])
        else:
            break
    return [*levels, [SUPPRESSED] * len(texts)]


def _interval(record: JavaObject) -> _Interval:
    low, high = unboxed(record.fields["min"]), unboxed(record.fields["max"])
    return _Interval(low, high, ArxFunction.of(record.fields["function"]))


class _Line:
    """One level: the intervals, repeated along the line."""

    def __init__(self, intervals: list[_Interval], lower: _Range, upper: _Range, kind: ArxType) -> None:
        self._intervals, self._lower, self._upper, self._kind = intervals, lower, upper, kind
        self._low = intervals[0].low
        self._width = intervals[-1].high - self._low
        self._check()
        first, last = self._around(lower.repeat), self._before(upper.repeat)
        self._first = _Interval(lower.snap, first.high, first.function)
        self._last = _Interval(last.low, upper.snap, last.function)
        if self._first.high > self._last.low:
            self._first = self._last = _Interval(lower.snap, upper.snap, first.function)

    def _check(self) -> None:
        for one, other in zip(self._intervals, self._intervals[1:], strict=False):
            if one.high != other.low:
                raise PolicyError("there is a gap between its intervals")
        ends = [self._lower.label, self._lower.snap, self._lower.repeat]
        ends += [self._upper.repeat, self._upper.snap, self._upper.label]
        if ends != sorted(ends) or any(each.low >= each.high for each in self._intervals):
            raise PolicyError("its bounds are not in order")

    def labels(self, numbers: Sequence[Amount]) -> list[str]:
        """The label of each number; one label has one meaning."""
        meanings: dict[str, tuple[Amount | None, Amount | None]] = {}
        found = []
        for number in numbers:
            low, high, label = self._label(number)
            if meanings.setdefault(label, (low, high)) != (low, high):
                raise PolicyError(f"the label {label!r} is given to two intervals")
            found.append(label)
        return found

    def _label(self, number: Amount) -> tuple[Amount | None, Amount | None, str]:
        text, low, high = self._kind.text, self._lower.snap, self._upper.snap
        if not self._lower.label <= number < self._upper.label:
            raise PolicyError(
                f"a value of the column is outside {text(self._lower.label)} to {text(self._upper.label)}, "
                "which it allows"
            )
        if number < low:
            return None, low, f"<{text(low)}"
        if number >= high:
            return high, None, f">={text(high)}"
        found = self._around(number)
        if found.low < self._first.high:
            found = self._first
        elif found.high > self._last.low:
            found = self._last
        if not found.low <= number < found.high:
            raise PolicyError("ARX's rounding puts a value of the column into an interval that lacks it")
        return found.low, found.high, found.function.of_interval(text(found.low), text(found.high))

    def _around(self, number: Amount) -> _Interval:
        """The repeated interval that a number is in."""
        shift = math.floor((number - self._low) / self._width)
        offset = self._width * shift
        moved = number - offset
        if moved == self._low + self._width:
            offset, moved = self._width * (shift + 1), self._low
        for each in self._intervals:
            if each.low <= moved < each.high:
                return _Interval(each.low + offset, each.high + offset, each.function)
        raise PolicyError("ARX's rounding leaves a value of the column without an interval")

    def _before(self, number: Amount) -> _Interval:
        """The repeated interval that ends at a number, or that it is in."""
        shift = math.floor((number - self._low) / self._width)
        offset = self._width * shift
        moved = number - offset
        for index, each in enumerate(self._intervals):
            if each.low <= moved < each.high:
                if moved == each.low:
                    offset = self._width * (shift - 1) if index == 0 else offset
                    each = self._intervals[index - 1]
                return _Interval(each.low + offset, each.high + offset, each.function)
        if len(self._intervals) > 1:
            raise PolicyError("ARX's rounding leaves its upper bound without an interval")
        (only,) = self._intervals
        return _Interval(only.low + offset, only.high + offset, only.function)


def _joined(intervals: list[_Interval], groups: Groups) -> list[_Interval]:
    """The intervals of the next level."""
    sizes, width = sum(size for size, _ in groups), intervals[-1].high - intervals[0].low
    joined, at = [], 0
    if sizes >= len(intervals):  # ARX repeats the intervals until the groups are full
        for size, function in groups:
            first, last = divmod(at, len(intervals)), divmod(at + size - 1, len(intervals))
            low = intervals[first[1]].low + width * first[0]
            joined.append(_Interval(low, intervals[last[1]].high + width * last[0], function))
            at += size
        return joined
    while at < len(intervals):
        for size, function in groups:
            if at >= len(intervals):
                raise PolicyError("its groups do not divide its intervals, which ARX refuses too")
            last_at = min(at + size, len(intervals)) - 1
            joined.append(_Interval(intervals[at].low, intervals[last_at].high, function))
            at = last_at + 1
    return joined
