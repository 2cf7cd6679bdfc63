"""Messages arrive through real sockets: whole, once, and with no sender."""

from __future__ import annotations

import pytest

from shoal.channel.envelope import MOST_TEXT
from shoal.channel.round import Opened, Round
from shoal.channel.slot import Piece
from shoal.errors import PolicyError
from tests.channel.group import Group, membership


def test_everybody_sends_and_nothing_is_lost() -> None:
    """All members send to one at once, with collisions; every text arrives once."""
    group = Group(membership((4,)))
    for name in ("bob", "cem", "dora"):
        group.members[name].send("ann", f"from {name}".encode())
    group.run(lambda: all(each.outbox.waiting == 0 for each in group.members.values()))
    assert sorted(group.texts("ann")) == ["from bob", "from cem", "from dora"]
    assert not any(group.texts(name) for name in ("bob", "cem", "dora"))
    assert not any(group.evidence.values())


def test_a_collision_is_noticed_and_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two members use the same slot in the first round: it holds no piece, and both send again."""
    first: dict[str, list[Opened]] = {}

    class Same(Round):
        """Uses slot 3 in the first round."""

        def inputs(self, slots: int) -> tuple[list[int], int | None]:
            values, used = super().inputs(slots)
            if self.board.round == 0 and used is not None:
                values = [0] * slots
                values[3], used = self.piece.number() if self.piece else 0, 3
            return values, used

    group = Group(membership((3,)), dict.fromkeys(("ann", "bob"), Same))
    for name in ("ann", "bob"):
        group.members[name].send("cem", f"from {name}".encode())
        group.members[name].on_round = first.setdefault(name, []).append
    group.run(lambda: len(group.texts("cem")) == 2)
    assert (first["ann"][0].collisions, first["ann"][0].pieces) == (1, [])
    assert group.members["ann"].outbox.collisions >= 1
    assert sorted(group.texts("cem")) == ["from ann", "from bob"]


def test_a_message_goes_to_another_group() -> None:
    """All members of one group pass it on to all of the other; the receiver alone can open it."""
    group = Group(membership((3, 3)))
    seen: list[Piece] = []
    for name in ("dora", "eva", "finn"):
        add = group.members[name].inbox.add
        group.members[name].inbox.add = lambda piece, add=add: (seen.append(piece), add(piece))[1]  # type: ignore[method-assign]
    group.members["ann"].send("eva", "grüße".encode())
    group.run(lambda: bool(group.texts("eva")) and len(seen) >= 9)
    assert group.texts("eva") == ["grüße"]
    assert not group.texts("dora")
    assert not group.texts("finn")


def test_a_text_that_is_too_long_is_refused() -> None:
    """With its length, the most, and the way out; nobody else is asked."""
    group = Group(membership((3,)))
    with pytest.raises(
        PolicyError, match=rf"{MOST_TEXT + 1:,} bytes; a message carries {MOST_TEXT:,} at most"
    ):
        group.members["ann"].send("bob", bytes(MOST_TEXT + 1))
    with pytest.raises(PolicyError, match="has no member zoe; it has ann, bob, cem"):
        group.members["ann"].send("zoe", b"")
    assert group.members["ann"].send("bob", bytes(MOST_TEXT)) == 1
