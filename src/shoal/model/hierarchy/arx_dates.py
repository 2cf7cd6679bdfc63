"""Steps of the calendar, as ARX's HierarchyBuilderDate prints them.

Weeks, quarters' names and dates moved to another time zone depend on the machine that ARX ran on, and are
refused.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from shoal.errors import PolicyError
from shoal.model.hierarchy.arx_types import mapping
from shoal.model.hierarchy.java_stream import JavaObject

_FORMATS = {
    "SECOND_MINUTE_HOUR_DAY_MONTH_YEAR": "dd.MM.yyyy-HH:mm:ss",
    "MINUTE_HOUR_DAY_MONTH_YEAR": "dd.MM.yyyy-HH:mm",
    "HOUR_DAY_MONTH_YEAR": "dd.MM.yyyy-HH:00",
    "DAY_MONTH_YEAR": "dd.MM.yyyy",
    "MONTH_YEAR": "MM/yyyy",
    "YEAR": "yyyy",
}
_YEARS = {"DECADE": 10, "CENTURY": 100, "MILLENNIUM": 1000}
_PARTS = {"yyyy": "year", "MM": "month", "dd": "day", "HH": "hour", "mm": "minute", "ss": "second"}
_TOKEN = re.compile(r"([A-Za-z])\1*|[^A-Za-z']")
_GREGORIAN = 1583
"""The first whole year in which Java's two calendars agree."""


def date_levels(record: JavaObject, texts: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The values in the order of time, and their labels at each level.

    Parameters
    ----------
    record
        The builder.
    texts
        The values.
    """
    if record.fields["bottomCoding"] is not None or record.fields["topCoding"] is not None:
        raise PolicyError("it codes early or late dates, which is not read")
    datatype = record.fields["datatype"]
    _check_zone(record.fields["timeZone"], datatype)
    read = _reading(datatype.fields["string"])
    moments = sorted((_moment(text, read), text) for text in texts)
    stated = {} if record.fields["format"] is None else mapping(record.fields["format"].fields["map"])
    levels = [
        [_label(moment, step, stated) for moment, _ in moments] for step in record.fields["granularities"]
    ]
    if not levels:
        raise PolicyError("it has no steps")
    return [text for _, text in moments], levels


def _check_zone(zone: JavaObject | None, datatype: JavaObject) -> None:
    own = datatype.fields["format"].fields["calendar"].fields["zone"]
    if zone is not None and zone.fields["ID"] != own.fields["ID"]:
        raise PolicyError("it moves dates to another time zone")


def _reading(pattern: str) -> re.Pattern[str]:
    """What a text has to match, each part by its name."""
    found = ""
    for token in _tokens(pattern):
        part = _PARTS.get(token)
        if part is None and token[0].isalpha():
            raise PolicyError(f"it reads dates by the pattern {pattern!r}, which is not read")
        digits = r"\d{4}" if part == "year" else r"\d{2}"
        found += re.escape(token) if part is None else f"(?P<{part}>{digits})"
    try:
        compiled = re.compile(found, re.ASCII)
    except re.error:
        raise PolicyError(f"it reads dates by the pattern {pattern!r}, which is not read") from None
    if not {"year", "month", "day"} <= compiled.groupindex.keys():
        raise PolicyError(f"it reads dates by the pattern {pattern!r}, which leaves out a part of the date")
    return compiled


def _tokens(pattern: str) -> list[str]:
    tokens = [match[0] for match in _TOKEN.finditer(pattern)]
    if "".join(tokens) != pattern:
        raise PolicyError(f"it has the pattern {pattern!r}, which is not read")
    return tokens


def _moment(text: str, reading: re.Pattern[str]) -> datetime.datetime:
    found = reading.fullmatch(text)
    try:
        if found is not None:
            parts = {name: int(part) for name, part in found.groupdict().items()}
            hour, minute, second = (parts.get(name, 0) for name in ("hour", "minute", "second"))
            moment = datetime.datetime(parts["year"], parts["month"], parts["day"], hour, minute, second)
            if moment.year >= _GREGORIAN:
                return moment
    except ValueError:
        pass
    raise PolicyError("a value of the column is not a date in its pattern, or is earlier than 1583")


def _label(moment: datetime.datetime, step: str, stated: dict[str, str]) -> str:
    if step in _YEARS:
        low = moment.year // _YEARS[step] * _YEARS[step]
        return f"[{low}, {low + _YEARS[step]}["
    if step not in _FORMATS:
        raise PolicyError(f"the labels of its step {step} depend on the machine that ARX ran on")
    printed = ""
    for token in _tokens(stated.get(step, _FORMATS[step])):
        part = _PARTS.get(token)
        if part is None and token[0].isalpha():
            raise PolicyError(f"it prints dates by the pattern {stated[step]!r}, which is not read")
        printed += token if part is None else f"{getattr(moment, part):0{len(token)}d}"
    return printed
