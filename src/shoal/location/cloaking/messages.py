"""What users tell the anonymizer: where they are, that they ask something, that they withdraw.

A message is a JSON object or a row of a CSV file. Nothing that a user wrote is quoted in an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from shoal.errors import PolicyError

FIELDS = ("type", "user", "time", "x", "y", "k", "id", "dx", "dy", "dt", "least_area")
"""All fields that messages have."""

LONGEST_NAME = 128
GREATEST = 2**53 - 1
"""Whole numbers up to here are the same in every language that reads JSON."""
GREATEST_K = 1_000_000

_WHOLE = re.compile(r"-?[0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class Position:
    """A user is at a place; `k` is how many users they want to hide among, if it is not the usual one."""

    user: str
    time: int
    x: int
    y: int
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A user asks something, from the place that is known or from a new one.

    `dx`, `dy` and `dt` are how far box and interval may reach from place and time, `least_area` is the
    smallest box that the user accepts.
    """

    user: str
    time: int
    id: str
    x: int | None = None
    y: int | None = None
    k: int | None = None
    dx: int | None = None
    dy: int | None = None
    dt: int | None = None
    least_area: int = 0


@dataclass(frozen=True, slots=True)
class Cancel:
    """A user withdraws a request that waits; without an identifier, all of them, and is forgotten."""

    user: str
    time: int
    id: str | None = None


Message = Position | Request | Cancel

_OF_TYPE = {
    "position": {"user", "time", "x", "y", "k"},
    "request": {"user", "time", "x", "y", "k", "id", "dx", "dy", "dt", "least_area"},
    "cancel": {"user", "time", "id"},
}


def message_of(fields: Mapping[str, object], *, now: int | None = None, name: str = "") -> Message:
    """The message that has these fields; PolicyError with the reason if there is none.

    Parameters
    ----------
    fields
        Its fields; absent ones may be None.
    now
        The time of a message, whatever it says itself; its own field when absent.
    name
        The identifier of a request without one.
    """
    given = {field: value for field, value in fields.items() if value is not None}
    kind = given.pop("type", None)
    known = _OF_TYPE.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise PolicyError("the field type must be position, request or cancel")
    if not given.keys() <= known:
        raise PolicyError(f"a {kind} has no fields but type, {', '.join(sorted(known))}")
    user = _text(given, "user")
    time = _whole(given, "time", -GREATEST, GREATEST) if now is None else now
    if kind == "cancel":
        return Cancel(user, time, _text(given, "id") if "id" in given else None)
    k = _whole(given, "k", 2, GREATEST_K) if "k" in given else None
    if kind == "position":
        x, y = (_whole(given, field, -GREATEST, GREATEST) for field in "xy")
        return Position(user, time, x, y, k)
    return _request(given, user, time, k, name)


def _request(given: Mapping[str, object], user: str, time: int, k: int | None, name: str) -> Request:
    placed = bool(given.keys() & {"x", "y"})
    x, y = (_whole(given, field, -GREATEST, GREATEST) if placed else None for field in "xy")
    dx, dy, dt = (
        _whole(given, field, 0, GREATEST) if field in given else None for field in ("dx", "dy", "dt")
    )
    least = _whole(given, "least_area", 0, GREATEST) if "least_area" in given else 0
    return Request(user, time, _text(given, "id") if "id" in given else name, x, y, k, dx, dy, dt, least)


def whole_of(text: str) -> int | str:
    """A cell as the whole number that it reads as; as it is, if it reads as none."""
    return int(text) if _WHOLE.fullmatch(text) else text


def _text(given: Mapping[str, object], field: str) -> str:
    value = given.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value or len(value) > LONGEST_NAME:
        raise PolicyError(f"the field {field} must be a text of 1 to {LONGEST_NAME} characters")
    return value


def _whole(given: Mapping[str, object], field: str, least: int, greatest: int) -> int:
    if field not in given:
        raise PolicyError(f"the field {field} is missing")
    value = given[field]
    if type(value) is not int:
        raise PolicyError(f"the field {field} must be a whole number")
    if not least <= value <= greatest:
        raise PolicyError(f"the field {field} must be from {least:,} to {greatest:,}")
    return value
