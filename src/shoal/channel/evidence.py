"""Evidence against a member, which a third party can check with the group file alone.

Every kind is judged by statements that the accused signed itself, never by what others say that it
received: so nobody can be framed by somebody who signs two versions of their own part. The exception is
silence, of which there is no trace: more than half of the roster must have signed that they heard nothing,
which convicts no honest member as long as the network delivers in time and corrupt members are fewer than
half.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.channel.dealing import opens
from shoal.channel.membership import Membership
from shoal.channel.payloads import (
    COMMIT,
    DEAL,
    ECHO,
    OBJECT,
    PROOF,
    REVEAL,
    SUM,
    Rules,
    answers_in,
    commitments_in,
    complained,
    context_of,
    echoed,
    is_well_formed,
    phase_name,
    shares_in,
)
from shoal.channel.proof import proves
from shoal.channel.statement import Attempt, Statement, accusation_text, vote_text

TWO_STATEMENTS = "two statements"
MALFORMED = "malformed statement"
WRONG_ECHO = "wrong echo"
WRONG_PROOF = "wrong proof"
WRONG_SHARE = "wrong share"
WRONG_ANSWER = "wrong answer"
WRONG_SUM = "wrong sum"
SILENCE = "silence"
FALSE_ACCUSATION = "false accusation"


@dataclass(frozen=True)
class Evidence:
    """What convicts a member.

    Parameters
    ----------
    kind
        Of what: one of the kinds above.
    accused
        Whom.
    attempt
        When.
    statements
        Signed statements; which ones depends on the kind.
    phase
        Of silence: the phase in which nothing was heard.
    signatures
        Of silence: who signed it, with their signatures. Of a false accusation: the accused's.
    accusation
        Of a false accusation: what the accused put forward as evidence.
    before
        Of silence: the evidence against the members of the group that were not on the roster any more, in
        its order. Otherwise a few could name a roster of their own, and be more than half of it.
    """

    kind: str
    accused: str
    attempt: Attempt
    statements: tuple[Statement, ...] = ()
    phase: int = 0
    signatures: tuple[tuple[str, bytes], ...] = ()
    accusation: bytes = b""
    before: tuple[Evidence, ...] = ()

    @property
    def words(self) -> str:
        """In words: who did what, and when."""
        where = f" ({phase_name(self.phase)})" if self.kind == SILENCE else ""
        return f"{self.accused}: {self.kind}{where} in round {self.attempt.round}"

    def to_bytes(self) -> bytes:
        """As it is sent and written to a file."""
        return json.dumps(self._to_json(), indent=1).encode()

    def _to_json(self) -> dict[str, Any]:
        attempt = {
            "session": self.attempt.session.hex(),
            "round": self.attempt.round,
            "roster": list(self.attempt.roster),
        }
        return {
            "kind": self.kind,
            "accused": self.accused,
            "attempt": attempt,
            "statements": [each.to_json() for each in self.statements],
            "phase": self.phase,
            "signatures": [[name, signature.hex()] for name, signature in self.signatures],
            "accusation": self.accusation.hex(),
            "before": [each._to_json() for each in self.before],
        }

    @classmethod
    def of_bytes(cls, content: bytes) -> Evidence:
        """What `to_bytes` wrote; ValueError if it is something else."""
        try:
            return cls._of_json(json.loads(content))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ValueError("this is no evidence") from None

    @classmethod
    def _of_json(cls, found: dict[str, Any]) -> Evidence:
        when = found["attempt"]
        roster = tuple(when["roster"])
        if not all(isinstance(each, str) for each in (*roster, found["kind"], found["accused"])):
            raise ValueError("names")
        attempt = Attempt(bytes.fromhex(when["session"]), when["round"], roster)
        attempt.id  # noqa: B018 - a round that is no number fails here
        if type(found["phase"]) is not int or not 0 <= found["phase"] < 256:
            raise ValueError("phase")
        return cls(
            found["kind"],
            found["accused"],
            attempt,
            tuple(Statement.of_json(each) for each in found["statements"]),
            found["phase"],
            tuple((str(name), bytes.fromhex(signature)) for name, signature in found["signatures"]),
            bytes.fromhex(found["accusation"]),
            tuple(cls._of_json(each) for each in found["before"]),
        )


def convicts(
    evidence: Evidence, membership: Membership, rules: Rules, gone: frozenset[str] = frozenset()
) -> bool:
    """Whether the evidence proves what it says; the same for everybody who asks.

    Parameters
    ----------
    evidence, membership, rules
        What is to be judged, by what.
    gone
        Members that were convicted before, if this is part of other evidence.
    """
    for each in evidence.before:
        nested = each.before or each.attempt.session != evidence.attempt.session
        if nested or not convicts(each, membership, rules, gone):
            return False
        gone |= {each.accused}
    if evidence.kind == SILENCE and not _is_whole(evidence, membership, gone):
        return False
    roster = evidence.attempt.roster
    known = list(roster) == sorted(set(roster)) and set(roster) <= set(membership.by_name)
    if not known or evidence.accused not in roster or evidence.kind not in _JUDGES:
        return False
    if not all(
        each.attempt == evidence.attempt.id and each.is_signed(membership) for each in evidence.statements
    ):
        return False
    try:
        return _JUDGES[evidence.kind](evidence, membership, rules)
    except ValueError:
        return False


def _by_accused(evidence: Evidence, *phases: int) -> list[Statement]:
    """The first statements, which must be the accused's, of these phases and to everybody."""
    found = list(evidence.statements[: len(phases)])
    if [(each.sender, each.phase, each.recipient) for each in found] != [
        (evidence.accused, phase, "") for phase in phases
    ]:
        raise ValueError("other statements than the kind needs")
    return found


def _two_statements(evidence: Evidence, _membership: Membership, _rules: Rules) -> bool:
    one, two = evidence.statements
    return (
        one.sender == two.sender == evidence.accused
        and (one.phase, one.recipient) == (two.phase, two.recipient)
        and one.digest != two.digest
    )


def _malformed(evidence: Evidence, _membership: Membership, rules: Rules) -> bool:
    [one] = evidence.statements
    members = len(evidence.attempt.roster)
    return one.sender == evidence.accused and not is_well_formed(one.phase, one.said, members, rules)


def _wrong_echo(evidence: Evidence, membership: Membership, _rules: Rules) -> bool:
    [echo] = evidence.statements
    if echo.sender != evidence.accused or echo.phase < ECHO or echo.recipient:
        return False
    return not all(each.is_signed(membership) for each in echoed(echo, evidence.attempt).values())


def _wrong_proof(evidence: Evidence, _membership: Membership, rules: Rules) -> bool:
    commit, echo, proof = _by_accused(evidence, COMMIT, COMMIT + ECHO, PROOF)
    members = len(evidence.attempt.roster)
    slots = [rules.curve.total(each) for each in commitments_in(commit.said, members, rules.curve)]
    context = context_of(echo, evidence.attempt)
    return not proves(rules.curve, slots, proof.said, context, rules.proofs)


def _wrong_share(evidence: Evidence, _membership: Membership, rules: Rules) -> bool:
    [commit] = _by_accused(evidence, COMMIT)
    deal = evidence.statements[1]
    if deal.sender != evidence.accused or deal.phase != DEAL:
        return False
    return not _is_dealt(commit, deal.said, deal.recipient, evidence.attempt, rules)


def _wrong_answer(evidence: Evidence, _membership: Membership, rules: Rules) -> bool:
    commit, echo, answer = _by_accused(evidence, COMMIT, OBJECT + ECHO, REVEAL)
    complaints = _acknowledged(evidence, echo, evidence.statements[3:])
    roster = evidence.attempt.roster
    complaining = [each.sender for each in complaints if evidence.accused in complained(each.said, roster)]
    answers = answers_in(REVEAL, answer.said, len(roster))
    return len(answers) != len(complaining) or not all(
        _is_dealt(commit, shares, name, evidence.attempt, rules)
        for name, shares in zip(complaining, answers, strict=True)
    )


def _wrong_sum(evidence: Evidence, _membership: Membership, rules: Rules) -> bool:
    echo, announced = _by_accused(evidence, COMMIT + ECHO, SUM)
    commits = _acknowledged(evidence, echo, evidence.statements[2:])
    roster = evidence.attempt.roster
    at = roster.index(evidence.accused)
    tables = [commitments_in(each.said, len(roster), rules.curve) for each in commits]
    expected = [rules.curve.total(table[slot][at] for table in tables) for slot in range(len(tables[0]))]
    return not opens(rules.curve, shares_in(announced.said, len(roster), rules.curve), expected)


def _is_whole(evidence: Evidence, membership: Membership, gone: frozenset[str]) -> bool:
    """Whether the roster has all members of the group but those who were convicted before."""
    if evidence.accused not in membership.by_name:
        return False
    group = set(membership.group(membership.by_name[evidence.accused].group))
    roster = set(evidence.attempt.roster)
    return roster <= group and group - roster <= gone


def _silence(evidence: Evidence, membership: Membership, _rules: Rules) -> bool:
    text = vote_text(evidence.attempt.id, evidence.phase, evidence.accused)
    roster = evidence.attempt.roster
    voters = {
        name
        for name, signature in evidence.signatures
        if name in roster
        and name != evidence.accused
        and membership.by_name[name].certificate.verify(signature, text)
    }
    return 2 * len(voters) > len(roster)


def _false_accusation(evidence: Evidence, membership: Membership, rules: Rules) -> bool:
    [(name, signature)] = evidence.signatures
    certificate = membership.by_name[evidence.accused].certificate
    if name != evidence.accused or not certificate.verify(signature, accusation_text(evidence.accusation)):
        return False
    try:
        accusation = Evidence.of_bytes(evidence.accusation)
    except ValueError:
        return True
    return not convicts(accusation, membership, rules)


def _acknowledged(
    evidence: Evidence, echo: Statement, statements: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    """Statements of the whole roster, exactly as the accused repeated them."""
    repeated = echoed(echo, evidence.attempt)
    if [(each.sender, each.phase, each.recipient, each.digest) for each in statements] != [
        (name, said.phase, "", said.digest) for name, said in repeated.items()
    ]:
        raise ValueError("other statements than the accused repeated")
    return statements


def _is_dealt(commit: Statement, shares: bytes, to: str, attempt: Attempt, rules: Rules) -> bool:
    """Whether these shares, to this member, are those that a dealer committed to."""
    members, curve = len(attempt.roster), rules.curve
    at = attempt.roster.index(to)
    column = [slot[at] for slot in commitments_in(commit.said, members, curve)]
    try:
        return opens(curve, shares_in(shares, members, curve), column)
    except ValueError:
        return False


_JUDGES: dict[str, Callable[[Evidence, Membership, Rules], bool]] = {
    TWO_STATEMENTS: _two_statements,
    MALFORMED: _malformed,
    WRONG_ECHO: _wrong_echo,
    WRONG_PROOF: _wrong_proof,
    WRONG_SHARE: _wrong_share,
    WRONG_ANSWER: _wrong_answer,
    WRONG_SUM: _wrong_sum,
    SILENCE: _silence,
    FALSE_ACCUSATION: _false_accusation,
}
