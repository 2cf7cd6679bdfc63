"""Messages: what is refused and why, recordings, and whatever else somebody may send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import EngineError, PolicyError, ShoalError
from shoal.location.cloaking import CLOAKERS
from shoal.location.cloaking.answers import Cloak, Delayed
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.lbqid import Element, Lbqid
from shoal.location.cloaking.messages import FIELDS, Cancel, Position, Request, message_of
from shoal.location.cloaking.recording import fields_of, read_messages
from tests.agreement.thoroughness import examples
from tests.cloaking.people import TWELVE, anonymizer, asked, placed

ANYWHERE = Lbqid(name="any", elements=(Element(Box(0, 15, 0, 15), 0, 86_400),))


def test_messages_are_read_from_their_fields() -> None:
    """All three kinds; identifiers may be numbers."""
    assert message_of({"type": "position", "user": "a", "time": 1, "x": 2, "y": -3}) == Position(
        "a", 1, 2, -3
    )
    request = {"type": "request", "user": 7, "time": 1, "k": 5, "dt": 9, "id": None}
    assert message_of(request, name="n") == Request("7", 1, "n", k=5, dt=9)
    assert message_of({"type": "cancel", "user": "a", "id": "r"}, now=4) == Cancel("a", 4, "r")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "type must be position, request or cancel"),
        ({"type": ["request"]}, "type must be"),
        ({"type": "position", "user": "a", "time": 1, "x": 1}, "the field y is missing"),
        ({"type": "position", "user": "a", "time": 1, "x": 1.5, "y": 1}, "x must be a whole number"),
        ({"type": "position", "user": "a", "time": 1, "x": True, "y": 1}, "x must be a whole number"),
        ({"type": "position", "user": "a", "time": 1, "x": 2**60, "y": 1}, "x must be from"),
        ({"type": "position", "user": "", "time": 1, "x": 1, "y": 1}, "user must be a text of 1 to 128"),
        ({"type": "position", "user": "a", "x": 1, "y": 1}, "time is missing"),
        ({"type": "position", "user": "a", "time": 1, "x": 1, "y": 1, "k": 1}, "k must be from 2"),
        (
            {"type": "position", "user": "a", "time": 1, "x": 1, "y": 1, "dx": 1},
            "a position has no fields but",
        ),
        ({"type": "request", "user": "a", "time": 1, "x": 1}, "the field y is missing"),
        ({"type": "request", "user": "a", "time": 1, "dx": -1}, "dx must be from 0"),
    ],
)
def test_what_is_no_message_is_told(fields: dict[str, Any], why: str) -> None:
    """By field, and without what was in it."""
    with pytest.raises(PolicyError, match=why):
        message_of(fields)


@pytest.mark.parametrize("line", ["", "[1]", "{", '{"x": NaN}', "[" * 5000, "\ud800", '"a"'])
def test_what_is_no_object_is_told(line: str) -> None:
    """However deep or broken it is."""
    with pytest.raises(PolicyError, match="not a JSON object"):
        fields_of(line)


def test_recordings_in_both_forms_are_the_same(tmp_path: Path) -> None:
    """CSV with empty cells, and lines of JSON."""
    rows = ["type,user,time,x,y,id", "position, a ,0,1,2,", "", "request,a,1,,,r1", "request,a,2,3,4,"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    lines = [
        {"type": "position", "user": "a", "time": 0, "x": 1, "y": 2},
        {"type": "request", "user": "a", "time": 1, "id": "r1"},
        {"type": "request", "user": "a", "time": 2, "x": 3, "y": 4, "id": "5"},
    ]
    (tmp_path / "a.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    assert list(read_messages(tmp_path / "a.csv")) == list(read_messages(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "type,user\n", "line 1: it must name the columns"),
        ("a.csv", "", "line 1: it must name the columns"),
        ("a.csv", "type,user,time,x,y\nposition,a,0,1\n", "line 2: 4 cells under 5"),
        ("a.csv", "type,user,time,x,y\nposition,a,0,1,north\n", "line 2: the field y must be a whole"),
        ("a.csv", 'type,user,time\nposition,"a\n', "not a line of CSV"),
        ("a.jsonl", '{"type": "cancel", "user": "a", "time": 0}\n{\n', "line 2: not a JSON object"),
        ("a.jsonl", '{"type": "cancel", "user": "a"}\n', "line 1: the field time is missing"),
    ],
)
def test_a_wrong_recording_is_told_by_its_line(tmp_path: Path, name: str, text: str, why: str) -> None:
    """With the file, the line, and no cell."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(PolicyError, match=why) as told:
        list(read_messages(path))
    assert "north" not in str(told.value)
    with pytest.raises(EngineError, match="cannot read"):
        list(read_messages(tmp_path / "absent.csv"))


def test_what_does_not_fit_is_refused_and_changes_nothing() -> None:
    """Time that runs backwards, places outside, unknown users, demands that nobody takes."""
    engine = placed(anonymizer("hilbert"), TWELVE, time=5)
    before = engine.counts()
    for message, why in (
        (Position("a", 4, 1, 1), "earlier than that of the one before"),
        (Position("a", 5, 16, 1), "outside the square"),
        (Request("z", 5, "r"), "nor a user whose position is known"),
        (Request("a", 5, "r", least_area=4), "does not take a least_area"),
        (Cancel("a", 5, "r"), "no request of this user and id waits"),
        (Cancel("z", 5), "not known"),
    ):
        with pytest.raises(PolicyError, match=why):
            engine.take(message)
    assert engine.counts() == before
    waiting = anonymizer("clique", 2)
    with pytest.raises(PolicyError, match="clique needs dx, dy and dt"):
        waiting.take(Request("a", 0, "r", 1, 1))
    assert waiting.counts()["users"] == 0
    waiting.take(Request("a", 0, "r", 1, 1, 2, 1, 1, 9))
    with pytest.raises(PolicyError, match="waits already"):
        waiting.take(Request("a", 1, "r", 1, 1, 2, 1, 1, 9))


def test_a_refused_message_swallows_no_answer() -> None:
    """A deadline that passes as a message is refused is told all the same, once."""
    engine = anonymizer("quadtree-time", 2, tolerance=(9, 9, 0), cell=4)
    engine.take(Request("a", 1, "first", 0, 0))
    with pytest.raises(PolicyError, match="least_area"):
        engine.take(Request("a", 3, "second", least_area=1))
    [dropped] = engine.due()
    assert dropped.request.id == "first"
    assert engine.due() == engine.end() == []


def test_users_are_bounded_and_forgotten() -> None:
    """No room for a third; after an hour of silence there is."""
    engine = placed(anonymizer("hilbert", 2, most_users=2, forget=3600), {"a": (1, 1), "b": (2, 2)})
    with pytest.raises(PolicyError, match="no room for another user"):
        engine.take(Position("c", 1, 3, 3))
    engine.take(Position("b", 3000, 2, 3))
    engine.take(Position("c", 3601, 3, 3))
    assert sorted(engine.cloaker.positions) == ["b", "c"]
    assert asked(engine, "b", 3601).box == Box(2, 3, 3, 3)


def test_casper_takes_a_least_area_and_says_if_there_is_none() -> None:
    """A cell, a pair or more; never less than was demanded."""
    engine = placed(anonymizer("casper"), TWELVE)
    for area in (1, 9, 17, 33, 129, 256):
        assert asked(engine, "b", area, least_area=area).box.area >= area
    [dropped] = engine.take(Request("b", 300, "r", least_area=257))
    assert dropped.to_dict()["reason"] == "the whole square is smaller than the least area"


def test_pseudonyms_are_fresh_or_kept() -> None:
    """Per request by default; per user on request; nothing of the user is in an answer."""
    fresh = placed(anonymizer("hilbert"), TWELVE)
    assert asked(fresh, "a", 1).pseudonym != asked(fresh, "a", 2).pseudonym
    kept = placed(anonymizer("hilbert", pseudonyms="user"), TWELVE)
    cloak = asked(kept, "a", 1)
    assert cloak.pseudonym == asked(kept, "a", 2).pseudonym != asked(kept, "b", 2).pseudonym
    sent = cloak.to_dict()
    assert set(sent) == {"type", "id", "pseudonym", "x", "y", "time"}


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
likely = st.one_of(st.integers(-1, 16), values)


@st.composite
def sent(draw: st.DrawFn) -> dict[str, Any]:
    """A message that somebody may send: often a good one, sometimes anything."""
    fields: dict[str, Any] = {"type": draw(st.sampled_from(["position", "request", "cancel", "else"]))}
    fields["user"] = draw(st.one_of(st.sampled_from("abc"), values))
    for name in FIELDS[2:]:
        if draw(st.booleans()):
            fields[name] = draw(likely if draw(st.integers(0, 9)) == 0 else st.integers(0, 15))
    return fields


@pytest.mark.parametrize("algorithm", list(CLOAKERS))
@given(messages=st.lists(sent(), max_size=30))
@settings(max_examples=examples(100))
def test_whatever_is_sent_is_answered_or_refused(algorithm: str, messages: list[dict[str, Any]]) -> None:
    """Never another error; every request is answered once in the end, and boxes hold their issuer."""
    engine = anonymizer(algorithm, 2, 3, tolerance=(9, 9, 9), cell=4, lbqids=(ANYWHERE,))
    taken, answered, time = 0, 0, 0
    for fields in messages:
        time += 1
        try:
            message = message_of(fields, now=time, name=str(time))
            answers = engine.take(message)
        except ShoalError:
            continue
        taken += isinstance(message, Request)
        for answer in answers:
            answered += not isinstance(answer, Delayed)
            if isinstance(answer, Cloak) and answer.start == answer.end == answer.time:
                place = engine.cloaker.positions[answer.request.user]
                assert answer.box.holds(place.x, place.y)
                assert answer.request.user in engine.cloaker.issuers(answer)
            json.dumps(answer.to_dict())
    answered += len(engine.end())
    assert answered == taken == engine.counts()["asked"]
