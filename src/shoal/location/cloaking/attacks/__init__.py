"""Attacks on cloaks, one per file: what somebody who knows positions, algorithm or habits finds out."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.errors import PolicyError
from shoal.location.cloaking.attacks._base import Check
from shoal.location.cloaking.attacks.centre import Centre
from shoal.location.cloaking.attacks.effective_k import EffectiveK
from shoal.location.cloaking.attacks.intersection import Intersection
from shoal.location.cloaking.attacks.sampling import Sampling
from shoal.location.cloaking.attacks.speed import Speed

CHECKS: dict[str, type[Check]] = {
    "effective-k": EffectiveK,
    "centre": Centre,
    "sampling": Sampling,
    "intersection": Intersection,
    "speed": Speed,
}
"""Each attack by its name."""


def checks_of(names: Iterable[str], speed: float | None) -> list[Check]:
    """The attacks of these names, or of all; speed is only run with a maximal speed."""
    chosen = list(dict.fromkeys(names)) or [name for name in CHECKS if speed is not None or name != "speed"]
    for name in chosen:
        if name not in CHECKS:
            raise PolicyError(f"there is no check {name!r}. There are: {', '.join(CHECKS)}")
    if "speed" in chosen and speed is None:
        raise PolicyError("the check speed needs a maximal speed, in coordinates per second: --speed 14")
    return [Speed(speed or 0) if name == "speed" else CHECKS[name]() for name in chosen]
