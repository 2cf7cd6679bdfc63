"""`quadtree`, `casper` and `quadtree-time` equal their definitions, from scratch, on random snapshots."""

from __future__ import annotations

import random

import pytest

from shoal.location.cloaking._base import SnapshotCloaker
from shoal.location.cloaking.answers import Cloak, Delayed, Dropped
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.messages import Cancel, Position, Request
from shoal.location.cloaking.tracks import Tracks
from tests.cloaking.people import SQUARE, anonymizer

Places = list[tuple[int, int]]


def inside(places: Places, box: Box) -> int:
    """How many places are in a box."""
    return sum(box.holds(*place) for place in places)


def cells(x: int, y: int) -> list[Box]:
    """The cells that hold a point, the largest first."""
    sides = [16 >> level for level in range(5)]
    return [Box(x - x % s, x - x % s + s - 1, y - y % s, y - y % s + s - 1) for s in sides]


def plain_quadtree(places: Places, x: int, y: int, k: int, least_area: int) -> Box | None:
    """The smallest cell with k users, of those whose parents have k users, too."""
    full = [cell for cell in cells(x, y) if inside(places, cell) >= k]
    return full[-1] if full else None


def plain_casper(places: Places, x: int, y: int, k: int, least_area: int) -> Box | None:
    """From the smallest cell up: the cell, the better of both pairs, the parent."""
    up = cells(x, y)[::-1]
    for cell, parent in zip(up, [*up[1:], None], strict=True):
        if inside(places, cell) >= k and cell.area >= least_area:
            return cell
        if parent is not None and 2 * cell.area >= least_area:
            beside = cell._replace(x_low=parent.x_low, x_high=parent.x_high)
            above = cell._replace(y_low=parent.y_low, y_high=parent.y_high)
            full = [pair for pair in (beside, above) if inside(places, pair) >= k]
            if full:
                return min(full, key=lambda pair: inside(places, pair))
    return None


@pytest.mark.parametrize(("algorithm", "plain"), [("quadtree", plain_quadtree), ("casper", plain_casper)])
def test_cloaks_are_those_of_the_definition(algorithm: str, plain: object) -> None:
    """On a thousand snapshots, with several k and areas; a user who leaves no longer counts."""
    assert callable(plain)
    chance = random.Random(algorithm)
    engine = anonymizer(algorithm)
    cloaker = engine.cloaker
    assert isinstance(cloaker, SnapshotCloaker)
    refused = 0
    for time in range(1_000):
        user = f"u{chance.randrange(20)}"
        if user in cloaker.positions and chance.random() < 0.2:
            engine.take(Cancel(user, time))
        else:
            engine.take(Position(user, time, chance.randrange(16), chance.randrange(16)))
        places = [(place.x, place.y) for place in cloaker.positions.values()]
        k = chance.randint(2, 6)
        area = chance.choice([0, 0, 3, 40, 200]) if algorithm == "casper" else 0
        for each, place in cloaker.positions.items():
            found = cloaker.found(each, k, area)
            expected = plain(places, place.x, place.y, k, area)
            assert (found and found.box) == expected
            refused += found is None
            if found is not None:
                assert found.among == inside(places, found.box)
    assert refused > 0


def moved(engine: Engine, tracks: Tracks, user: str, time: int, place: tuple[int, int]) -> list[object]:
    """Move a user, and note it."""
    tracks.add(user, time, place)
    return list(engine.take(Position(user, time, *place)))


def test_an_interval_ends_with_the_visit_of_the_last_of_k_users() -> None:
    """k users were in the cell during the interval, fewer until a second before; nobody waits too long."""
    chance = random.Random(0)
    engine, tracks = anonymizer("quadtree-time", 3, cell=8, tolerance=(0, 0, 40)), Tracks()
    seen: list[object] = []
    for time in range(3_000):
        user = f"u{chance.randrange(7)}"
        if user in engine.cloaker.positions and chance.random() < 0.3:
            seen += engine.take(Request(user, time, str(time), k=chance.randint(2, 6)))
        else:
            seen += moved(engine, tracks, user, time, (chance.randrange(16), chance.randrange(16)))
    seen += engine.end()
    cloaks = [each for each in seen if isinstance(each, Cloak)]
    dropped = [each for each in seen if isinstance(each, Dropped)]
    assert len(cloaks) + len(dropped) == engine.counts()["asked"]
    assert any(cloak.end > cloak.start for cloak in cloaks)
    assert len(dropped) > 10
    for cloak in cloaks:
        assert cloak.box.area == SQUARE.side**2 // 4
        assert tracks.met(cloak.request.user, cloak.box, cloak.start, cloak.start)
        assert len(tracks.all_met(cloak.box, cloak.start, cloak.end)) >= cloak.k
        assert cloak.start == cloak.request.time <= cloak.end == cloak.time <= cloak.start + 40
        if cloak.end > cloak.start:
            assert len(tracks.all_met(cloak.box, cloak.start, cloak.end - 1)) < cloak.k
    for each in dropped:
        assert each.time == each.request.time + 40
    assert any(isinstance(each, Delayed) for each in seen)
