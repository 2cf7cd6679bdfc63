"""`hilbert` and `partition`: everybody who is counted gets the same cloak, on 10,000 random snapshots."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from shoal.errors import PolicyError
from shoal.location.cloaking._base import SnapshotCloaker
from shoal.location.cloaking.answers import Dropped
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.hilbert_curve import plain_index
from shoal.location.cloaking.messages import Cancel, Position, Request
from tests.cloaking.people import SQUARE, TWELVE, anonymizer, asked, placed

SNAPSHOTS = 10_000
KS = (3, 2)


def changed(engine: Engine, chance: random.Random, time: int) -> None:
    """One user comes, moves, wants another k, or leaves; half of the time near others."""
    positions = engine.cloaker.positions
    user = f"u{chance.randrange(24)}"
    if user in positions and chance.random() < 0.2:
        engine.take(Cancel(user, time))
        return
    spread = 16 if chance.random() < 0.5 else 5
    place = chance.randrange(spread), chance.randrange(spread)
    engine.take(Position(user, time, *place, chance.choice([None, *KS])))


def plain_partition(places: dict[str, tuple[int, int]], k: int, box: Box, level: int) -> dict[str, Box]:
    """The partition by its definition: divided while every part has nobody or k users."""
    inside = {user: place for user, place in places.items() if box.holds(*place)}
    if level == SQUARE.levels:
        return dict.fromkeys(inside, box)
    half = box.width // 2
    parts = [
        Box(x, x + half - 1, y, y + half - 1)
        for x in (box.x_low, box.x_low + half)
        for y in (box.y_low, box.y_low + half)
    ]
    counts = [sum(part.holds(*place) for place in inside.values()) for part in parts]
    if any(0 < count < k for count in counts):
        return dict.fromkeys(inside, box)
    return {
        user: cell for part in parts for user, cell in plain_partition(inside, k, part, level + 1).items()
    }


def plain_boxes(algorithm: str, engine: Engine, k: int, order: list[str]) -> dict[str, Box]:
    """The boxes of all users who want k, from scratch."""
    places = {user: (place.x, place.y) for user, place in engine.cloaker.positions.items() if place.k == k}
    if len(places) < k:
        return {}
    if algorithm == "partition":
        return plain_partition(places, k, Box(0, 15, 0, 15), 0)
    ordered = sorted(places, key=lambda user: (plain_index(4, *places[user]), order.index(user)))
    runs = [ordered[start : start + k] for start in range(0, len(ordered) - k + 1, k)]
    runs[-1] = ordered[k * (len(runs) - 1) :]
    return {user: Box.around(places[each] for each in run) for run in runs for user in run}


@pytest.mark.parametrize("algorithm", ["hilbert", "partition"])
def test_effective_k_never_falls_below_k(algorithm: str) -> None:
    """The box holds its issuer, and at least k users get it; after every single change of the snapshot."""
    chance = random.Random(algorithm)
    engine = anonymizer(algorithm, *KS)
    cloaker = engine.cloaker
    assert isinstance(cloaker, SnapshotCloaker)
    seen: list[str] = []  # users in the order in which they became known
    refused = 0
    for snapshot in range(SNAPSHOTS):
        changed(engine, chance, snapshot)
        seen = [user for user in seen if user in cloaker.positions]
        seen += [user for user in cloaker.positions if user not in seen]
        boxes: Counter[tuple[int, Box]] = Counter()
        for user, place in cloaker.positions.items():
            found = cloaker.found(user, place.k)
            if found is None:
                refused += 1
                assert sum(each.k == place.k for each in cloaker.positions.values()) < place.k
                continue
            assert found.box.holds(place.x, place.y)
            boxes[place.k, found.box] += 1
        assert all(count >= k for (k, _), count in boxes.items())
        if snapshot % 20 == 0:
            for k in KS:
                plain = plain_boxes(algorithm, engine, k, seen)
                assert Counter(plain.values()) == Counter(
                    {box: count for (each, box), count in boxes.items() if each == k}
                )
    assert 0 < refused < SNAPSHOTS


@pytest.mark.parametrize("algorithm", ["hilbert", "partition"])
def test_another_k_than_the_declared_one_is_refused(algorithm: str) -> None:
    """Within a class of equal k nobody is told apart; between classes one would be."""
    engine = placed(anonymizer(algorithm, 3, 5), TWELVE)
    with pytest.raises(PolicyError, match="another k than its user declared"):
        engine.take(Request("a", 1, "r", k=5))
    with pytest.raises(PolicyError, match="can choose here: 3, 5"):
        engine.take(Position("a", 1, 1, 1, 4))
    for user in "abcde":
        engine.take(Position(user, 1, *TWELVE[user], 5))
    cloak = asked(engine, "a", 2, k=5)
    assert engine.cloaker.issuers(cloak) == frozenset("abcde")


@pytest.mark.parametrize("algorithm", ["hilbert", "partition", "quadtree", "casper"])
def test_too_few_users_get_no_cloak(algorithm: str) -> None:
    """The request is dropped, and the reason is told."""
    engine = placed(anonymizer(algorithm), {"a": (1, 1), "b": (2, 2)})
    [dropped] = engine.take(Request("a", 1, "r"))
    assert isinstance(dropped, Dropped)
    assert dropped.reason == "fewer than k users are known"
