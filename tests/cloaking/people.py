"""Twelve users of a square of 16, and anonymizers for them."""

from __future__ import annotations

from typing import Any

from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.messages import Position, Request
from shoal.location.cloaking.replay import engine_of
from shoal.location.cloaking.settings import Settings
from shoal.location.cloaking.square import Square

TWELVE = {
    "a": (1, 1),
    "b": (2, 3),
    "c": (3, 2),
    "d": (1, 6),
    "e": (6, 1),
    "f": (6, 6),
    "g": (10, 2),
    "h": (13, 3),
    "i": (12, 12),
    "j": (13, 13),
    "k": (14, 12),
    "l": (15, 15),
}
SQUARE = Square(x=0, y=0, side=16)


def anonymizer(algorithm: str, *ks: int, square: Square = SQUARE, **settings: Any) -> Engine:
    """An anonymizer with a square of 16, unless another one is given."""
    return engine_of(algorithm, Settings(square=square, ks=ks or (3,), seed=0, **settings))


def placed(engine: Engine, places: dict[str, tuple[int, int]], time: int = 0) -> Engine:
    """The same anonymizer, after users told where they are."""
    for user, (x, y) in places.items():
        engine.take(Position(user, time, x, y))
    return engine


def asked(engine: Engine, user: str, time: int = 1, **demands: Any) -> Cloak:
    """The cloak that a user gets at once."""
    [cloak] = engine.take(Request(user, time, f"{user}{time}", **demands))
    assert isinstance(cloak, Cloak)
    return cloak


def issuers(engine: Engine, cloak: Cloak) -> str:
    """Who would have got a cloak, in alphabetical order."""
    return "".join(sorted(engine.cloaker.issuers(cloak)))
