"""Historical k-anonymity: automata, histories that are kept, pseudonyms that change, requests suppressed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from shoal.errors import PolicyError
from shoal.location.cloaking.answers import Cloak, Dropped
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.lbqid import DAY, Element, Lbqid, Matcher, read_lbqids
from shoal.location.cloaking.messages import Message, Position, Request
from shoal.location.cloaking.replay import replay
from shoal.location.cloaking.settings import Settings
from tests.cloaking.people import SQUARE, anonymizer, asked, placed

HOUR = 3600
HOME, OFFICE = Box(0, 3, 0, 3), Box(12, 15, 12, 15)
COMMUTE = Lbqid(
    name="commute",
    elements=(
        Element(HOME, 7 * HOUR, 8 * HOUR),
        Element(OFFICE, 8 * HOUR, 9 * HOUR),
        Element(HOME, 17 * HOUR, 18 * HOUR),
    ),
    days=3,
    weeks=2,
    weekdays=True,
)
TOLERANCE = (4, 4, 2 * HOUR)


def commute(matcher: Matcher, day: int) -> list[tuple[int, int, int]]:
    """Go to work and back on a day; the states on the way."""
    states = []
    for x, y, hour in ((1, 1, 7), (13, 13, 9), (1, 1, 17)):
        assert matcher.step(x, y, day * DAY + hour * HOUR)
        states.append(matcher.state)
    return states


def test_an_automaton_counts_elements_days_and_weeks() -> None:
    """Three weekdays a week, in two weeks; then all of it was seen."""
    matcher = Matcher(COMMUTE)
    assert commute(matcher, 0) == [(1, 0, 0), (2, 0, 0), (3, 1, 0)]
    assert commute(matcher, 1)[-1] == (3, 2, 0)
    assert commute(matcher, 4)[-1] == (3, 3, 1)
    assert not matcher.complete
    assert not matcher.step(1, 1, 5 * DAY + 7 * HOUR), "Saturday does not count"
    assert commute(matcher, 7)[-1] == (3, 1, 1)
    assert commute(matcher, 8)[-1] == (3, 2, 1)
    assert commute(matcher, 14)[-1] == (3, 1, 1), "a week with two days is not complete"
    commute(matcher, 15)
    assert commute(matcher, 16)[-1] == (3, 3, 2)
    assert matcher.complete


def test_an_automaton_takes_elements_in_their_order() -> None:
    """The way home before the office is no step; a repeated element matches and is no step, either."""
    matcher = Matcher(COMMUTE)
    assert matcher.step(1, 1, 17 * HOUR)
    assert matcher.state == (0, 0, 0)
    assert matcher.step(1, 1, DAY + 7 * HOUR)
    assert matcher.step(1, 1, DAY + 7 * HOUR + 60)
    assert matcher.state == (1, 0, 0)
    assert not matcher.step(1, 1, DAY + 12 * HOUR)
    assert matcher.step(13, 13, DAY + 8 * HOUR)
    assert matcher.state == (2, 0, 0)


def morning(**settings: object) -> Engine:
    """p, q, r and s at home at seven; p asks from there, with k = 3."""
    engine = anonymizer("historical", 3, lbqids=(COMMUTE,), tolerance=TOLERANCE, **settings)
    placed(engine, {"p": (1, 1), "q": (1, 2), "r": (2, 1), "s": (3, 3)}, 7 * HOUR)
    return engine


def test_the_first_request_chooses_and_the_next_ones_keep() -> None:
    """s is nearest to p at the office, but q and r were chosen at home."""
    engine = morning()
    first = asked(engine, "p", 7 * HOUR)
    assert first.box == Box(1, 2, 1, 2)
    placed(engine, {"q": (15, 15), "r": (12, 15), "s": (13, 13), "p": (13, 13)}, 8 * HOUR + 1800)
    second = asked(engine, "p", 8 * HOUR + 1800)
    assert second.box == Box(12, 15, 13, 15)
    assert second.pseudonym == first.pseudonym


def test_a_time_of_a_history_widens_the_interval() -> None:
    """r was at the office half an hour before p asks there, and has gone on since."""
    engine = morning()
    asked(engine, "p", 7 * HOUR)
    placed(engine, {"q": (13, 14), "r": (13, 13)}, 8 * HOUR)
    placed(engine, {"r": (5, 15), "p": (13, 13)}, 8 * HOUR + 1800)
    cloak = asked(engine, "p", 8 * HOUR + 1800)
    assert (cloak.box, cloak.start, cloak.end) == (Box(13, 13, 13, 14), 8 * HOUR, 8 * HOUR + 1800)


def test_a_box_beyond_the_tolerance_is_suppressed() -> None:
    """q and r stay at home: p's request from the office is not sent, and p is told."""
    engine = morning()
    asked(engine, "p", 7 * HOUR)
    placed(engine, {"p": (13, 13), "s": (13, 14)}, 8 * HOUR + 1800)
    [dropped] = engine.take(Request("p", 8 * HOUR + 1800, "r"))
    assert isinstance(dropped, Dropped)
    assert dropped.reason.startswith("suppressed")


def test_after_a_mix_zone_the_pseudonym_changes_instead() -> None:
    """p met s and t in the zone; under a new pseudonym these are chosen."""
    zone = Box(6, 9, 6, 9)
    engine = morning(mix_zones=(zone,))
    first = asked(engine, "p", 7 * HOUR)
    placed(engine, {"p": (7, 7), "s": (8, 8), "t": (9, 9)}, 7 * HOUR + 1800)
    placed(engine, {"p": (13, 13), "s": (13, 14), "t": (14, 14)}, 8 * HOUR + 1800)
    second = asked(engine, "p", 8 * HOUR + 1800)
    assert second.box == Box(13, 14, 13, 14)
    assert second.pseudonym != first.pseudonym
    placed(engine, {"s": (1, 1), "t": (1, 1), "p": (1, 1)}, 17 * HOUR)
    assert asked(engine, "p", 17 * HOUR).pseudonym == second.pseudonym


def test_requests_outside_all_sequences_get_a_hilbert_cloak() -> None:
    """At noon nothing matches."""
    engine = morning()
    cloak = asked(engine, "p", 12 * HOUR)
    assert cloak.box == Box(1, 3, 1, 3)
    assert engine.cloaker.issuers(cloak) == frozenset("pqrs")


def commuters(seed: int, people: int, days: int) -> list[Message]:
    """People who go to work and back, some not on every day; they ask on the way."""
    chance = random.Random(seed)
    messages: list[Message] = []
    for day in range(days):
        for hour, area in ((7, HOME), (8, OFFICE), (17, HOME)):
            there = [person for person in range(people) if chance.random() < 0.9]
            for person in there:
                x, y = chance.randint(*area[:2]), chance.randint(*area[2:])
                messages.append(Position(f"u{person}", day * DAY + hour * HOUR, x, y))
            at = day * DAY + hour * HOUR + 60
            messages += [Request(f"u{each}", at, f"{each} {at}") for each in there if each % 3 == 0]
    return messages


@pytest.mark.parametrize("seed", range(5))
def test_every_pseudonym_along_a_sequence_has_historical_k(seed: int) -> None:
    """On five days of commuting, some requests are suppressed, and k histories meet all that are sent."""
    settings = Settings(
        square=SQUARE,
        ks=(3,),
        lbqids=(COMMUTE,),
        tolerance=(4, 4, HOUR),
        seed=0,
        mix_zones=(Box(0, 1, 0, 1),),
    )
    replayed = replay(commuters(seed, 12, 5), "historical", settings)
    assert replayed.metrics["historical_k"] >= 3
    assert replayed.metrics["cloaked"] > 20
    sent = [each for each in replayed.answers if isinstance(each, Cloak)]
    for cloak in sent:
        assert cloak.end - cloak.start <= HOUR
    assert any(isinstance(each, Dropped) for each in replayed.answers)


def test_sequences_and_zones_are_read_from_a_file(tmp_path: Path) -> None:
    """As docs/how-to/cloak-requests.md writes them."""
    path = tmp_path / "sequences.toml"
    path.write_text(
        '[[lbqid]]\nname = "commute"\nuser = "ann"\ndays = 3\nweeks = 2\nweekdays = true\nelements = [\n'
        '  { x = [0, 3], y = [0, 3], from = "07:00", to = "08:00" },\n]\n'
        "[[mix_zone]]\nx = [6, 9]\ny = [6, 9]\n"
    )
    [lbqid], zones = read_lbqids(path)
    assert (lbqid.user, lbqid.days, lbqid.elements) == ("ann", 3, (Element(HOME, 7 * HOUR, 8 * HOUR),))
    assert zones == (Box(6, 9, 6, 9),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", "no tables but"),
        ("lbqid = 1", "write \\[\\[lbqid"),
        ("[[lbqid]]\nname = 1", "name is of the wrong type"),
        ("[[lbqid]]\nother = 1", "no keys but"),
        ("[[lbqid]]\nelements = []", "at least one element"),
        ("[[lbqid]]\nelements = [1]", "an element has x, y, from and to"),
        ('[[lbqid]]\nelements = [{ x = [0, 1], y = [0, 1], from = "25:00", to = "08:00" }]', "07:30"),
        (
            '[[lbqid]]\nelements = [{ x = [1, 0], y = [0, 1], from = "07:00", to = "08:00" }]',
            "lower end first",
        ),
        ('[[lbqid]]\nelements = [{ x = [0, 1], y = [0, 1], from = "09:00", to = "08:00" }]', "same day"),
        ("[[mix_zone]]\nx = [0, 1]", "x = \\[0, 9\\]"),
        ("=", "is not TOML"),
    ],
)
def test_a_wrong_file_of_sequences_is_told(tmp_path: Path, text: str, why: str) -> None:
    """With what is wrong, and how it is written."""
    path = tmp_path / "sequences.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=why):
        read_lbqids(path)
