"""Whether the policy of a run gives the same bytes again."""

from __future__ import annotations

from shoal import Status
from shoal.studio.workspace import Run


def reproducible(run: Run) -> tuple[bool, str]:
    """Whether the same policy gives the same bytes again, and if not, why."""
    release = run.release
    if release is None:
        return False, "There is no release."
    if release.result.interrupted:
        return False, "The search was stopped by hand; another run would not stop at the same moment."
    if release.result.status is Status.FEASIBLE and run.draft.stated["search"].get("seconds") is not None:
        return False, (
            "The search was ended by its limit of seconds; how far it comes in that time differs from run to "
            "run. With a limit of nodes, or without any, it would end at the same place."
        )
    return True, "The same policy gives the same bytes, on any machine with this version of Shoal."
