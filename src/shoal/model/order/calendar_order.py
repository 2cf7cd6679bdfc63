"""Recognises months, quarters, half-years, weeks, weekdays, seasons and times of day, and dates in words.

Each function takes the known texts of a column and returns a sort key for each, or `None` if one does not
fit. English and German names, in full or abbreviated; months also in other languages.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence

from shoal.model.cells.date_form import FIRST_YEAR
from shoal.model.cells.month_names import month_of
from shoal.model.order.plain_words import plain

Keys = list[tuple[int, ...]]


def _numbered(*lines: str) -> dict[str, int]:
    return {name: place for place, line in enumerate(lines, 1) for name in line.split("|")}


_MONTHS = _numbered(
    "january|jan|januar|jaenner|jaen",
    "february|feb|februar|feber",
    "march|mar|maerz|maer|mrz",
    "april|apr",
    "may|mai",
    "june|jun|juni",
    "july|jul|juli",
    "august|aug",
    "september|sep|sept",
    "october|oct|oktober|okt",
    "november|nov",
    "december|dec|dezember|dez",
)
_DAYS = _numbered(
    "monday|mon|montag",
    "tuesday|tue|tues|dienstag",
    "wednesday|wed|mittwoch",
    "thursday|thu|thur|thurs|donnerstag",
    "friday|fri|freitag",
    "saturday|sat|samstag|sonnabend",
    "sunday|sun|sonntag",
)
_SHORT_DAYS = _numbered("mo", "tu|di", "we|mi", "th|do", "fr", "sa", "su|so")
_SEASONS = _numbered("spring|fruehling|fruehjahr", "summer|sommer", "autumn|fall|herbst", "winter")
_TIMES = _numbered(
    "early morning",
    "morning|morgen|morgens|vormittag|vormittags",
    "noon|midday|mittag|mittags",
    "afternoon|nachmittag|nachmittags",
    "evening|abend|abends",
    "night|nacht|nachts",
)
_YEAR = r"(?:(?P<before>\d{4}) ?)?"
_YEAR_AFTER = r"(?: ?(?P<after>\d{4}))?"
_WEEK = re.compile(r"(\d{4})-?W(\d{1,2})", re.ASCII)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})[:h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<parts>\d{1,6}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?|[Uu]hr|h)?",
    re.ASCII,
)
_JOINED = re.compile(r"(?P<name>[^\W\d_]{3,})(?P<after>\d{4}|\d{2})|(?P<before>\d{4})m(?P<month>\d{1,2})")
_FEWEST_SHORT_DAYS = 5
"""Two letters are also codes of countries and states; a working week of them is no coincidence."""


def months(texts: Sequence[str]) -> Keys | None:
    """Jan, January, 2024-01, 01/2024, Jan-2024, Jan 24, JAN2024, 2024M01; all with a year, or none."""
    return _dated([_month(_words(plain(text))) for text in texts])


def quarters(texts: Sequence[str]) -> Keys | None:
    """Q1, 1. Quartal, 2025-Q3, Q1 2025, 1Q2025; all with a year, or none."""
    return _dated([_part(plain(text), "q|qtr|quarter|quartal", "1-4") for text in texts])


def halves(texts: Sequence[str]) -> Keys | None:
    """H1 2025, 2. Halbjahr; all with a year, or none."""
    return _dated([_part(plain(text), "h|half|halbjahr", "12") for text in texts])


def weekdays(texts: Sequence[str]) -> Keys | None:
    """Mon, Monday, Montag; two letters only where they are at least five days."""
    words = [plain(text) for text in texts]
    keys = _named(words, _DAYS)
    if keys is None and len(set(words)) >= _FEWEST_SHORT_DAYS:
        keys = _named(words, _SHORT_DAYS)
    return keys


def seasons(texts: Sequence[str]) -> Keys | None:
    """Spring to winter; all with a year, or none."""
    found: list[tuple[int, int] | None] = []
    for words in (plain(text).split() for text in texts):
        names = [_SEASONS[word] for word in words if word in _SEASONS]
        years = [int(word) for word in words if re.fullmatch(r"\d{4}", word)]
        fits = len(names) == 1 and len(years) < 2 and len(names) + len(years) == len(words)
        found.append((years[0] if years else 0, names[0]) if fits else None)
    return _dated(found)


def times_of_day(texts: Sequence[str]) -> Keys | None:
    """Morning to night."""
    return _named([plain(text) for text in texts], _TIMES)


def dates(texts: Sequence[str]) -> Keys | None:
    """17.05.2024, May 17 2024, 5/17/24; only if there is one way to read them.

    05/06/2024 can be in May or in June: a column with only such dates is not recognised.
    """
    words = [plain(text).split() for text in texts]
    if any(len(each) != 3 for each in words):
        return None
    dotted = all(text.count(".") >= 2 for text in texts)  # German: the day comes first
    readings: list[Callable[[list[str]], tuple[int, ...] | None]] = [
        lambda each: _date(each[2], each[1], each[0]),
        lambda each: _date(each[0], each[1], each[2]) if len(each[0]) == 4 else None,
    ]
    if not dotted:
        readings.append(lambda each: _date(each[2], each[0], each[1]))
    held = [keys for read in readings if None not in (keys := [read(each) for each in words])]
    known = [[key for key in keys if key is not None] for keys in held]
    return known[0] if len(known) == 1 else None


def weeks(texts: Sequence[str]) -> Keys | None:
    """2024-W05, 2024W5, as ISO 8601 counts weeks."""
    found = [_WEEK.fullmatch(text.strip()) for text in texts]
    known = [(int(each[1]), int(each[2])) for each in found if each is not None]
    fits = len(known) == len(texts) and all(1 <= week <= 53 for _, week in known)
    return [(year, week) for year, week in known] if fits else None


def clock_times(texts: Sequence[str]) -> Keys | None:
    """08:30, 8:30 PM, 23:59:59, 8h30, 8:30 Uhr."""
    found = [_clock(text) for text in texts]
    known = [each for each in found if each is not None]
    return [(each,) for each in known] if len(known) == len(texts) else None


def _clock(text: str) -> int | None:
    """The millionths of a second since midnight."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    parts = int((found["parts"] or "").ljust(6, "0"))
    if found["half"] and found["half"][0] in "AaPp":
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found["half"][0] in "Pp")
    if hour > 23 or minute > 59 or second > 59:
        return None
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + parts


def _named(words: Sequence[str], places: dict[str, int]) -> Keys | None:
    keys: Keys = [(places[word],) for word in words if word in places]
    return keys if len(keys) == len(words) else None


def _dated(keys: Sequence[tuple[int, int] | None]) -> Keys | None:
    """The keys, if all of them have a year or none has; 0 is none."""
    known = [key for key in keys if key is not None]
    if len(known) < len(keys) or len({year == 0 for year, _ in known}) > 1:
        return None
    return [(year, place) for year, place in known]


def _words(text: str) -> list[str]:
    """The words of a text; those of a month and a year without a sign between them are two."""
    found = _JOINED.fullmatch(text)
    if found is None:
        return text.split()
    return [found["name"] or found["month"], found["after"] or found["before"]]


def _month(words: Sequence[str]) -> tuple[int, int] | None:
    if len(words) == 1:
        named = _MONTHS.get(words[0]) or (month_of(words[0]) if len(words[0]) > 3 else None)
        return None if named is None else (0, named)
    if len(words) != 2:
        return None
    for month, year in (words, words[::-1]):
        if (named := _MONTHS.get(month) or month_of(month)) and _year(year):
            return _year(year), named
        # 01-24 could be the 24th of January, so the year needs its four digits.
        if re.fullmatch(r"\d{1,2}", month) and 1 <= int(month) <= 12 and len(year) == 4 and _year(year):
            return _year(year), int(month)
    return None


def _year(word: str) -> int:
    """A year of four digits, or of two as in dates; 0 for anything else."""
    if re.fullmatch(r"\d{4}", word, re.ASCII):
        return int(word)
    if re.fullmatch(r"\d{2}", word, re.ASCII):
        return FIRST_YEAR + (int(word) - FIRST_YEAR) % 100
    return 0


def _part(text: str, names: str, digits: str) -> tuple[int, int] | None:
    """The part of a year that a text names, with the year or 0."""
    shapes = (
        rf"{_YEAR}(?:{names}) ?(?P<part>[{digits}]){_YEAR_AFTER}",
        rf"{_YEAR}(?P<part>[{digits}])(?:st|nd|rd|th)? ?(?:{names}){_YEAR_AFTER}",
    )
    for shape in shapes:
        found = re.fullmatch(shape, text, re.ASCII)
        if found and not (found["before"] and found["after"]):
            return int(found["before"] or found["after"] or 0), int(found["part"])
    return None


def _date(year: str, month: str, day: str) -> tuple[int, ...] | None:
    day = re.sub(r"(?<=\d)(st|nd|rd|th)$", "", day)
    if not re.fullmatch(r"\d{1,2}", day, re.ASCII) or not _year(year):
        return None
    number = _MONTHS.get(month) or (int(month) if re.fullmatch(r"\d{1,2}", month, re.ASCII) else 0)
    try:
        return (datetime.date(_year(year), number, int(day)).toordinal(),)
    except ValueError:
        return None
