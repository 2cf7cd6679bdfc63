"""Which values a cell of a released table may represent, whatever tool made the table.

A cell names values by the label of a hierarchy, as numbers (`[20, 29]`, `20-29`, `>= 80`), as dates
(`2024-05`, `2024-Q2`), as a set (`{a, b}`), by the beginning of a code (`941**`), by itself, or not at all
(`*`). The short label of a large set (`{a, b, ... 12 #7}`) is a word to whoever does not have the manifest,
which lists its values. Nothing here depends on a recoding: an auditor and
an attacker read a table in the same way.
"""

from __future__ import annotations

import calendar
import datetime
import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.model.cells.column_texts import plain_hierarchy
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.number_label import Span, spans
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import MISSING, SUPPRESSED, Kind
from shoal.model.table.number_text import decimal_text, number_of
from shoal.model.table.short_labels import is_short

_OR_MISSING = f" or {MISSING}"
_MASKED = re.compile(r"(?P<begin>[^*]+?)(?P<stars>\*+)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_YEARS = re.compile(r"(\d{4})(?:-(\d{4}))?")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d)?)(?:\.(?P<parts>\d+))?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_DATES = re.compile(r"[\[(\]]([^,;]+)[,;] ?([^,;]+)[\])\[]")

Key = str | Fraction
"""A value in the form used for comparison: 39, 39.0 and +39 are one number."""


@dataclass(frozen=True)
class Meaning:
    """A set of values.

    Parameters
    ----------
    everything
        Whether it is the set of all values, including the missing one.
    missing
        Whether the missing value is in it.
    values
        Values in it, one by one.
    spans, days
        Numbers in it, and dates, counted in days.
    begin, length
        Values that begin with this text and, if given, have this length.
    """

    everything: bool = False
    missing: bool = False
    values: frozenset[Key] = frozenset()
    spans: tuple[Span, ...] = ()
    days: tuple[Span, ...] = ()
    begin: str | None = None
    length: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether the cell could be read."""
        return self != NOTHING

    def overlaps(self, other: Meaning) -> bool:
        """Whether some value may be in both; true where that is hard to decide."""
        if self.everything or other.everything or (self.missing and other.missing):
            return True
        if self.values & other.values or any(map(self._contains, other.values)):
            return True
        if any(map(other._contains, self.values)):
            return True
        if _any_meet(self.spans, other.spans) or _any_meet(self.days, other.days):
            return True
        if self.begin is not None and other.begin is not None:
            return self.begin.startswith(other.begin) or other.begin.startswith(self.begin)
        # The beginning of a code and a span of numbers are not compared.
        return bool(self.begin and other.spans) or bool(other.begin and self.spans)

    def _contains(self, key: Key) -> bool:
        if key in self.values:
            return True
        if isinstance(key, Fraction):
            contained = any(span.contains(Span(key, key)) for span in self.spans)
            return contained or (self.begin is not None and self.begins(decimal_text(key)))
        day = day_of(key) if self.days else None
        contained = day is not None and any(span.contains(Span(day, day)) for span in self.days)
        return contained or self.begins(key)

    def begins(self, text: str) -> bool:
        if self.begin is None:
            return False
        return text.startswith(self.begin) and self.length in (None, len(text))

    def covers(self, value: str | None) -> bool:
        """Whether a value, as text, is in the set."""
        if self.everything:
            return True
        if value is None:
            return self.missing
        return self._contains(key_of(value)) or self.begins(value)


EVERYTHING = Meaning(everything=True)
NOTHING = Meaning()


class CellReader:
    """Reads the cells of one column.

    Parameters
    ----------
    hierarchy
        The hierarchy that its labels come from, if any.
    kind
        What the values are; when absent, any kind that a label can be read as.
    sets
        Short labels of its release, each with the text that lists its values.
    """

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        kind: Kind | None = None,
        sets: Mapping[str, str] | None = None,
    ) -> None:
        self._hierarchy = hierarchy
        self._kind = kind
        self._sets = sets or {}
        self._meanings: dict[str | None, Meaning] = {}

    @classmethod
    def of(cls, attribute: Attribute) -> CellReader:
        """The reader of a column that a policy describes."""
        return cls(plain_hierarchy(attribute), attribute.kind)

    def meaning(self, cell: str | None) -> Meaning:
        """The values that a cell may represent; `NOTHING` if it cannot be read."""
        if cell not in self._meanings:
            self._meanings[cell] = self._read(cell)
        return self._meanings[cell]

    def _read(self, cell: str | None) -> Meaning:
        if cell is None:
            return Meaning(missing=True)
        if cell == SUPPRESSED:
            return EVERYTHING
        own = frozenset([key_of(cell)])
        if cell == MISSING:
            return Meaning(missing=True, values=own)
        if cell in self._leaves_under:
            leaves = self._leaves_under[cell]
            return Meaning(missing="" in leaves, values=frozenset(map(key_of, leaves)) | own)
        if cell.endswith(_OR_MISSING):
            value = self.meaning(cell.removesuffix(_OR_MISSING))
            return replace(value, missing=True, values=value.values | own)
        if is_short(cell):  # only the manifest lists its values
            return self._read(self._sets[cell]) if cell in self._sets else Meaning(values=own)
        members = _set(cell)
        if members is not None:
            return _joined([self._member(*member) for member in members], own)
        begin = _MASKED.fullmatch(cell)
        return Meaning(
            values=own,
            spans=spans(cell) if self._kind in (None, "number") else (),
            days=_days(cell) if self._kind in (None, "date") else (),
            begin=begin["begin"] if begin else None,
            # One star replaces any rest; several replace one character each.
            length=len(cell) if begin and len(begin["stars"]) > 1 else None,
        )

    def _member(self, text: str, quoted: bool) -> Meaning:
        """What a member of a set represents: quoted, or a star, it is that text itself."""
        literal = quoted or text == SUPPRESSED
        return Meaning(values=frozenset([key_of(text)])) if literal else self.meaning(text)

    @cached_property
    def _leaves_under(self) -> dict[str, set[str]]:
        under: defaultdict[str, set[str]] = defaultdict(set)
        for row in () if self._hierarchy is None else self._hierarchy.rows:
            for label in row[1:]:
                under[label].add(row[0])
        return under

    def covering(self, cells: Sequence[str | None], values: Sequence[str | None]) -> NDArray[np.bool_]:
        """Whether each cell of a release may represent each value."""
        index = _Index(values)
        covered = np.zeros((len(cells), len(values)), np.bool_)
        for line, cell in zip(covered, cells, strict=True):
            index.mark(self.meaning(cell), line)
        return covered

    def overlapping(self, cells: Sequence[str | None], others: Sequence[str | None]) -> NDArray[np.bool_]:
        """Whether each cell of one release may share a value with each cell of another."""
        other = [self.meaning(cell) for cell in others]
        return np.array(
            [[self.meaning(cell).overlaps(each) for each in other] for cell in cells], np.bool_
        ).reshape(len(cells), len(others))


class _Index:
    """Values, indexed so that those a cell covers are quick to find."""

    def __init__(self, values: Sequence[str | None]) -> None:
        self._values = values
        self._missing = [place for place, value in enumerate(values) if value is None]
        self._places: defaultdict[Key, list[int]] = defaultdict(list)
        for place, value in enumerate(values):
            if value is not None:
                self._places[key_of(value)].append(place)

    @cached_property
    def _numbers(self) -> list[tuple[Fraction, int]]:
        return sorted(
            (key, place)
            for key, places in self._places.items()
            if isinstance(key, Fraction)
            for place in places
        )

    @cached_property
    def _days(self) -> list[tuple[Fraction, int]]:
        match = [(day_of(value), place) for place, value in enumerate(self._values) if value is not None]
        return sorted((day, place) for day, place in match if day is not None)

    def mark(self, meaning: Meaning, line: NDArray[np.bool_]) -> None:
        """Mark the values that a meaning covers."""
        if meaning.everything:
            line[:] = True
            return
        if meaning.missing:
            line[self._missing] = True
        for key in meaning.values:
            line[self._places.get(key, [])] = True
        for span in meaning.spans:
            _mark_between(self._numbers, span, line)
        for span in meaning.days:
            _mark_between(self._days, span, line)
        if meaning.begin is not None:
            for place, value in enumerate(self._values):
                if value is not None and meaning.begins(value):
                    line[place] = True


def key_of(value: str) -> Key:
    """A value in the form used for comparison."""
    number = number_of(value)
    return value if number is None else number


def day_of(value: str) -> Fraction | None:
    """A date or a moment as an exact number of days; `None` if the text is neither.

    Stricter than Python, which allows any character between day and time: 2024010111212 may be an account
    number.
    """
    match = _MOMENT.fullmatch(value)
    if match is None:
        return None
    try:
        moment = datetime.datetime.fromisoformat(
            f"{match['day']}T{match['time'] or '00:00'}{match['zone'] or ''}"
        )
        if moment.tzinfo is not None:
            moment = moment.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None
    parts = Fraction(f"0.{match['parts'] or 0}")
    return moment.toordinal() + (moment.hour * 3600 + moment.minute * 60 + moment.second + parts) / 86_400


def _mark_between(ordered: Sequence[tuple[Fraction, int]], span: Span, line: NDArray[np.bool_]) -> None:
    def first(one: tuple[Fraction, int]) -> Fraction:
        return one[0]

    begin, end = 0, len(ordered)
    if span.low is not None:
        begin = (bisect_left if span.has_low else bisect_right)(ordered, span.low, key=first)
    if span.high is not None:
        end = (bisect_right if span.has_high else bisect_left)(ordered, span.high, key=first)
    line[[place for _, place in ordered[begin:end]]] = True


def _any_meet(one: Sequence[Span], two: Sequence[Span]) -> bool:
    return any(_meet(each, other) for each in one for other in two)


def _meet(one: Span, two: Span) -> bool:
    """Whether some number is in both."""
    for lower, upper in ((one, two), (two, one)):
        if lower.high is None or upper.low is None:
            continue
        if lower.high < upper.low:
            return False
        if lower.high == upper.low and not (lower.has_high and upper.has_low):
            return False
    return True


def _joined(parts: Iterable[Meaning], own: frozenset[Key]) -> Meaning:
    meanings = list(parts)
    return Meaning(
        missing=any(each.missing for each in meanings),
        values=own.union(*(each.values for each in meanings)),
        spans=tuple(span for each in meanings for span in each.spans),
        days=tuple(span for each in meanings for span in each.days),
    )


def set_members(cell: str) -> tuple[str | None, ...] | None:
    """The members of `{a, "b, c", missing}`, `None` for the missing one; `None` if the text is not a set."""
    members = _set(cell)
    if members is None:
        return None
    return tuple(None if text == MISSING and not quoted else text for text, quoted in members)


def _set(cell: str) -> list[tuple[str, bool]] | None:
    """The members of `{a, "b, c"}` and whether each is quoted; `None` if the text is not a set."""
    if not (cell.startswith("{") and cell.endswith("}")):
        return None
    members, rest = [], cell[1:-1]
    while rest:
        quoted = rest.startswith('"')
        if quoted:
            try:
                member, end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError:
                return None
            rest = rest[end:].removeprefix(",").lstrip()
        else:
            member, _, rest = rest.partition(",")
            rest = rest.lstrip()
        members.append((str(member), quoted))
    return members or None


def _days(cell: str) -> tuple[Span, ...]:
    """The days that a label reads as."""
    if match := _DATES.fullmatch(cell):
        low, high = day_of(match[1]), day_of(match[2])
        if low is None or high is None:
            return ()
        return (Span(low, high, has_low=cell[0] == "[", has_high=cell[-1] == "]"),)
    try:
        first, last = _calendar(cell)
    except (TypeError, ValueError):
        return ()
    # To the end of the last day, whatever the time of day.
    return (Span(Fraction(first.toordinal()), Fraction(last.toordinal() + 1), has_high=False),)


def _calendar(cell: str) -> tuple[datetime.date, datetime.date]:
    """First and last day of a month, quarter, week, year or several years; raises for any other text."""
    if match := _MONTH.fullmatch(cell):
        year, month = int(match[1]), int(match[2])
        return datetime.date(year, month, 1), datetime.date(year, month, calendar.monthrange(year, month)[1])
    if match := _QUARTER.fullmatch(cell):
        year, last = int(match[1]), 3 * int(match[2])
        return datetime.date(year, last - 2, 1), datetime.date(year, last, calendar.monthrange(year, last)[1])
    if match := _WEEK.fullmatch(cell):
        first = datetime.date.fromisocalendar(int(match[1]), int(match[2]), 1)
        return first, first + datetime.timedelta(days=6)
    if match := _YEARS.fullmatch(cell):
        return datetime.date(int(match[1]), 1, 1), datetime.date(int(match[2] or match[1]), 12, 31)
    day = datetime.date.fromisoformat(cell)
    return day, day
