"""The verdict on a run: what the audit of its written bytes found, and nothing that the search says.

Every page takes its verdict from here. No page code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import shoal
from shoal import AttackReport, Audited, Policy
from shoal.studio.anonymity_words import judged
from shoal.studio.steps.review.measures import Part, job_name
from shoal.studio.workspace import Run, Workspace

CHECKING, NOT_CHECKED, HOLDS, BROKEN, OPEN = "Checking", "Not checked", "Holds", "Does not hold", "Open"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What a page may say of a release now.

    Parameters
    ----------
    stamp
        The verdict in a word or two.
    holds
        `True` once all that was demanded was found in the written bytes; `False` if something breaks it, or
        the audit failed, or the attacks that the policy limits; `None` while they run, and where not all can
        be known.
    line, detail
        The verdict in a sentence, and what it rests on.
    failures
        What breaks it, in sentences.
    audited
        What the audit found; `None` before, and if it failed.
    """

    stamp: str
    holds: bool | None
    line: str
    detail: str
    failures: tuple[str, ...] = ()
    audited: Audited | None = field(default=None, repr=False, compare=False)


def judgement(workspace: Workspace, run: Run) -> Judgement:
    """The verdict on a run as far as it is known; `banner` requests what it rests on."""
    job = workspace.jobs.get(job_name(run, "audit"))
    if job is None or job.is_running:
        return Judgement(
            stamp=CHECKING,
            holds=None,
            line="The written file is being read and measured again.",
            detail="Until that is done nothing is known about it.",
        )
    if not isinstance(job.result, Audited):
        return Judgement(
            stamp=NOT_CHECKED,
            holds=False,
            line="The written file could not be audited: nothing is known about it.",
            detail="",
            failures=(job.error or "The audit was stopped.",),
        )
    policy = policy_of(run)
    attacks = workspace.jobs.get(job_name(run, "attack"))
    is_open = attacks is None or attacks.is_running
    tried: AttackReport | str | None = None
    if attacks is not None and not attacks.is_running:
        is_known = isinstance(attacks.result, AttackReport)
        tried = attacks.result if is_known else attacks.error or "they were stopped."
    found = judged(job.result, policy, tried)
    missing = run.facts.get("not judged")
    holds = None if found.holds and missing else found.holds
    detail = "Measured in the written file, not taken from the search."
    if missing:
        detail = f"Not judged: {', '.join(missing)}. {detail}"
    if attacks is not None and attacks.is_running:
        detail += " Attacks are still being tried."
    stamp = {True: HOLDS, False: BROKEN, None: OPEN}[holds]
    if policy.attacks and holds is None and is_open:
        stamp = CHECKING
    elif policy.attacks and isinstance(tried, str) and not job.result.breaks:
        stamp = NOT_CHECKED
    return Judgement(
        stamp=stamp,
        holds=holds,
        line=found.line,
        detail=detail,
        failures=found.failures,
        audited=job.result,
    )


def policy_of(run: Run) -> Policy:
    """The policy of a run, read once."""
    if "policy" not in run.facts:
        run.facts["policy"] = shoal.read_policy(run.policy_path)
    policy: Policy = run.facts["policy"]
    return policy


def needed(run: Run) -> tuple[Part, ...]:
    """What the verdict on a run rests on: the audit, and attacks if the policy limits any."""
    return ("audit", "attack") if policy_of(run).attacks else ("audit",)
