"""What a recipe may state, checked before any data is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from shoal.errors import PolicyError
from shoal.model.hierarchy.date_levels import check_steps
from shoal.model.hierarchy.prefix_levels import check_prefixes
from shoal.model.table.number_text import exact, is_finite

_WAYS = ("widths", "fan_outs", "fan_out", "steps", "prefixes", "groups", "keep")
_WITHOUT_ENDS = ("steps", "prefixes", "groups", "keep")


def check_recipe(stated: Mapping[str, Any]) -> None:
    """Raise `PolicyError` if the value of a key is wrong, or two keys exclude each other."""
    for key, value in stated.items():
        _CHECKS[key](key, value)
    ways = [way for way in _WAYS if way in stated]
    if len(ways) > 1 and ways != ["widths", "fan_outs"]:
        raise PolicyError(f"{ways[0]} and {ways[1]} exclude each other; keep one of them")
    ends = [key for key in ("bottom", "top") if key in stated]
    for way in ways:
        if ends and way in _WITHOUT_ENDS:
            raise PolicyError(f"{ends[0]} works with intervals of numbers, not with {way}; leave one out")
    if len(ends) == 2 and not stated["bottom"] < stated["top"]:
        raise PolicyError(f"bottom must be below top; they are {stated['bottom']} and {stated['top']}")


def _check_widths(key: str, value: object) -> None:
    widths = _listed(key, value)
    for width in widths:
        _check_number("each of widths", width)
        if width <= 0:
            raise PolicyError(f"each of widths must be above 0; one is {width}")
    for width, wider in pairwise(widths):
        if wider <= width or (exact(wider) / exact(width)).denominator != 1:
            raise PolicyError(
                f"widths {width} and {wider} do not nest; each must be a multiple of the one before"
            )


def _check_number(key: str, value: object) -> None:
    if not is_finite(value):
        raise PolicyError(f"{key} must be a number; it is {value!r}")


def _check_fan_out(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 2:
        raise PolicyError(f"{key} must be a whole number of at least 2; it is {value!r}")


def _check_fan_outs(key: str, value: object) -> None:
    for fan_out in _listed(key, value):
        _check_fan_out("each of fan_outs", fan_out)


def _check_steps(key: str, value: object) -> None:
    check_steps(_listed(key, value))


def _check_prefixes(key: str, value: object) -> None:
    for prefix in _listed(key, value):
        if isinstance(prefix, bool) or not isinstance(prefix, int):
            raise PolicyError(f"each of prefixes must be a whole number; one is {prefix!r}")
    check_prefixes(_listed(key, value))


def _check_groups(key: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise PolicyError(f'{key} must be a table of labels, as {{ North = ["Oslo"] }}; it is {value!r}')


def _check_truth(key: str, value: object) -> None:
    if not isinstance(value, bool):
        raise PolicyError(f"{key} must be true or false; it is {value!r}")


def _listed(key: str, value: object) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise PolicyError(f"{key} must be a list; it is {value!r}")
    return value


_CHECKS: dict[str, Callable[[str, object], None]] = {
    "widths": _check_widths,
    "fan_outs": _check_fan_outs,
    "fan_out": _check_fan_out,
    "bottom": _check_number,
    "top": _check_number,
    "steps": _check_steps,
    "prefixes": _check_prefixes,
    "groups": _check_groups,
    "keep": _check_truth,
    "suppressed": _check_truth,
}
