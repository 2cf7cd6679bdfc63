"""CliqueCloak: tolerances, sizes and deadlines, and a clique as large as trying all sets finds."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.location.cloaking import _delaying
from shoal.location.cloaking.answers import Answer, Cloak, Delayed, Dropped
from shoal.location.cloaking.messages import Cancel, Request
from tests.agreement.thoroughness import examples
from tests.cloaking.people import anonymizer

REQUESTS = st.lists(
    st.fixed_dictionaries(
        {
            "user": st.sampled_from("abcdefgh"),
            "wait": st.integers(0, 2),
            "x": st.integers(0, 6),
            "y": st.integers(0, 6),
            "k": st.integers(2, 4),
            "dx": st.integers(0, 6),
            "dy": st.integers(0, 6),
            "dt": st.integers(0, 8),
        }
    ),
    max_size=25,
)


def requests_of(drawn: list[dict[str, Any]]) -> list[Request]:
    """Requests in the order of time, each with an identifier of its own."""
    time, requests = 0, []
    for number, fields in enumerate(drawn):
        time += fields["wait"]
        demands = {key: value for key, value in fields.items() if key not in ("wait", "user")}
        requests.append(Request(fields["user"], time, str(number), **demands))
    return requests


def near(one: Request, other: Request) -> bool:
    """Whether each lies in the tolerance of the other, by the definition."""
    gaps = abs(one.x - other.x), abs(one.y - other.y), abs(one.time - other.time)  # type: ignore[operator]
    return one.user != other.user and all(
        gap <= most
        for each in (one, other)
        for gap, most in zip(gaps, (each.dx, each.dy, each.dt), strict=True)
    )


def largest(new: Request, waiting: list[Request]) -> int:
    """The size of a largest set that may leave with a new request; 0 if there is none."""
    around = [each for each in waiting if near(new, each)]
    for size in range(len(around), 0, -1):
        for others in combinations(around, size):
            group = [new, *others]
            if all(near(*pair) for pair in combinations(others, 2)) and max(r.k for r in group) <= size + 1:  # type: ignore[type-var]
                return size + 1
    return 0


@given(REQUESTS)
@settings(max_examples=examples(400))
def test_cliques_keep_every_tolerance_size_and_deadline(drawn: list[dict[str, Any]]) -> None:
    """And the clique that leaves is as large as any that may."""
    engine = anonymizer("clique", 2)
    waiting: list[Request] = []
    open_requests: set[str] = set()
    for request in requests_of(drawn):
        gone = [each for each in waiting if each.time + (each.dt or 0) < request.time]
        waiting = [each for each in waiting if each not in gone]
        answers = engine.take(request)
        dropped = {each.request.id: each.time for each in answers if isinstance(each, Dropped)}
        assert dropped == {each.id: each.time + (each.dt or 0) for each in gone}
        cloaks = [each for each in answers if isinstance(each, Cloak)]
        assert len(cloaks) == largest(request, waiting)
        for cloak in cloaks:
            own = cloak.request
            assert cloak.among == len(cloaks) >= cloak.k == own.k
            assert own.x - own.dx <= cloak.box.x_low <= own.x <= cloak.box.x_high <= own.x + own.dx  # type: ignore[operator]
            assert own.y - own.dy <= cloak.box.y_low <= own.y <= cloak.box.y_high <= own.y + own.dy  # type: ignore[operator]
            assert own.time - own.dt <= cloak.start <= own.time <= cloak.end <= own.time + own.dt  # type: ignore[operator]
            assert cloak.time <= own.time + (own.dt or 0)
        left = {cloak.request.id for cloak in cloaks}
        if not cloaks:
            assert any(isinstance(each, Delayed) for each in answers)
        waiting = [each for each in [*waiting, request] if each.id not in left]
        open_requests = {each.id for each in waiting}
        assert engine.counts()["waiting"] == len(waiting)
    assert {each.request.id for each in engine.end()} == open_requests
    assert engine.counts()["waiting"] == 0


def test_of_many_neighbours_the_nearest_twenty_are_looked_at() -> None:
    """Thirty wait at growing distances, and want more than twenty; the twenty-first nearest is left out."""
    engine = anonymizer("clique", 2)
    for number in range(30):
        engine.take(Request(f"u{number}", 0, "r", number % 16, number // 16, 99, 15, 15, 60))
    assert engine.counts()["waiting"] == 30
    assert not [
        each for each in engine.take(Request("v", 1, "r", 0, 0, 21, 15, 15, 60)) if isinstance(each, Cloak)
    ]
    others = anonymizer("clique", 2)
    for number in range(30):
        others.take(Request(f"u{number}", 0, "r", number % 16, number // 16, 21, 15, 15, 60))
    # The twenty-first that came left with twenty before it; nine of thirty wait.
    assert others.counts()["waiting"] == 9


def test_a_cancelled_request_leaves_with_nobody() -> None:
    """Neither alone nor in a clique; its deadline does not come back, either."""
    engine = anonymizer("clique", 2, tolerance=(9, 9, 9))
    engine.take(Request("u", 0, "r", 1, 1))
    [dropped] = engine.take(Cancel("u", 1, "r"))
    assert isinstance(dropped, Dropped)
    assert dropped.reason == "cancelled"
    [delayed] = engine.take(Request("v", 2, "s", 1, 1))
    assert isinstance(delayed, Delayed)
    assert [each.request.id for each in engine.end()] == ["s"]
    assert engine.counts() == {
        "users": 2,
        "waiting": 0,
        "positions": 2,
        "asked": 2,
        "cloaked": 0,
        "delayed": 2,
        "dropped": 1,
        "cancelled": 1,
    }


def test_more_requests_than_may_wait_are_dropped() -> None:
    """Memory is bounded, and the reason is told."""
    engine = anonymizer("clique", 9, tolerance=(1, 1, 9), most_waiting=2)
    answers: list[Answer] = []
    for number in range(4):
        answers += engine.take(Request(f"u{number}", 0, "r", 5 * number, 5))
    assert [type(each) for each in answers] == [Delayed, Delayed, Dropped, Dropped]
    assert {each.reason for each in answers if isinstance(each, Dropped)} == {_delaying.CROWDED}


def test_deadlines_of_those_who_left_take_no_room() -> None:
    """A thousand pairs leave at once: hardly any deadline is kept."""
    engine = anonymizer("clique", 2, tolerance=(1, 1, 10_000))
    for number in range(2_000):
        engine.take(Request(f"u{number}", number, "r", 3, 3))
    assert engine.counts()["cloaked"] == 2_000
    cloaker = engine.cloaker
    assert isinstance(cloaker, _delaying.DelayingCloaker)
    assert len(cloaker._deadlines) < 100
