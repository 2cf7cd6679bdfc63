"""What a policy says of points and times: where they are, and which cells or slots they become."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion

if TYPE_CHECKING:
    from shoal.model.policy.attribute import Attribute

CellSystem = Literal["h3", "grid"]
ReleasedCell = Literal["index", "box", "geojson"]

MINUTES = {
    "5 minutes": 5,
    "15 minutes": 15,
    "30 minutes": 30,
    "hour": 60,
    "3 hours": 180,
    "part of day": 360,
}
"""Slots within a day, from fine to coarse; each is a multiple of those before."""
SLOTS = (*MINUTES, "day", "week", "month", "quarter", "year")
"""From fine to coarse. Weeks nest in nothing coarser."""
SLOTS_OF_MOMENTS = ("hour", "part of day", "day", "week")
SLOTS_OF_DAY = ("hour", "part of day")

FINEST_RESOLUTION, COARSER_RESOLUTIONS = 9, 5
FINEST_SIDE, COARSER_SIDES = 250, 6
_MOST_RESOLUTION = 15
_MOST_SIDE = 10_000_000
_MOST_LATITUDE = 85
"""Of the origin of a grid: nearer to a pole, squares would be slivers."""

POINT_KEYS = ("latitude", "longitude", "cells", "finest", "coarsest", "origin", "released")


def check_place(attribute: Attribute, where: str) -> None:
    """Raise `PolicyError` unless what is said of a point or a time fits together."""
    kind = attribute.type
    for key in (*POINT_KEYS, "slots"):
        needed = "time" if key == "slots" else "point"
        if getattr(attribute, key) is not None and kind != needed:
            raise PolicyError(f'{where}: {key} shapes a {needed}; say type = "{needed}", or leave it out')
    if kind == "point":
        _check_point(attribute, where)
    elif kind == "time" and attribute.slots is not None:
        _check_slots(attribute.slots, where)


def check_made(attribute: Attribute, where: str) -> None:
    """Raise `PolicyError` if a point or a time also states what its cells or slots decide."""
    # Imported here: the flags of the command line are made of what is below, without any array.
    from shoal.model.hierarchy.hierarchy import Hierarchy

    # The hierarchy that is built of them is one, and no file or recipe.
    built = attribute.hierarchy is None or isinstance(attribute.hierarchy, Hierarchy)
    stated = [key for key in ("bin", "order", "format") if getattr(attribute, key) is not None]
    if stated or not built:
        made, key = "cells" if attribute.type == "point" else "slots", (*stated, "hierarchy")[0]
        raise PolicyError(f"{where}: the {made} of a {attribute.type} decide its {key}; leave that out")


def cell_levels(attribute: Attribute) -> tuple[int, int]:
    """The finest resolution or side of a point, and how many levels of cells it has."""
    if attribute.cells == "grid":
        side = int(attribute.finest or FINEST_SIDE)
        if attribute.coarsest is None:
            return side, COARSER_SIDES + 1
        return side, round(math.log2(attribute.coarsest / side)) + 1
    resolution = FINEST_RESOLUTION if attribute.finest is None else int(attribute.finest)
    if attribute.coarsest is None:
        return resolution, min(resolution, COARSER_RESOLUTIONS) + 1
    return resolution, resolution - int(attribute.coarsest) + 1


def _check_point(attribute: Attribute, where: str) -> None:
    for key in ("latitude", "longitude"):
        if not isinstance(getattr(attribute, key), str):
            raise PolicyError(
                f'{where}: a point is in two columns; name them, as in latitude = "lat" and longitude = "lon"'
            )
    if attribute.latitude == attribute.longitude:
        raise PolicyError(f"{where}: latitude and longitude name one column; name two")
    _check_choice(where, "cells", attribute.cells, get_args(CellSystem))
    _check_choice(where, "released", attribute.released, get_args(ReleasedCell))
    if attribute.cells == "grid":
        _check_grid(attribute, where)
    else:
        _check_h3(attribute, where)


def _check_choice(where: str, key: str, value: object, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise PolicyError(f"{where}: there is no {key} {value!r}.{suggestion(str(value), choices)}")


def _check_h3(attribute: Attribute, where: str) -> None:
    if attribute.origin is not None:
        raise PolicyError(f'{where}: only a grid has an origin; say cells = "grid", or leave it out')
    for key in ("finest", "coarsest"):
        value = getattr(attribute, key)
        if value is not None and not _is_whole(value, 0, _MOST_RESOLUTION):
            raise PolicyError(
                f"{where}: {key} is a resolution of H3, 0 to {_MOST_RESOLUTION}; it is {value!r}"
            )
    resolution = FINEST_RESOLUTION if attribute.finest is None else attribute.finest
    if attribute.coarsest is not None and attribute.coarsest > resolution:
        raise PolicyError(
            f"{where}: coarsest is a lower resolution than finest, which is {resolution}; it is "
            f"{attribute.coarsest}"
        )


def _check_grid(attribute: Attribute, where: str) -> None:
    origin = attribute.origin
    if origin is None:
        raise PolicyError(
            f"{where}: a grid needs an origin, latitude and longitude of a point amid the region, "
            "as in origin = [52.5, 13.4]; the same origin gives the same squares in every release"
        )
    plain = isinstance(origin, tuple) and len(origin) == 2 and all(map(_is_number, origin))
    if not plain or not (abs(origin[0]) <= _MOST_LATITUDE and abs(origin[1]) <= 180):
        raise PolicyError(
            f"{where}: origin is a latitude from -{_MOST_LATITUDE} to {_MOST_LATITUDE} and a longitude from "
            "-180 to 180, as in origin = [52.5, 13.4]"
        )
    for key in ("finest", "coarsest"):
        value = getattr(attribute, key)
        if value is not None and not _is_whole(value, 1, _MOST_SIDE):
            raise PolicyError(f"{where}: {key} is the side of squares, in whole metres; it is {value!r}")
    side = attribute.finest or FINEST_SIDE
    if attribute.coarsest is not None and attribute.coarsest not in [side << level for level in range(25)]:
        raise PolicyError(
            f"{where}: coarsest is finest, which is {side} metres, doubled any number of times, as in "
            f"{side * 16}; it is {attribute.coarsest}"
        )


def _check_slots(slots: object, where: str) -> None:
    if not isinstance(slots, tuple) or not slots:
        raise PolicyError(f'{where}: slots is a list, as in ["hour", "part of day", "day"]')
    for slot in slots:
        if slot not in SLOTS:
            raise PolicyError(f"{where}: there is no slot {slot!r}.{suggestion(str(slot), SLOTS)}")
    if list(slots) != [each for each in SLOTS if each in slots]:
        raise PolicyError(f"{where}: name each slot once, from fine to coarse: {', '.join(SLOTS)}")
    from shoal.model.hierarchy.date_levels import check_steps  # as above

    try:
        check_steps([slot for slot in slots if slot not in MINUTES])
    except PolicyError as error:
        raise PolicyError(f"{where}: {error}") from None


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
