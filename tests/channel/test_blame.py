"""Whoever breaks a rule is convicted by evidence that anybody can check, and the round goes on without it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from shoal.channel.dealing import Dealing, Share
from shoal.channel.evidence import (
    FALSE_ACCUSATION,
    MALFORMED,
    SILENCE,
    TWO_STATEMENTS,
    WRONG_ANSWER,
    WRONG_ECHO,
    WRONG_PROOF,
    WRONG_SHARE,
    WRONG_SUM,
    Evidence,
    convicts,
)
from shoal.channel.frame_kinds import ACCUSATION, STATEMENT
from shoal.channel.membership import Membership
from shoal.channel.payloads import (
    ANSWER,
    COMMIT,
    COMPLAIN,
    CONFIRM,
    DEAL,
    ECHO,
    PROOF,
    REVEAL,
    SUM,
    is_well_formed,
    written_shares,
)
from shoal.channel.round import Opened, Round
from shoal.channel.statement import Attempt, accusation_text, stated, vote_text
from tests.channel.group import Group, keys, membership

CHEAT = "bob"
HONEST = ("ann", "cem", "dora")


class WrongShare(Round):
    """Gives one member shares that it did not commit to."""

    def shares_for(self, dealing: Dealing, at: int) -> bytes:
        shares = list(dealing.to(at))
        if at == 0:
            shares[1] = Share((shares[1].value + 1) % self.curve.order, shares[1].blind)
        return written_shares(shares)


class TwoSlots(Round):
    """Uses two slots."""

    def inputs(self, slots: int) -> tuple[list[int], int | None]:
        return [5, 7] + [0] * (slots - 2), 0


class NoProof(Round):
    """Sends an empty proof."""

    def proof(self, attempt: Attempt, dealing: Dealing, used: int | None) -> bytes:
        return b""


class WrongSum(Round):
    """Announces another sum."""

    def sum(self, dealt: Mapping[str, tuple[Share, ...]]) -> bytes:
        return bytes([1]) + super().sum(dealt)[1:-1] + bytes(1)


class Malformed(Round):
    """Says something that is no commitment."""

    def committed(self, dealing: Dealing) -> bytes:
        return b"\xff" * len(super().committed(dealing))


class TwoCommitments(Round):
    """Tells dora something else than the others."""

    def committed(self, dealing: Dealing) -> bytes:
        content = super().committed(dealing)
        attempt = self.board.attempt
        other = stated(keys(CHEAT).identity, attempt, COMMIT, content[64:] + content[:64])
        frame = other.frame(STATEMENT, attempt.round)
        self.board._links.send("dora", STATEMENT, dict(frame.head), *frame.arrays)
        return content


class WrongEcho(Round):
    """Repeats something that ann did not sign."""

    def proof(self, attempt: Attempt, dealing: Dealing, used: int | None) -> bytes:
        say = self.board.say

        def saying(attempt: Attempt, phase: int, payload: bytes, to: str = "") -> None:
            say(attempt, phase, (b"\0" * 40 + payload[40:]) if phase == PROOF + ECHO else payload, to)

        self.board.say = saying  # type: ignore[method-assign]
        return super().proof(attempt, dealing, used)


class NoAnswer(Round):
    """Deals nothing to ann, and does not answer her complaint."""

    def deal_out(self, attempt: Attempt, dealing: Dealing) -> None:
        for at, name in enumerate(attempt.roster):
            if name not in ("ann", CHEAT):
                self.board.say(attempt, DEAL, self.shares_for(dealing, at), to=name)

    def answer(self, attempt: Attempt, dealing: Dealing, complaining: list[str]) -> bytes:
        return b""

    def reveal(self, attempt: Attempt, dealing: Dealing, objecting: list[str]) -> bytes:
        return b""


class FalseAccusation(Round):
    """Accuses ann of a wrong share with shares that are right."""

    def complaint(self, attempt: Attempt, missing: list[str]) -> bytes:
        commit = self.board.statement(attempt, COMMIT, "ann")
        evidence = Evidence(
            WRONG_SHARE, "ann", attempt, (commit, self.board.dealt(attempt)["ann"])
        ).to_bytes()
        signature = keys(CHEAT).identity.sign(accusation_text(evidence))
        for name in HONEST:
            arrays = (np.frombuffer(each, np.uint8) for each in (evidence, signature))
            self.board._links.send(name, ACCUSATION, {}, *arrays)
        return super().complaint(attempt, missing)


class Silent(Round):
    """Says nothing any more from the second round on."""

    def proof(self, attempt: Attempt, dealing: Dealing, used: int | None) -> bytes:
        if self.board.round > 0:
            self.board._links.send = lambda *_: None  # type: ignore[method-assign,assignment]
        return super().proof(attempt, dealing, used)


class TwoConfirmations(Round):
    """Confirms to the others, so that they finish the round, and sends dora something ill-formed."""

    def sum(self, dealt: Mapping[str, tuple[Share, ...]]) -> bytes:
        say = self.board.say

        def saying(attempt: Attempt, phase: int, payload: bytes, to: str = "") -> None:
            if phase == CONFIRM:
                frame = stated(keys(CHEAT).identity, attempt, CONFIRM, b"?").frame(STATEMENT, attempt.round)
                self.board._links.send("dora", STATEMENT, dict(frame.head), *frame.arrays)
            say(attempt, phase, payload, to)

        self.board.say = saying  # type: ignore[method-assign]
        return super().sum(dealt)


class Garbage(Round):
    """Sends bytes that are no frame."""

    def proof(self, attempt: Attempt, dealing: Dealing, used: int | None) -> bytes:
        for name in HONEST:
            self.board._links._peers[name]._writer.write(b"\xff" * 8)
        return super().proof(attempt, dealing, used)


CHEATS = [
    (WrongShare, WRONG_SHARE),
    (TwoSlots, WRONG_PROOF),
    (NoProof, WRONG_PROOF),
    (WrongSum, WRONG_SUM),
    (Malformed, MALFORMED),
    (TwoCommitments, TWO_STATEMENTS),
    (WrongEcho, WRONG_ECHO),
    (NoAnswer, WRONG_ANSWER),
    (FalseAccusation, FALSE_ACCUSATION),
    (Silent, SILENCE),
    (Garbage, SILENCE),
    (TwoConfirmations, MALFORMED),
]
# Shares that never come, and silence, are noticed after the timeout alone.
SHORT = {NoAnswer: 1.0, Silent: 1.0}


def misbehaved(cheat: type[Round]) -> Group:
    """A group in which one member cheats while two others send, run until all is delivered."""
    proofs = 16 if cheat is TwoSlots else 2
    group = Group(membership((4,), timeout=SHORT.get(cheat, 30.0), proofs=proofs), {CHEAT: cheat})
    group.members["cem"].send("ann", b"kept")
    group.members["dora"].send("ann", b"safe")
    group.run(
        lambda: (
            all(CHEAT in group.expelled(name) for name in HONEST)
            and len(group.texts("ann")) == 2
            and not any(group.members[name].outbox.waiting for name in HONEST)
        )
    )
    return group


@pytest.mark.parametrize(("cheat", "kind"), CHEATS, ids=lambda each: getattr(each, "__name__", None))
def test_misbehaviour_is_convicted_and_the_round_repeated(cheat: type[Round], kind: str) -> None:
    """All honest members expel the same member for the same; a third party agrees; nothing is lost."""
    group = misbehaved(cheat)
    assert sorted(group.texts("ann")) == ["kept", "safe"]
    for name in HONEST:
        assert group.expelled(name) == {CHEAT: kind}
        [evidence] = group.evidence[name]
        read = Evidence.of_bytes(evidence.to_bytes())
        assert read == evidence
        assert convicts(read, group.membership, group.rules)
        assert group.members[name].board.roster == HONEST  # type: ignore[union-attr]


class Sealed(NoAnswer):
    """Deals nothing to ann at first, and answers."""

    answer = Round.answer


class Revealed(NoAnswer):
    """Deals nothing to ann at first, and answers at last."""

    reveal = Round.reveal


@pytest.mark.parametrize(("late", "phases"), [(Sealed, {ANSWER}), (Revealed, {ANSWER, REVEAL})])
def test_shares_that_do_not_arrive_are_answered(late: type[Round], phases: set[int]) -> None:
    """Sealed for who complains, in the open only if that does not help; nobody is blamed."""
    group = Group(membership((4,), timeout=1.0), {CHEAT: late})
    seen: set[int] = set()

    class Watching(Round):
        """Notes which phases there were."""

        async def run(self) -> Opened:
            found = await super().run()
            seen.update(phase for _, phase, _ in self.board.statements)
            return found

    group.members["cem"]._round_type = Watching
    group.members["cem"].send("dora", b"answered")
    group.run(lambda: bool(group.texts("dora")))
    assert seen & {ANSWER, REVEAL} == phases
    assert not any(group.evidence.values())


def test_two_honest_members_without_a_link_reveal_nothing() -> None:
    """Their shares go by way of the others, sealed: who cuts links between them learns nothing."""
    group = Group(membership((4,), timeout=1.0))
    seen: set[int] = set()

    class Cut(Round):
        """Loses its link to bob as the first round begins."""

        def committed(self, dealing: Dealing) -> bytes:
            self.board._links.drop(CHEAT, "cut")
            return super().committed(dealing)

        async def run(self) -> Opened:
            found = await super().run()
            seen.update(phase for _, phase, _ in self.board.statements)
            return found

    group.members["ann"]._round_type = Cut
    group.members["ann"].send("dora", b"hidden")
    group.members[CHEAT].send("ann", b"to ann")
    group.run(lambda: bool(group.texts("dora") and group.texts("ann")))
    assert ANSWER in seen
    assert REVEAL not in seen
    assert not any(group.evidence.values())


def test_a_member_that_is_heard_by_some_is_relayed() -> None:
    """Who does not hear a member asks the others, who pass on what it signed; nobody is blamed."""

    class Selective(Round):
        """Sends its sums to everybody but dora."""

        def sum(self, dealt: Mapping[str, tuple[Share, ...]]) -> bytes:
            links = self.board._links
            if not hasattr(links, "all"):
                links.all = links.send  # type: ignore[attr-defined]

            def some(name: str, kind: int, head: dict[str, object], *arrays: object) -> None:
                if not (name == "dora" and kind == STATEMENT and head["phase"] == SUM):
                    links.all(name, kind, head, *arrays)  # type: ignore[attr-defined]

            links.send = some  # type: ignore[method-assign,assignment]
            return super().sum(dealt)

    group = Group(membership((4,), timeout=0.5), {CHEAT: Selective})
    group.members["dora"].send("ann", b"heard")
    group.run(lambda: bool(group.texts("ann")))
    assert not any(group.evidence.values())


def test_too_few_members_send_nothing_more() -> None:
    """With k = 4 of 4 members, an expulsion ends the channel, and says why."""
    group = Group(membership((4,), k=4), {CHEAT: NoProof})
    group.members["dora"].send("ann", b"unsent")
    group.run(lambda: set(HONEST) <= set(group.ended))
    for name in HONEST:
        assert "too few for k = 4; nothing more is sent. bob: wrong proof in round 0" in str(
            group.ended[name]
        )
    assert not group.texts("ann")


def evidence_against(cheat: type[Round]) -> tuple[Membership, Group, Evidence]:
    """What convicted a cheat."""
    group = misbehaved(cheat)
    return group.membership, group, group.evidence["ann"][0]


def test_nobody_can_be_framed() -> None:
    """Evidence that was changed in any part convicts nobody."""
    members, group, evidence = evidence_against(WrongSum)
    other = replace(evidence.attempt, round=evidence.attempt.round + 1)
    honest = replace(evidence, accused="ann")
    changed = [
        replace(evidence, attempt=other),
        honest,
        replace(evidence, statements=evidence.statements[:-1]),
    ]
    for at, statement in enumerate(evidence.statements):
        payload = bytes([statement.said[0] ^ 1]) + statement.said[1:]
        for false in (
            replace(statement, payload=payload),
            replace(statement, payload=payload, digest=hashlib.sha256(payload).digest()),
            replace(statement, sender="cem" if statement.sender == "ann" else "ann"),
        ):
            parts = (*evidence.statements[:at], false, *evidence.statements[at + 1 :])
            changed.append(replace(evidence, statements=parts))
    kinds = (MALFORMED, WRONG_ECHO, WRONG_PROOF, WRONG_SHARE, SILENCE, FALSE_ACCUSATION, "unknown")
    changed.extend(replace(evidence, kind=kind) for kind in kinds)
    assert convicts(evidence, members, group.rules)
    assert not [each.kind for each in changed if convicts(each, members, group.rules)]


def test_silence_needs_more_than_half() -> None:
    """Two votes of four are not enough, nor the same vote twice, nor the accused's."""
    members, group, evidence = evidence_against(Silent)
    assert len(evidence.signatures) == 3
    two = evidence.signatures[:2]
    for votes in (two, (*two, two[0]), (*two, (CHEAT, two[0][1])), (*two, ("dora", two[0][1]))):
        assert not convicts(replace(evidence, signatures=votes), members, group.rules)


def test_a_few_cannot_name_a_roster_of_their_own() -> None:
    """Two of four sign that ann was silent among the three of them: that convicts nobody."""
    members, session = membership((4,)), bytes(32)
    rules = Group(members).rules

    def votes(roster: tuple[str, ...], voters: tuple[str, ...]) -> Evidence:
        attempt = Attempt(session, 0, roster)
        text = vote_text(attempt.id, COMMIT, "ann")
        signed = tuple((name, keys(name).identity.sign(text)) for name in voters)
        return Evidence(SILENCE, "ann", attempt, phase=COMMIT, signatures=signed)

    three = votes(("ann", "bob", "cem"), ("bob", "cem"))
    assert not convicts(three, members, rules)
    assert convicts(votes(("ann", "bob", "cem", "dora"), ("bob", "cem", "dora")), members, rules)
    # Once dora is convicted, three are the whole roster; evidence against anybody else does not do.
    attempt = Attempt(session, 0, members.group(0))
    wrong = stated(keys("dora").identity, attempt, COMMIT, b"ill-formed")
    before = Evidence(MALFORMED, "dora", attempt, (wrong,))
    assert convicts(replace(three, before=(before,)), members, rules)
    for other in (
        replace(before, accused="bob"),
        replace(before, attempt=replace(attempt, session=bytes([1]) * 32)),
        replace(before, before=(before,)),
    ):
        assert not convicts(replace(three, before=(other,)), members, rules)
    read = Evidence.of_bytes(replace(three, before=(before,)).to_bytes())
    assert convicts(read, members, rules)


def test_a_member_falls_silent_after_another_was_expelled() -> None:
    """The evidence of silence carries why the roster was smaller by then."""
    group = Group(membership((5,), timeout=1.0), {CHEAT: NoProof, "eva": Silent})
    group.members["cem"].send("ann", b"kept")
    group.run(
        lambda: (
            all(set(group.expelled(name)) == {CHEAT, "eva"} for name in HONEST) and bool(group.texts("ann"))
        )
    )
    for name in HONEST:
        [_, silence] = group.evidence[name]
        assert (silence.kind, silence.accused) == (SILENCE, "eva")
        assert [each.accused for each in silence.before] == [CHEAT]
        assert convicts(Evidence.of_bytes(silence.to_bytes()), group.membership, group.rules)


def test_what_is_no_evidence_is_refused() -> None:
    """With ValueError, whatever it is."""
    for content in (
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"attempt": 3}',
        b"\xff",
        json.dumps({"attempt": {}}).encode(),
    ):
        with pytest.raises(ValueError, match="no evidence"):
            Evidence.of_bytes(content)


def test_complaints_have_a_form() -> None:
    """One flag for each member, 0 or 1."""
    rules = Group(membership((3,))).rules
    assert is_well_formed(COMPLAIN, bytes([0, 1, 0]), 3, rules)
    assert not is_well_formed(COMPLAIN, bytes([0, 2, 0]), 3, rules)
    assert not is_well_formed(COMPLAIN, bytes(4), 3, rules)
