"""Some points of a front: those within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.pipeline.front.point import FrontPoint

Range = tuple[float | None, float | None]
"""The least and the greatest value; `None` for no bound."""


def within(
    points: Sequence[FrontPoint], names: Sequence[str], ranges: Mapping[str, Range]
) -> tuple[FrontPoint, ...]:
    """The points whose values are within all ranges.

    Parameters
    ----------
    points, names
        The points, and the names of their objectives.
    ranges
        By the identifier of an objective, or of k, groups or suppressed.
    """
    facts = [*dict.fromkeys([*names, "k", "groups", "suppressed"])]
    by_name = {_identifier(name): name for name in facts}
    kept = list(points)
    for key, bounds in ranges.items():
        if key not in by_name:
            raise PolicyError(f"the front has no objective {key!r}.{suggestion(key, by_name)}")
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            raise PolicyError(f"{key} is a pair, the least and the greatest; it is {bounds!r}")
        kept = [point for point in kept if _is_within(point, by_name[key], *bounds)]
    return tuple(kept)


def _is_within(point: FrontPoint, name: str, least: float | None, most: float | None) -> bool:
    value = point.fact(name)
    return (least is None or value >= least) and (most is None or value <= most)


def _identifier(name: str) -> str:
    return "".join(sign if sign.isalnum() else "_" for sign in name)
