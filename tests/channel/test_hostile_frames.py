"""A member can send anything: nobody else is expelled for it, and nothing but ValueError comes of it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.channel.board import Board
from shoal.channel.coalition import View, unseen_fillings
from shoal.channel.completion import Completion
from shoal.channel.curve import Ristretto
from shoal.channel.dealing import added, deal
from shoal.channel.frame_kinds import DONE, KINDS, STATEMENT, VOTE
from shoal.channel.membership import Membership
from shoal.channel.payloads import COMMIT, CONFIRM, Rules
from shoal.channel.statement import Attempt, Statement, as_array, stated, vote_text
from shoal.network.frames import Frame
from tests.agreement.thoroughness import examples
from tests.channel.group import keys, membership
from tests.channel.small_curve import SmallCurve

MEMBERS = membership((4,))
SESSION = bytes(32)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 300),
    st.text(max_size=5),
    st.sampled_from(["ann", "bob", "cem"]),
)
HEADS = st.dictionaries(
    st.sampled_from(["round", "phase", "sender", "to", "names", "accused", "roster", "value"]),
    st.one_of(VALUES, st.lists(VALUES, max_size=4)),
)
ARRAYS = st.lists(
    st.one_of(st.binary(max_size=40), st.sampled_from([bytes(32), bytes(64)])).map(
        lambda each: np.frombuffer(each, np.uint8)
    ),
    max_size=3,
)


class Nowhere:
    """Links that keep what is sent."""

    def __init__(self) -> None:
        self.lost: dict[str, str] = {}
        self.failure = None
        self.sent: list[tuple[str, int]] = []

    def send(self, name: str, kind: int, head: dict[str, Any], *arrays: Any) -> None:
        """Keep a frame."""
        self.sent.append((name, kind))


def board(members: Membership = MEMBERS) -> Board:
    """Ann's, in the first round."""
    rules = Rules(Ristretto(), 2)
    return Board(members, keys("ann").identity, SESSION, Nowhere(), rules)  # type: ignore[arg-type]


@settings(max_examples=examples(600), deadline=None)
@given(st.sampled_from(KINDS), HEADS, ARRAYS)
def test_random_frames_expel_nobody_but_their_sender(
    kind: int, head: dict[str, Any], arrays: list[Any]
) -> None:
    """Whatever bob sends, the others stay."""
    own = board()
    with contextlib.suppress(ValueError):
        own.heard("bob", Frame(kind, head, tuple(arrays)))
    assert set(own.expelled) <= {"bob"}


def said(name: str, payload: bytes, attempt: Attempt | None = None) -> Statement:
    """A signed statement of the first phase."""
    return stated(keys(name).identity, attempt or board().attempt, COMMIT, payload)


def test_a_statement_in_anothers_name_does_nothing() -> None:
    """Bob signs, and says that cem did."""
    own, statement = board(), said("bob", b"")
    frame = statement.frame(STATEMENT, 0)
    own.heard("bob", Frame(STATEMENT, {**frame.head, "sender": "cem"}, frame.arrays))
    assert not own.expelled
    assert not own.statements


def test_what_is_relayed_convicts_its_author() -> None:
    """Cem passes on what bob signed, which is ill-formed: bob is expelled, not cem."""
    own = board()
    frame = said("bob", b"ill-formed").frame(STATEMENT, 0)
    own.heard("cem", frame)
    assert list(own.expelled) == ["bob"]


def test_early_statements_are_bounded() -> None:
    """Attempts that never begin do not fill the memory."""
    own = board()
    for number in range(1_500):
        attempt = Attempt(SESSION, number + 5, ("ann", "bob"))
        own.heard("bob", said("bob", b"", attempt).frame(STATEMENT, 5) if number < 3 else _cheap(number))
    assert len(own._early) == 1_000


def _cheap(number: int) -> Frame:
    arrays = (np.full(32, number % 256, np.uint8), np.zeros(64, np.uint8), np.zeros(0, np.uint8))
    return Frame(STATEMENT, {"round": 9, "phase": 1, "sender": "bob", "to": ""}, arrays)


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """A loop to make events in."""
    with asyncio.Runner() as runner:
        runner.get_loop()
        yield


@pytest.mark.parametrize("q", [3, 5, 7])
def test_the_fillings_are_those_that_can_be_counted(q: int) -> None:
    """Four members, two of them a coalition: by formula, and by trying all shares that it does not see."""
    curve, names = SmallCurve(q), ("ann", "bob", "cem", "dora")
    inputs = {"ann": 0, "bob": 2 % q, "cem": 0, "dora": 0}
    dealt = {name: deal(curve, [value], 4, secrets.randbelow) for name, value in inputs.items()}
    given = {
        name: {to: [each.to(at)[0].value] for at, to in enumerate(names)} for name, each in dealt.items()
    }
    sums = {to: [added([each.to(at) for each in dealt.values()], q)[0].value] for at, to in enumerate(names)}
    slot = [sum(inputs.values()) % q]
    views = {
        spy: View(0, slot, {name: given[name][spy] for name in names}, given[spy], sums)
        for spy in ("cem", "dora")
    }
    counted = {}
    for sender in ("ann", "bob"):
        counted[sender] = 0
        for cells in np.ndindex(q, q, q, q):
            table = {"ann": cells[:2], "bob": cells[2:]}
            rows = all(
                (sum(table[name]) + sum(given[name][spy][0] for spy in views)) % q
                == (slot[0] if name == sender else 0)
                for name in table
            )
            columns = all(
                (table["ann"][at] + table["bob"][at] + sum(given[spy][to][0] for spy in views)) % q
                == sums[to][0]
                for at, to in enumerate(("ann", "bob"))
            )
            counted[sender] += rows and columns
    assert unseen_fillings(views, 0, q) == counted == {"ann": q, "bob": q}
    assert View.of_json(views["cem"].to_json()).sums == views["cem"].sums


def test_who_is_behind_is_shown_that_all_have_confirmed() -> None:
    """Everybody's signature ends the round at a member that has confirmed, and at no other."""
    own = board()
    attempt = own.attempt
    signed = {name: stated(keys(name).identity, attempt, CONFIRM, b"") for name in attempt.roster}
    completion = Completion.of(attempt, signed)
    frame = Frame(DONE, completion.head, (as_array(b"".join(completion.signatures)),))
    own.heard("bob", frame)
    assert own.round == 0  # it has not confirmed: it does not know what was in the slots
    own.say(attempt, CONFIRM, b"")
    forged = [*completion.signatures[:-1], completion.signatures[0]]
    own.heard("bob", Frame(DONE, completion.head, (as_array(b"".join(forged)),)))
    assert own.round == 0
    own.heard("bob", frame)
    assert (own.round, own.finished) == (1, attempt)
    sent = own._links.sent  # type: ignore[attr-defined]
    sent.clear()
    own.heard("cem", said("cem", b"late").frame(STATEMENT, 0))
    assert sent == [("cem", DONE)]
    assert not own.expelled


def test_a_silent_member_may_have_been_honest() -> None:
    """k = 3 and a share of corrupt members: the channel closes with the first that falls silent."""
    for corrupt, size, closes in (("0", 4, False), ("0", 3, True), ("0.001", 5, True)):
        own = board(membership((size,), k=3, corrupt=corrupt))
        attempt, name = own.attempt, own.roster[-1]
        for voter in attempt.roster[1:-1]:
            signature = keys(voter).identity.sign(vote_text(attempt.id, COMMIT, name))
            arrays = (as_array(attempt.id), as_array(signature))
            own.heard(voter, Frame(VOTE, {"phase": COMMIT, "accused": name}, arrays))
        own._silence.vote(attempt, COMMIT, [name])
        assert name in own.expelled
        assert (own._stopped is not None) == closes
