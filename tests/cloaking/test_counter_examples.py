"""Where k users are counted and fewer could have asked: one example per way of cloaking that warns of it."""

from __future__ import annotations

from shoal.location.cloaking import CLOAKERS
from shoal.location.cloaking.answers import Cloak, Delayed
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.lbqid import Element, Lbqid
from shoal.location.cloaking.messages import Position, Request
from shoal.location.cloaking.square import Square
from tests.cloaking.people import TWELVE, anonymizer, asked, issuers, placed

CLOSE = Square(x=0, y=0, side=4, levels=1)


def test_only_hilbert_and_partition_have_no_warning() -> None:
    """Whatever else is added must say where it fails."""
    assert [name for name, each in CLOAKERS.items() if each.warning is None] == ["hilbert", "partition"]
    assert all(name == each.name for name, each in CLOAKERS.items())


def test_quadtree_gives_two_users_away_in_a_square_of_twelve() -> None:
    """Twelve users are in the box; the request is g's or h's."""
    engine = placed(anonymizer("quadtree"), TWELVE)
    cloak = asked(engine, "g")
    assert (cloak.among, issuers(engine, cloak)) == (12, "gh")


def test_casper_gives_a_user_away_who_is_joined_with_a_full_cell() -> None:
    """v and w have a full cell of their own; the pair of cells is u's alone."""
    places = {"u": (1, 1), "v": (2, 1), "w": (3, 1)}
    engine = placed(anonymizer("casper", 2, square=CLOSE), places)
    cloak = asked(engine, "u")
    assert (cloak.box, cloak.among, issuers(engine, cloak)) == (Box(0, 3, 0, 1), 3, "u")
    assert asked(engine, "v").box == Box(2, 3, 0, 1)


def test_quadtree_time_gives_a_user_away_who_asks_alone() -> None:
    """v came later: whoever asked with v there would have got an interval that begins later."""
    engine = placed(anonymizer("quadtree-time", 2, cell=4), {"u": (1, 1), "v": (9, 9)})
    [delayed] = engine.take(Request("u", 10, "r", dx=0, dy=0, dt=60))
    assert isinstance(delayed, Delayed)
    assert delayed.until == 70
    [cloak] = engine.take(Position("v", 15, 2, 2))
    assert isinstance(cloak, Cloak)
    assert (cloak.box, cloak.start, cloak.end, cloak.among) == (Box(0, 3, 0, 3), 10, 15, 2)
    assert issuers(engine, cloak) == "u"
    later = asked(engine, "v", 16, dx=0, dy=0, dt=60)
    assert (later.start, later.end, issuers(engine, later)) == (16, 16, "uv")


def test_historical_gives_a_user_away_whose_nearest_is_far() -> None:
    """v is u's nearest, but v's nearest is w: the box from u to v is u's alone."""
    anywhere = Lbqid(name="day", elements=(Element(Box(0, 15, 0, 15), 0, 86_400),))
    engine = anonymizer("historical", 2, lbqids=(anywhere,), tolerance=(15, 15, 60))
    placed(engine, {"u": (0, 0), "v": (10, 0), "w": (11, 0)})
    cloak = asked(engine, "u", 0)
    assert (cloak.box, issuers(engine, cloak)) == (Box(0, 10, 0, 0), "u")
    assert asked(engine, "v", 0).box == Box(10, 11, 0, 0)


def test_the_clique_itself_is_who_could_have_asked() -> None:
    """Its members get the same cloak, and k holds among them; whoever did not ask is no member."""
    engine = anonymizer("clique", 2, tolerance=(4, 4, 10))
    placed(engine, {"u": (1, 1), "v": (2, 2), "w": (3, 3)})
    engine.take(Request("u", 1, "r"))
    cloaks = engine.take(Request("v", 2, "s"))
    assert [issuers(engine, each) for each in cloaks if isinstance(each, Cloak)] == ["uv", "uv"]
