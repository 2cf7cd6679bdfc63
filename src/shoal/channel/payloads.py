"""What is said in each phase of a round, as bytes, and what is well formed.

| phase | payload |
|---|---|
| COMMIT | the commitments, by slot and member |
| PROOF | the proof that at most one slot is used |
| DEAL | to one member: its share and blind of each slot |
| COMPLAIN | for each member of the roster, 1 if its shares did not arrive |
| ANSWER | the shares that were complained about, by complaining member, each sealed for it |
| OBJECT | as COMPLAIN, of those who cannot use the answer |
| REVEAL | as ANSWER, of those who object, and open |
| SUM | the sum of shares and of blinds for each slot |
| CONFIRM | nothing: the slots are open |
| phase + ECHO | for each member of the roster, the digest and the signature of what it said in that phase |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.channel.curve import SCALAR, Curve, numbers, scalar
from shoal.channel.dealing import Share
from shoal.channel.envelope import sealed_length
from shoal.channel.proof import longest
from shoal.channel.statement import DIGEST, SIGNATURE, Attempt, Statement, digest_of
from shoal.network.frames import CAP

COMMIT, PROOF, DEAL, COMPLAIN, ANSWER, OBJECT, REVEAL, SUM, CONFIRM = range(1, 10)
ECHO = 128
NAMES = {
    COMMIT: "commitments",
    PROOF: "proof",
    DEAL: "shares",
    COMPLAIN: "complaints",
    ANSWER: "answer",
    OBJECT: "objections",
    REVEAL: "revealed shares",
    SUM: "sum",
    CONFIRM: "confirmation",
}


@dataclass(frozen=True)
class Rules:
    """What the form of a payload depends on.

    Parameters
    ----------
    curve
        The group of the commitments.
    proofs
        How often a proof is repeated.
    """

    curve: Curve
    proofs: int


def slots_of(members: int) -> int:
    """How many slots a round has: twice as many as members."""
    return 2 * members


def phase_name(phase: int) -> str:
    """A phase in words."""
    name = NAMES.get(phase % ECHO, "unknown phase")
    return f"echo of the {name}" if phase >= ECHO else name


def commitments_in(payload: bytes, members: int, curve: Curve) -> list[list[bytes]]:
    """The commitments, by slot and member; ValueError if there are others."""
    width, count = curve.width, slots_of(members) * members
    if len(payload) != count * width:
        raise ValueError("commitments of another number")
    points = [payload[at : at + width] for at in range(0, len(payload), width)]
    if not all(curve.is_point(each) for each in points):
        raise ValueError("a commitment that is no point")
    return [points[at : at + members] for at in range(0, count, members)]


def shares_in(payload: bytes, members: int, curve: Curve) -> list[Share]:
    """Shares and blinds by slot; ValueError if there are others."""
    found = numbers(payload, curve.order)
    if len(found) != 2 * slots_of(members):
        raise ValueError("shares of another number")
    return [Share(found[at], found[at + 1]) for at in range(0, len(found), 2)]


def written_shares(shares: Sequence[Share]) -> bytes:
    """Shares and blinds by slot, as bytes."""
    return b"".join(scalar(each.value) + scalar(each.blind) for each in shares)


def echo_of(statements: Mapping[str, Statement], roster: Sequence[str]) -> bytes:
    """The digests and signatures of what all members said."""
    return b"".join(statements[name].digest + statements[name].signature for name in roster)


def echoed(echo: Statement, attempt: Attempt) -> dict[str, Statement]:
    """What an echo says that each member said; ValueError if it is no echo."""
    width, said = DIGEST + SIGNATURE, echo.said
    if len(said) != width * len(attempt.roster):
        raise ValueError("an echo of another length")
    parts = [said[at : at + width] for at in range(0, len(said), width)]
    return {
        name: Statement(attempt.id, echo.phase - ECHO, name, "", part[:DIGEST], part[DIGEST:], None)
        for name, part in zip(attempt.roster, parts, strict=True)
    }


def context_of(echo: Statement, attempt: Attempt) -> bytes:
    """What a proof depends on: everybody's commitments, as the prover repeated them."""
    return digest_of(b"context", attempt.id, *(each.digest for each in echoed(echo, attempt).values()))


def complained(payload: bytes, roster: Sequence[str]) -> list[str]:
    """Whose shares did not arrive; ValueError if it is no complaint."""
    if len(payload) != len(roster) or set(payload) - {0, 1}:
        raise ValueError("a complaint of another form")
    return [name for name, flag in zip(roster, payload, strict=True) if flag]


def is_well_formed(phase: int, payload: bytes, members: int, rules: Rules) -> bool:
    """Whether a payload has the form of its phase; an ill-formed one convicts whoever signed it."""
    try:
        if phase == COMMIT:
            commitments_in(payload, members, rules.curve)
        elif phase in (DEAL, SUM):
            shares_in(payload, members, rules.curve)
        elif phase in (COMPLAIN, OBJECT):
            complained(payload, [""] * members)
        elif phase in (ANSWER, REVEAL):
            width = _answered(phase, members)
            return len(payload) % width == 0 and len(payload) <= members * width
        elif phase == PROOF:
            return len(payload) <= longest(slots_of(members), rules.proofs, rules.curve.width)
        elif phase == CONFIRM:
            return not payload
        elif phase >= ECHO:
            return len(payload) == members * (DIGEST + SIGNATURE)
    except ValueError:
        return False
    return phase in NAMES


def answers_in(phase: int, payload: bytes, members: int) -> list[bytes]:
    """The shares in an answer, each sealed or, when they are revealed, as they would have been dealt."""
    width = _answered(phase, members)
    return [payload[at : at + width] for at in range(0, len(payload), width)]


def longest_payload(members: int, rules: Rules) -> int:
    """The most bytes of a payload."""
    commitments = slots_of(members) * members * rules.curve.width
    proof = longest(slots_of(members), rules.proofs, rules.curve.width)
    return max(commitments, proof, members * _answered(ANSWER, members), members * (DIGEST + SIGNATURE))


def largest_frame(members: int, rules: Rules) -> int:
    """More than an honest member sends at once: all commitments as evidence, in hexadecimal digits."""
    return min(CAP, 4 * (members + 4) * (longest_payload(members, rules) + 1000))


def _answered(phase: int, members: int) -> int:
    dealt = 2 * SCALAR * slots_of(members)
    return dealt if phase == REVEAL else sealed_length(dealt)
