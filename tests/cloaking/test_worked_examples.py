"""The worked examples: twelve users in a square of 16, six messages of CliqueCloak, five histories."""

from __future__ import annotations

from statistics import fmean

import pytest

from shoal.location.cloaking.answers import Cloak, Delayed, Dropped
from shoal.location.cloaking.attacks.intersection import Intersection
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.hilbert_curve import plain_index
from shoal.location.cloaking.messages import Request
from shoal.location.cloaking.replay import replay
from shoal.location.cloaking.settings import Settings
from shoal.location.cloaking.square import Square
from shoal.location.cloaking.tracks import Tracks
from tests.cloaking.people import SQUARE, TWELVE, anonymizer, asked, issuers, placed


def cloaks_of(algorithm: str) -> dict[str, tuple[Box, int, str]]:
    """Per user the box, the users that were counted in it, and who would have got it."""
    engine = placed(anonymizer(algorithm), TWELVE)
    found = {user: asked(engine, user) for user in TWELVE}
    return {user: (cloak.box, cloak.among, issuers(engine, cloak)) for user, cloak in found.items()}


def test_quadtree_cloaks_are_those_of_gruteser_and_grunwald() -> None:
    """Twelve users are in the square, and only g and h get it: k = 3 is broken, and that stays documented."""
    found = cloaks_of("quadtree")
    assert set(found.values()) == {
        (Box(0, 3, 0, 3), 3, "abc"),
        (Box(0, 7, 0, 7), 6, "def"),
        (Box(0, 15, 0, 15), 12, "gh"),
        (Box(12, 15, 12, 15), 4, "ijkl"),
    }
    assert fmean(box.area for box, _, _ in found.values()) == 68


def test_partition_keeps_the_square_together() -> None:
    """The lower right quarter has two users, so the square is not divided."""
    found = cloaks_of("partition")
    assert set(found.values()) == {(Box(0, 15, 0, 15), 12, "abcdefghijkl")}
    assert found["a"][0].area == 256


def test_hilbert_runs_have_the_areas_of_the_example() -> None:
    """Order a b c e f d i j l k g h; runs of three with areas 9, 36, 16 and 55, 29 on average."""
    assert "".join(sorted(TWELVE, key=lambda user: plain_index(4, *TWELVE[user]))) == "abcefdijlkgh"
    found = cloaks_of("hilbert")
    assert {(users, box.area) for box, _, users in found.values()} == {
        ("abc", 9),
        ("def", 36),
        ("ijl", 16),
        ("ghk", 55),
    }
    assert fmean(box.area for box, _, _ in found.values()) == 29


def test_casper_takes_pairs_of_cells() -> None:
    """The pair that has fewer users, of those with k; four of the twelve are alone with their cloak."""
    found = cloaks_of("casper")
    assert found["g"] == (Box(8, 15, 0, 15), 6, "gh")
    assert found["i"] == (Box(12, 15, 12, 13), 3, "ijk")
    assert {user for user, (_, _, users) in found.items() if len(users) == 1} == set("defl")


MESSAGES = {
    "m1": (2, 2, 0, 2, 2, 2, 6),
    "m2": (3, 3, 1, 3, 2, 2, 6),
    "m3": (9, 9, 2, 2, 1, 1, 4),
    "m4": (4, 2, 3, 3, 3, 2, 6),
    "m5": (3, 1, 4, 2, 1, 2, 5),
    "m6": (10, 9, 7, 2, 1, 1, 5),
}


def test_cliques_leave_together_and_the_rest_is_dropped() -> None:
    """{m1, m2, m4} leave at 3 with x [2, 4], y [2, 3], t [0, 3]; m3 is gone when m6 comes: 3 of 6."""
    requests = [
        Request(f"user of {name}", t, name, x, y, k, dx, dy, dt)
        for name, (x, y, t, k, dx, dy, dt) in MESSAGES.items()
    ]
    replayed = replay(requests, "clique", Settings(square=SQUARE, ks=(2,), seed=0))
    cloaks = {each.request.id: each for each in replayed.answers if isinstance(each, Cloak)}
    assert list(cloaks) == ["m1", "m2", "m4"]
    assert {(each.box, each.start, each.end) for each in cloaks.values()} == {(Box(2, 4, 2, 3), 0, 3)}
    assert [each.among / each.k for each in cloaks.values()] == [1.5, 1, 1]
    assert [each.time - each.request.time for each in cloaks.values()] == [3, 2, 0]
    dropped = {each.request.id: each.time for each in replayed.answers if isinstance(each, Dropped)}
    assert dropped == {"m3": 6, "m5": 9, "m6": 12}
    waited = [each.request.id for each in replayed.answers if isinstance(each, Delayed)]
    assert waited == ["m1", "m2", "m3", "m5", "m6"]
    metrics = replayed.metrics
    assert metrics["success_rate"] == 0.5
    assert metrics["relative_anonymity"] == pytest.approx(3.5 / 3)
    assert metrics["area"] == 6
    assert metrics["delay"] == pytest.approx(5 / 3)
    assert (metrics["effective_k"], metrics["below_k"]) == (3, 0)


HOME, OFFICE, ELSEWHERE = (1, 1), (9, 9), (14, 2)
PLACES = {
    8: {"p": HOME, "q": HOME, "r": HOME, "s": HOME, "t": HOME},
    9: {"p": OFFICE, "q": OFFICE, "r": OFFICE, "s": ELSEWHERE, "t": OFFICE},
    17: {"p": HOME, "q": ELSEWHERE, "r": HOME, "s": ELSEWHERE, "t": HOME},
}
BOXES = {8: Box(0, 3, 0, 3), 9: Box(8, 11, 8, 11), 17: Box(0, 3, 0, 3)}


def test_historical_k_counts_those_who_met_every_request() -> None:
    """Of p's three requests the candidates are {p q r s t}, {p q r t} and {p r t}: 3."""
    tracks, check = Tracks(), Intersection()
    engine = anonymizer("quadtree", 3, pseudonyms="user", square=Square(x=0, y=0, side=16, levels=2))
    met = []
    for time, places in PLACES.items():
        for user, place in places.items():
            tracks.add(user, time, place)
            check.moved(user, time, place)
        placed(engine, places, time)
        cloak = asked(engine, "p", time)
        assert cloak.box == BOXES[time]
        check.saw(cloak, engine)
        met.append("".join(sorted(tracks.all_met(BOXES[time], time, time))))
    assert met == ["pqrst", "pqrt", "prt"]
    result = check.result()
    assert (result.tried, result.least, result.holds) == (1, 3, True)
