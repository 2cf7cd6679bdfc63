"""The audit of a release in words: the same sentences as in its report. No page code."""

from __future__ import annotations

from dataclasses import dataclass

from shoal import AttackReport, Audited, Policy, Verdict
from shoal.formatting.attack_words import failure_words
from shoal.formatting.verdict_line import promise_kind, verdict_line

_BY_ROW = "k-anonymity("
_OF_PEOPLE = (_BY_ROW, "whole-history(", "known-events(")
"""Begin the keys of the models that count persons or households by their column."""
_BY_LEDGER = "composition"
"""The attack that is measured when a release is written with a ledger; before, there may be none."""


def smallest_of(verdict: Verdict) -> tuple[int | None, str]:
    """The fewest that are alike, and what they are: rows, persons or households, as they were counted."""
    found = [each for each in verdict.models if each.key.startswith(_OF_PEOPLE) and each.measured is not None]
    if not found:
        return verdict.k, "rows"
    strongest = max(found, key=lambda each: not each.key.startswith(_BY_ROW))
    assert strongest.measured is not None
    return int(strongest.measured), "households" if strongest.unit == "household" else "persons"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A verdict for a page.

    Parameters
    ----------
    holds
        Whether what was demanded holds; `None` if not all of it is known.
    line
        The verdict in one line.
    failures
        What breaks it, in sentences.
    """

    holds: bool | None
    line: str
    failures: tuple[str, ...] = ()


def judged(audited: Audited, policy: Policy, attacks: AttackReport | str | None = None) -> Judged:
    """The verdict on a release by the audit of its bytes, and by the attacks that the policy limits.

    Parameters
    ----------
    audited
        What the audit found.
    policy
        What was demanded.
    attacks
        What the attacks found, or why they could not be tried; `None` as long as nothing is known of them.
    """
    found = audited.failures if audited.breaks else []
    failures = (
        *(f"{each[:1].upper()}{each[1:].removesuffix('.')}." for each in found),
        *_attack_failures(policy, attacks),
    )
    awaited = _awaited(policy, attacks)
    holds = False if failures else None if audited.unmeasured or awaited else True
    line = verdict_line(
        holds=holds,
        failures=len(failures),
        unmeasured=audited.unmeasured,
        k=audited.demanded,
        smallest=audited.k,
        promise=promise_kind(
            entity=policy.entity,
            linkable=policy.linkable,
            known_events=policy.known_events,
            household=policy.household,
        ),
        known_events=policy.known_events,
        sets=len(policy.sets),
        wildcards=audited.verdict.wildcards is not None and not audited.holds,
    )
    if holds is None and awaited:
        shown = line if audited.unmeasured else "The audit shows no fault."
        line = f"{shown} The policy limits attacks that are not measured yet: {', '.join(awaited)}."
    return Judged(holds=holds, line=line, failures=failures)


def _attack_failures(policy: Policy, attacks: AttackReport | str | None) -> list[str]:
    """Attacks above their limits, and limited ones that were not tried, in the report's sentences."""
    if isinstance(attacks, str):
        return [f"The attacks that the policy limits could not be tried: {attacks}"] if policy.attacks else []
    if attacks is None:
        return []
    return [
        *(failure_words(each.name, each.to_dict()) for each in attacks.results if not each.holds),
        *(
            f"The policy limits the attack {name!r}, which was not tried: {attacks.skipped[name]}."
            for name in attacks.unmeasured
            if name != _BY_LEDGER
        ),
    ]


def _awaited(policy: Policy, attacks: AttackReport | str | None) -> list[str]:
    """Attacks that the policy limits, and of which nothing is known yet."""
    if isinstance(attacks, str):
        return []
    return (
        [*policy.attacks] if attacks is None else [each for each in attacks.unmeasured if each == _BY_LEDGER]
    )
