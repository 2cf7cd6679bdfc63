"""Sequences of places and times that identify somebody, and automata that watch a pseudonym go through them.

An LBQID (location-based quasi-identifier; Bettini, Wang and Jajodia, 2005) lists places with windows of
the day, such as home from 7 to 8, office from 8 to 9, home from 17 to 18, and how often that must be
seen: on three weekdays a week, in two weeks. Whoever knows it of a person recognises a pseudonym that
goes through all of it.

Times are whole seconds; 0 is midnight at the beginning of a Monday.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import PolicyError
from shoal.files.whole_file import why
from shoal.location.cloaking.box import Box

DAY = 86_400
_CLOCK = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])")


class Element(NamedTuple):
    """A place and a window of the day, in seconds after midnight; both ends belong to it."""

    area: Box
    opens: int
    closes: int

    def matches(self, x: int, y: int, time: int) -> bool:
        """Whether a request is sent from there, then."""
        return self.opens <= time % DAY <= self.closes and self.area.holds(x, y)


@dataclass(frozen=True, kw_only=True)
class Lbqid:
    """A sequence that identifies somebody.

    Parameters
    ----------
    name
        What it is called.
    elements
        Places with windows of the day, in the order of one day.
    days, weeks
        On how many days of a week the whole sequence must be seen, and in how many weeks.
    weekdays
        Whether only Monday to Friday count.
    user
        Whose it is; everybody's when absent.
    """

    name: str
    elements: tuple[Element, ...]
    days: int = 1
    weeks: int = 1
    weekdays: bool = False
    user: str | None = None

    def __post_init__(self) -> None:
        if not self.elements:
            raise PolicyError("an LBQID has at least one element")
        if not 1 <= self.days <= (5 if self.weekdays else 7) or self.weeks < 1:
            raise PolicyError(
                "an LBQID is seen on 1 to 7 days a week, 1 to 5 if only weekdays count, in 1 week or more"
            )

    def matches(self, x: int, y: int, time: int) -> bool:
        """Whether a request matches any element, on a day that counts."""
        if self.weekdays and time // DAY % 7 > 4:
            return False
        return any(element.matches(x, y, time) for element in self.elements)


class Matcher:
    """How far one pseudonym has gone through one LBQID.

    Parameters
    ----------
    lbqid
        The sequence.

    Attributes
    ----------
    complete
        Whether all of it was seen.
    """

    def __init__(self, lbqid: Lbqid) -> None:
        self._lbqid = lbqid
        self._day = self._week = -1
        self._next = 0  # element of the day that comes next
        self._days = self._weeks = 0
        self.complete = False

    @property
    def state(self) -> tuple[int, int, int]:
        """Elements seen today, days complete this week, weeks complete."""
        return self._next, self._days, self._weeks

    def step(self, x: int, y: int, time: int) -> bool:
        """Go on with a request; whether it matches an element at all.

        Requests that repeat an earlier element of the day match, too: they are no step forward, but they
        show the same place.
        """
        lbqid, day = self._lbqid, time // DAY
        if day != self._day:
            self._begin(day)
        if not lbqid.matches(x, y, time):
            return False
        if self._next < len(lbqid.elements) and lbqid.elements[self._next].matches(x, y, time):
            self._next += 1
            if self._next == len(lbqid.elements):
                self._days += 1
                if self._days == lbqid.days:
                    self._weeks += 1
                    self.complete = self.complete or self._weeks >= lbqid.weeks
        return True

    def _begin(self, day: int) -> None:
        if day // 7 != self._week:
            self._week, self._days = day // 7, 0
        self._day, self._next = day, 0


def read_lbqids(path: Path) -> tuple[tuple[Lbqid, ...], tuple[Box, ...]]:
    """The LBQIDs and mix zones of a TOML file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PolicyError(f"cannot read {path}: {why(error)}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        raise PolicyError(f"{path} is not TOML") from None
    if not content.keys() <= {"lbqid", "mix_zone"}:
        raise PolicyError(f"{path} has no tables but [[lbqid]] and [[mix_zone]]")
    try:
        return (
            tuple(_lbqid(number, each) for number, each in enumerate(_tables(content, "lbqid"), 1)),
            tuple(_box(each) for each in _tables(content, "mix_zone")),
        )
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from None


def _tables(content: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    tables = content.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise PolicyError(f"{name} is a list of tables: write [[{name}]]")
    return tables


def _lbqid(number: int, table: Mapping[str, Any]) -> Lbqid:
    place = f"LBQID {number}"
    kinds = {"name": str, "user": str, "days": int, "weeks": int, "weekdays": bool, "elements": list}
    if not table.keys() <= kinds.keys():
        raise PolicyError(f"{place} has no keys but {', '.join(kinds)}")
    for key, value in table.items():
        if type(value) is not kinds[key]:
            raise PolicyError(f"{place}: {key} is of the wrong type")
    try:
        return Lbqid(
            name=table.get("name", place),
            elements=tuple(_element(each) for each in table.get("elements", [])),
            days=table.get("days", 1),
            weeks=table.get("weeks", 1),
            weekdays=table.get("weekdays", False),
            user=table.get("user"),
        )
    except PolicyError as error:
        raise PolicyError(f"{place}: {error}") from None


def _element(table: object) -> Element:
    if not isinstance(table, dict) or table.keys() != {"x", "y", "from", "to"}:
        raise PolicyError(
            'an element has x, y, from and to: { x = [0, 9], y = [0, 9], from = "07:00", to = "08:00" }'
        )
    opens, closes = (_seconds(table[key]) for key in ("from", "to"))
    if opens > closes:
        raise PolicyError("an element ends after it begins, on the same day")
    return Element(_box({"x": table["x"], "y": table["y"]}), opens, closes)


def _seconds(clock: object) -> int:
    read = _CLOCK.fullmatch(clock) if isinstance(clock, str) else None
    if read is None or (seconds := int(read[1]) * 3600 + int(read[2]) * 60) > DAY:
        raise PolicyError('a time of the day is written as "07:30", at most "24:00"')
    return seconds


def _box(table: Mapping[str, Any]) -> Box:
    match table:
        case {"x": [int(left), int(right)], "y": [int(bottom), int(top)]} if len(table) == 2:
            if left <= right and bottom <= top:
                return Box(left, right, bottom, top)
    raise PolicyError("a place is written as x = [0, 9], y = [0, 9], the lower end first")
