"""Whether the policy of a run gives the same file again, to the byte.

Searches do the same work in the same order, whatever the threads. So a search that ended because it was done,
or at a number of nodes or a gap, ends there again. One that a clock or a hand ended does not.

Nor does its policy with `nodes` in place of the clock, in general. Measured on Adult, runs that were ended at
1.3, 3.1 and 6.7 seconds: `k-optimize`, `lattice`, `hill-climb`, `genetic` and `anneal` gave the same bytes
again, and so did `exact` once it was past its start; `exact` that was stopped before its first node did not,
and no run of `local` did. Such a policy gives a separate release that can be repeated: `repeatable`
makes it.
"""

from __future__ import annotations

from shoal import Status
from shoal.algorithms import ALGORITHMS
from shoal.studio.draft import Draft
from shoal.studio.policy_key import UNLIMITED
from shoal.studio.workspace import Run, Workspace

_NEARLY = 0.95
"""Solvers may end a little before the time that they are given."""


def reproducible(run: Run, *, with_its_key: bool = False) -> tuple[bool, str]:
    """Whether a run can be repeated to the byte, and a sentence with the reason, or with what to do.

    Parameters
    ----------
    run
        A search that is over.
    with_its_key
        Whether it is repeated here, where its secret key is known.
    """
    release = run.release
    if release is None:
        return False, "There is no release to repeat."
    result = release.result
    if needs_key(run) and not with_its_key:
        return False, (
            "Treatments or the order of rows come from a secret key, which the studio forgets when it ends. "
            "To repeat the release elsewhere, release on the command line with a key of your own "
            "(--key-file): the same key gives the same file."
        )
    if result.interrupted:
        return False, (
            "The search was stopped by a user, so the same policy would end elsewhere. Search again until it "
            "is proved, up to a gap or to a number of nodes, and the command line gives the same file."
        )
    if run.facts.get("ended by clock"):
        return False, (
            "The front was ended by its limit of seconds, and another machine, or this one on another day, "
            "gets further or less far in it. Search with this k until it is done, or up to a number of "
            "nodes, and the command line gives the same file."
        )
    seconds = run.draft.stated["search"].get("seconds")
    seconds = None if seconds == UNLIMITED else seconds
    if result.choice is not None and result.choice.clocked:
        return False, (
            "A clock ended one of the searches, and another machine, or this one on another day, gets "
            "further or less far. Search again until it is proved, up to a gap or to a number of nodes, and "
            "the command line gives the same file."
        )
    share = _clock_share(result.algorithm) or _NEARLY
    if seconds is not None and result.seconds >= share * float(seconds) and not _is_done(run):
        return False, (
            f"The search was ended by its limit of {float(seconds):,g} seconds, and another machine, or this "
            "one on another day, gets further or less far in it. Search again until it is proved, up to a "
            "gap or to a number of nodes, and the command line gives the same file."
        )
    if result.status in (Status.OPTIMAL, Status.MINIMAL):
        return True, "The search was complete: the same policy gives the same file on every machine" + (
            " that gets there in the time." if seconds is not None else "."
        )
    return True, "The search ended by itself, not by a clock: the same policy gives the same file" + (
        " on every machine that gets there in the time." if seconds is not None else " on every machine."
    )


def needs_key(run: Run) -> bool:
    """Whether a release depends on a secret key that only the studio has."""
    release = run.release
    if release is None or run.key is None:
        return False
    keyed = any("key" in each for each in release.manifest.treatments.values())
    return keyed or release.manifest.order == "shuffle"


def unmet_conditions(workspace: Workspace, run: Run) -> list[str]:
    """Sentences to show with every verdict on a run: demands that it ignored, or changes since.

    Parameters
    ----------
    workspace
        Where its table is.
    run
        A search that is over, or a point of a front, which considers k and loss.
    """
    conditions = []
    missing = run.facts.get("not judged") or []
    if missing:
        conditions.append(f"this run ignored some of your demands: {', '.join(missing)}. It may break them")
    if run.facts.get("demanded", workspace.draft.demanded) != workspace.draft.demanded:
        conditions.append(
            "the policy under Protect is no longer the one of this run, and the release answers that of the "
            "run. Search again to apply the changed one"
        )
    if workspace.source_changed(run):
        conditions.append(
            "the table on disk has changed since this run was started. The verdict on the released rows "
            "stands; what is compared with the original may be compared with another table. Search again"
        )
    return conditions


def repeatable(run: Run) -> Draft:
    """The policy of a run with the nodes that it had in place of its clock: what it gives can be repeated."""
    draft = run.draft.copy()
    draft.say("search", "seconds", None)
    if run.release is not None:
        draft.say("search", "nodes", max(1, run.release.result.nodes))
    return draft


def _is_done(run: Run) -> bool:
    """Whether the search proved all that it can, and no time limit had an effect."""
    assert run.release is not None
    result = run.release.result
    proved = result.status in (Status.OPTIMAL, Status.MINIMAL)
    return proved and _clock_share(result.algorithm) is None


def _clock_share(algorithm: str) -> float | None:
    """The share of its time after which a search does something else, if there is one."""
    return ALGORITHMS[algorithm].clock_share if algorithm in ALGORITHMS else None
