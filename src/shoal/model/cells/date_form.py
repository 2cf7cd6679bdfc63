"""How a column writes its dates: a pattern of letters, with or without a time of day behind it."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from shoal.model.cells.month_names import month_of

FIRST_YEAR = 1930
"""The first year that two digits can mean, as in Excel: 30 to 99 are 1930 to 1999, 00 to 29 are 2000 to 2029.
Dates of birth and events of the past are far more common than dates after 2029."""
_LETTERS = re.compile(r"YYYY|YY|MMM|MM|M|DD|D")
_WINDOW = re.compile(r"(?P<pattern>.*?)(?: from (?P<first>\d{4}))?")
_TIME = (
    r"(?:(?:T|\s+|,\s*)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<parts>\d{1,6})0*)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_PIECES = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d\d)",
    "MMM": r"(?P<name>[^\W\d_]+)\.?",
    "MM": r"(?P<month>\d{1,2})",
    "M": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
    "D": r"(?P<day>\d{1,2})",
}
_ORDINAL = r"(?:(?:st|nd|rd|th|er)(?![^\W\d_])|\u00ba|\.)?"


class NoDateError(ValueError):
    """A text is not a date in the form of its column."""


@dataclass(frozen=True, kw_only=True)
class DateForm:
    """One way to write dates.

    Parameters
    ----------
    pattern
        YYYY or YY for the year, MM for the month, MMM for its name, DD for the day; anything else is itself.
    first_year
        The first of the hundred years that YY can mean.
    """

    pattern: str
    first_year: int = FIRST_YEAR

    kind: ClassVar[Literal["date"]] = "date"

    @property
    def format(self) -> str:
        """The form as a policy states it."""
        window = f" from {self.first_year}" if self._short and self.first_year != FIRST_YEAR else ""
        return f"{self.pattern}{window}"

    @property
    def words(self) -> str:
        """The form for people."""
        years = f", years {self.first_year} to {self.first_year + 99}" if self._short else ""
        return f"dates written as {self.pattern}{years}"

    @property
    def _short(self) -> bool:
        return "YY" in self.pattern and "YYYY" not in self.pattern

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        pieces, end = [], 0
        named = "MMM" in self.pattern
        letters = list(_LETTERS.finditer(self.pattern))
        for place, found in enumerate(letters):
            pieces.append(_literal(self.pattern[end : found.start()]))
            piece, end = _PIECES[found[0]], found.end()
            # Without a mark between them, letters say how many digits there are.
            beside = place + 1 < len(letters) and letters[place + 1].start() == end
            behind = place > 0 and letters[place - 1].end() == found.start()
            if (beside or behind) and found[0] in ("MM", "DD"):
                piece = piece.replace("{1,2}", "{2}")
            pieces.append(piece + (_ORDINAL if named and "day" in piece else ""))
        pieces.append(_literal(self.pattern[end:]))
        return re.compile(rf"\s*{''.join(pieces)}{_TIME}\s*")

    def read(self, text: str) -> datetime.date:
        """The date that a text is, or the moment if it has a time; `NoDateError` if it is neither."""
        found = self._shape.fullmatch(text)
        if found is None or (not text.isascii() and not _digits_are_ascii(text)):
            raise NoDateError
        facts = found.groupdict()
        month = month_of(facts["name"]) if facts.get("name") else int(facts["month"])
        try:
            day = datetime.date(self._year(facts["year"]), month or 0, int(facts["day"]))
            return day if facts["hour"] is None else _moment(day, facts)
        except ValueError:
            raise NoDateError from None

    def _year(self, digits: str) -> int:
        year = int(digits)
        return year if len(digits) > 2 else self.first_year + (year - self.first_year) % 100


def _literal(text: str) -> str:
    return re.sub(r"(?:\\ )+", r"\\s+", re.escape(text))


def _digits_are_ascii(text: str) -> bool:
    return all(each.isascii() for each in text if each.isdigit())


def _moment(day: datetime.date, facts: dict[str, str | None]) -> datetime.datetime:
    hour = int(facts["hour"] or 0)
    if facts["half"]:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + 12 * (facts["half"][0] in "Pp")
    zone = (facts["zone"] or "").replace("Z", "+00:00")
    clock = f"{hour:02}:{facts['minute']}:{facts['second'] or '00'}.{(facts['parts'] or '').ljust(6, '0')}"
    return datetime.datetime.fromisoformat(f"{day.isoformat()}T{clock}{zone}")


def _patterns() -> tuple[str, ...]:
    numbers = [f"DD{mark}MM{mark}YYYY" for mark in "./-"] + ["MM/DD/YYYY", "MM-DD-YYYY"]
    numbers += [f"YYYY{mark}MM{mark}DD" for mark in "-/."]
    numbers += [f"DD{mark}MM{mark}YY" for mark in "./-"] + ["MM/DD/YY", "MM-DD-YY"]
    dated = [f"DD{mark}MMM{mark}{year}" for mark in (" ", "-", "/", ".", "") for year in ("YYYY", "YY")]
    return (*numbers, *dated, "MMM DD, YYYY", "MMM DD YYYY", "DD de MMM de YYYY", "YYYY-MMM-DD")


DATE_FORMS = tuple(DateForm(pattern=pattern) for pattern in _patterns())
"""The forms that are recognised, without those that only a policy can state."""
DIGITS_ONLY = DateForm(pattern="YYYYMMDD")
"""Read as dates only if the policy says that they are dates: as plain digits they are numbers."""


def parse_date_format(format: str) -> DateForm | None:
    """The form that a policy states in letters, like "DD.MM.YYYY" or "MM/DD/YY from 1920"; else `None`."""
    found = _WINDOW.fullmatch(format)
    if found is None:
        return None
    letters = [each[0] for each in _LETTERS.finditer(found["pattern"])]
    sorts = sorted(each[0] for each in letters)
    if sorts != ["D", "M", "Y"]:
        return None
    short = "YY" in letters
    if found["first"] and not short:
        return None
    return DateForm(
        pattern=found["pattern"], first_year=int(found["first"]) if found["first"] else FIRST_YEAR
    )
