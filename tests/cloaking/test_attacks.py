"""The five attacks find what they are made for, and leave alone what is safe."""

from __future__ import annotations

import random
from math import comb
from typing import ClassVar

import pytest

from shoal.errors import PolicyError
from shoal.location.cloaking._base import Found, SnapshotCloaker
from shoal.location.cloaking.attacks import CHECKS, checks_of
from shoal.location.cloaking.attacks.centre import Centre, at_least
from shoal.location.cloaking.attacks.sampling import Sampling
from shoal.location.cloaking.attacks.speed import Speed, shrunk
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.messages import Message, Position, Request
from shoal.location.cloaking.replay import replay
from shoal.location.cloaking.settings import Settings
from shoal.location.cloaking.square import Square
from tests.cloaking.people import SQUARE, TWELVE, anonymizer, asked, placed

WIDE = Square(x=0, y=0, side=256)


class CentredCloaker(SnapshotCloaker):
    """Grows a square around the requester until k users are in it: what must not be done."""

    name: ClassVar[str] = "centred"
    promise: ClassVar[str] = "k users are in the box"
    warning: ClassVar[str | None] = "the issuer is in the middle"

    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:
        x, y, _ = self.positions[user]
        far = sorted(max(abs(each.x - x), abs(each.y - y)) for each in self.positions.values())
        if len(far) < k:
            return None
        reach = far[k - 1]
        return Found(Box(x - reach, x + reach, y - reach, y + reach), k)


def crowd(seed: int, users: int = 60) -> list[Message]:
    """Users in a wide square, who all ask once."""
    chance = random.Random(seed)
    places = [(chance.randrange(256), chance.randrange(256)) for _ in range(users)]
    messages: list[Message] = [Position(f"u{number}", 0, *place) for number, place in enumerate(places)]
    return messages + [Request(f"u{number}", 1, str(number)) for number in range(users)]


def test_the_centre_gives_a_centred_box_away() -> None:
    """The issuer is the nearest to it every time, far more often than 1/k."""
    settings = Settings(square=WIDE, ks=(5,), seed=0)
    engine, check = Engine(CentredCloaker(settings), settings), Centre()
    for message in crowd(0):
        for answer in engine.take(message):
            check.saw(answer, engine)  # type: ignore[arg-type]
    result = check.result()
    assert result.facts["share"] == 1
    assert result.facts["ranks"] == {"1": 60}
    assert not result.holds


@pytest.mark.parametrize("algorithm", ["hilbert", "partition"])
def test_the_defaults_withstand_centre_effective_k_and_sampling(algorithm: str) -> None:
    """Where everybody asks once."""
    checks = checks_of(["centre", "effective-k", "sampling", "intersection"], None)
    replayed = replay(crowd(1), algorithm, Settings(square=WIDE, ks=(5,), seed=0), checks=checks)
    assert [result.holds for result in replayed.checks] == [True] * 4
    assert all(result.tried == 60 for result in replayed.checks)


def test_the_tail_of_a_binomial_is_exact() -> None:
    """Against the sum of its definition."""
    for hits in range(8):
        plain = sum(comb(7, n) * 0.3**n * 0.7 ** (7 - n) for n in range(hits, 8))
        assert at_least(hits, 7, 0.3) == pytest.approx(plain)
    assert (at_least(0, 0, 0.5), at_least(1, 5, 0.0), at_least(5, 5, 1.0)) == (1.0, 0.0, 1.0)


def test_who_asks_more_often_is_more_likely() -> None:
    """a asks four times, b and c once: a is the issuer with probability 4/6, an effective k of 1.5."""
    engine, check = placed(anonymizer("hilbert"), TWELVE), Sampling()
    for user in "aaaabc":
        check.asked(user)
    check.saw(asked(engine, "a"), engine)
    result = check.result()
    assert (result.tried, result.failed, result.least) == (1, 1, 1.5)
    assert not result.holds


def test_boxes_over_time_leave_one_user() -> None:
    """Each box has three users; only a is in both."""
    messages: list[Message] = [Position(user, 0, *place) for user, place in TWELVE.items()]
    messages += [
        Request("a", 1, "r1"),
        Position("a", 60, 12, 13),
        Position("i", 60, 1, 1),
        Request("a", 61, "r2"),
    ]
    settings = Settings(square=SQUARE, ks=(3,), seed=0, pseudonyms="user")
    [result] = replay(messages, "quadtree", settings, checks=checks_of(["intersection"], None)).checks
    assert (result.tried, result.failed, result.least, result.holds) == (1, 1, 1, False)
    fresh = Settings(square=SQUARE, ks=(3,), seed=0)
    [result] = replay(messages, "quadtree", fresh, checks=checks_of(["intersection"], None)).checks
    assert (result.tried, result.least, result.holds) == (2, 3, True)


@pytest.mark.parametrize(("forget", "left"), [(None, 5), (3600, 3)])
def test_who_was_forgotten_hides_nobody(forget: int | None, left: int) -> None:
    """d and e are silent for longer than an hour: then they have left, for the intersection, too."""
    messages: list[Message] = [Position(user, 0, *TWELVE["a"]) for user in "abcde"]
    messages += [Request("a", 1, "r1")]
    messages += [Position(user, time, *TWELVE["a"]) for time in (3000, 5000) for user in "abc"]
    messages += [Request("a", 5001, "r2")]
    settings = Settings(square=SQUARE, ks=(3,), seed=0, pseudonyms="user", forget=forget)
    [result] = replay(messages, "hilbert", settings, checks=checks_of(["intersection"], None)).checks
    assert (result.tried, result.least) == (1, left)


def test_a_maximal_speed_shrinks_the_next_box() -> None:
    """From [0, 3] x [0, 3] at 1 per second, two seconds reach [0, 5] x [0, 5] of [0, 15] x [0, 15]."""
    assert shrunk(Box(0, 3, 0, 3), Box(0, 15, 0, 15), 2) == Box(0, 5, 0, 5)
    assert shrunk(Box(0, 3, 0, 3), Box(12, 15, 0, 3), 2) is None
    engine = anonymizer("quadtree", pseudonyms="user", square=Square(x=0, y=0, side=16, levels=2))
    placed(engine, TWELVE)
    check = Speed(1.0)
    for user, place in TWELVE.items():
        check.moved(user, 0, place)
    check.saw(asked(engine, "a", 1), engine)
    for user, place in {"a": (5, 3), "b": (15, 0), "c": (0, 15)}.items():
        check.moved(user, 3, place)
        placed(engine, {user: place}, 3)
    second = asked(engine, "a", 3)
    assert second.box == Box(0, 7, 0, 7)
    check.saw(second, engine)
    result = check.result()
    assert result.tried == 1
    # Of a, d, e and f, who are in the box, only a is at most 2 away from the box before.
    assert (result.least, result.failed, result.holds) == (1, 1, False)
    assert result.facts["area_left"] == 36 / 64


def test_checks_are_named() -> None:
    """All that can be run by default; speed needs a speed."""
    assert [check.name for check in checks_of([], None)] == [
        "effective-k",
        "centre",
        "sampling",
        "intersection",
    ]
    assert [check.name for check in checks_of([], 14.0)] == list(CHECKS)
    with pytest.raises(PolicyError, match="needs a maximal speed"):
        checks_of(["speed"], None)
    with pytest.raises(PolicyError, match="greater than 0"):
        checks_of(["speed"], 0)
    with pytest.raises(PolicyError, match=r"no check 'center'\. There are: effective-k"):
        checks_of(["center"], None)
