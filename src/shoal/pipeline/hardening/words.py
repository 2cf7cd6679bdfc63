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
        return (f"{_residue(hardening.after)} `harden` makes the unlikely ones coarser.",)
    return (_done(hardening), _residue(hardening.after))


_NOTHING_TO_HARDEN = (
    "`harden` changed nothing: each value of a column is released in one way, so a label says nothing about "
    "the rows of its own group."
)


def _done(hardening: Hardening) -> str:
    cells = f"{hardening.cells:,} {'cell' if hardening.cells == 1 else 'cells'}"
    ended = "" if hardening.complete else " It ended before nothing was left to do."
    if not hardening.cells:
        return f"`harden` found nothing that it could make coarser.{ended}"
    return (
        f"`harden` made {cells} coarser after the search, so the release is not the one of least cost that "
        f"the search found; the bound holds for releases of this kind, hardened or not.{ended}"
    )


def _residue(found: Refinement) -> str:
    """What is left, in one sentence."""
    if not found.right:
        return "Assuming that rows were released as finely as k allows reveals nothing more about any row."
    guessed = min(round(found.by_chance or 0.0), found.right)
    return (
        "Somebody who assumes that rows were released as finely as k allows can give "
        f"{found.claimed:,} rows a finer value in some column, without knowing whose rows they are, and "
        f"{found.right:,} of them rightly; {guessed:,} of these could be guessed from how frequent the "
        f"values are. Of the {found.unlikely:,} that are less likely than not, {found.unlikely_right:,} are "
        "right."
    )
