"""Several members cheat at once, in random ways: all of them are found, and nothing is lost."""

from __future__ import annotations

import random

import pytest

from shoal.channel.evidence import convicts
from shoal.channel.round import Round
from tests.channel.group import Group, membership
from tests.channel.test_blame import Malformed, NoProof, WrongShare, WrongSum

HONEST = ("ann", "cem", "dora", "finn")
CHEATS: list[type[Round]] = [NoProof, WrongSum, Malformed, WrongShare]


@pytest.mark.parametrize("seed", [1, 2])
def test_two_cheats_in_six_are_found_and_nothing_is_lost(seed: int) -> None:
    """Every honest member ends with the same roster, and every text arrives once."""
    chance = random.Random(seed)
    cheating = dict(zip(("bob", "eva"), chance.sample(CHEATS, 2), strict=True))
    group = Group(membership((6,), proofs=1), cheating)
    for name in HONEST[1:]:
        group.members[name].send("ann", f"from {name}".encode())
    group.run(
        lambda: (
            len(group.texts("ann")) == 3
            and not any(group.members[name].outbox.waiting for name in HONEST)
            and all(set(group.expelled(name)) == set(cheating) for name in HONEST)
        )
    )
    assert sorted(group.texts("ann")) == ["from cem", "from dora", "from finn"]
    for name in HONEST:
        board = group.members[name].board
        assert board is not None
        assert board.roster == HONEST
        assert all(convicts(each, group.membership, group.rules) for each in group.evidence[name])
