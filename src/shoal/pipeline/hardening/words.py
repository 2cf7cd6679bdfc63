"""What a row-by-row release reveals by being fine, in sentences for the person who signs."""

from __future__ import annotations

from shoal.auditor.attacks.refinement import Refinement
from shoal.model.policy.policy import Policy
from shoal.pipeline.hardening.harden import Hardening


def hardening_notes(policy: Policy, hardening: Hardening | None) -> tuple[str, ...]:
    """What a manifest and a report say about hardening, and about what is left.

    Parameters
    ----------
    policy
        The request.
    hardening
        What was found and done; `None` if labels were not chosen row by row.
    """
    if hardening is None:
        return (_NOTHING_TO_HARDEN,) if policy.harden else ()
    if not policy.harden:
        found = hardening.after
        more = " `harden` makes these coarser." if found is not None and found.unlikely_right else ""
        return (f"{_residue(found)}{more}",)
    return (_done(hardening), _residue(hardening.after))


INFERRED = "Somebody who assumes that"
"""How the sentence begins that says what an attacker could infer."""

_NOTHING_TO_HARDEN = (
    "`harden` changed nothing: each value of a column is released in one way, so a label says nothing about "
    "the rows of its own group."
)


def _done(hardening: Hardening) -> str:
    if not hardening.cells:
        if hardening.complete:
            return "`harden` found nothing that it could make coarser."
        return f"`harden` made nothing coarser: {_ENDED}."
    cells = f"{hardening.cells:,} {'cell' if hardening.cells == 1 else 'cells'}"
    rest = "" if hardening.complete else f" More was left to do: {_ENDED}."
    return (
        f"`harden` made {cells} coarser after the search, so the release is not the one of least cost that "
        f"the search found; the bound holds for releases of this kind, hardened or not.{rest}"
    )


_ENDED = "time or Ctrl-C ended it, or the next step would have broken a privacy model or revealed more"


def _residue(found: Refinement | None) -> str:
    """What is left."""
    if found is None:
        return "What the fine labels of so large a release reveal was not measured; `shoal attack` does."
    if not found.right:
        return "Assuming that rows were released as finely as k allows reveals nothing more about any row."
    guessed = min(round(found.by_chance or 0.0), found.right)
    unlikely = (
        f" Of the {found.unlikely:,} that are less likely than not, {found.unlikely_right:,} are right."
        if found.unlikely
        else ""
    )
    return (
        f"{INFERRED} rows were released as finely as k allows can give "
        f"{found.claimed:,} rows a finer value in some column, without knowing whose rows they are, and "
        f"{found.right:,} of them rightly; {guessed:,} of these could be guessed from how frequent the "
        f"values are.{unlikely}"
    )
