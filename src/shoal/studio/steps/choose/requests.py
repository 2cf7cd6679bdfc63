"""What this step remembers of a table, and the policies that it runs. No page code."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import shoal
from shoal import Front, FrontPoint, PolicyError, Role
from shoal.cost import METRICS
from shoal.studio.descriptions import model_words, title
from shoal.studio.draft import Draft
from shoal.studio.jobs import Job
from shoal.studio.policy_key import UNLIMITED
from shoal.studio.run_key import new_key, with_key
from shoal.studio.workspace import Run, Workspace

FRONT, COMPARISON = "front", "comparison"
"""The names of the jobs."""

PICK = "shoal front {{policy}} --pick {number} --release {{release}}"
"""What releases a point on the command line."""

SUPPRESSION = "5%"
"""A front needs a limit; this one is proposed where the policy says that there is none."""

RISK = 0.09
"""The risk that the suggested point meets, unless another one is chosen."""

SHORT_LIST = ("exact", "subtree", "lattice", "local", "mondrian")
"""What is compared unless something else is chosen: one of each kind that releases are made in."""

_KEPT_OF_SEARCH = ("threads", "seed")
_CLOCKED = ("seconds", "nodes")
_IGNORED = {
    "models": "the further privacy models",
    "sets": "the sets of columns that others know apart",
    "entity": "that one person can have several rows",
    "linkable": "that rows of a person stay linkable",
    "known_events": "how many rows of a person others may know",
    "household": "that rows are members of households",
    "survey_weight": "the survey weights",
    "population": "the table of the population",
}
_HEEDED_BY_ROWS = ("models", "entity")


@dataclass(eq=False)
class Choosing:
    """The requests and the selection of this step; the same in every tab, one per table.

    Parameters
    ----------
    tab
        The part of the step that was shown last.
    loss, diverse, suppression, risk
        What the front weighs k against; the sensitive column whose l is weighed too; how many rows may be
        left out, the policy's limit when `None`; the risk that the suggested point meets.
    without
        Whether to make the front although it ignores some demands of the policy.
    made, not_judged
        The policy of the front that is shown, and what of the steward's policy is not in it.
    selected
        The selected point.
    picked
        Point -> run that releases it.
    algorithms, seconds, measure
        What is compared, how long each may take, and by what the bars are drawn.
    compared
        The policy of the comparison that is shown.
    """

    tab: str = "front"
    loss: str = "general-loss"
    diverse: str | None = None
    suppression: str | None = None
    risk: float = RISK
    without: bool = False
    made: Draft | None = None
    not_judged: list[str] = field(default_factory=list)
    selected: int | None = None
    picked: dict[int, int] = field(default_factory=dict)
    algorithms: list[str] = field(default_factory=lambda: list(SHORT_LIST))
    seconds: float = 10
    measure: str = "ncp"
    compared: Draft | None = None


def by_rows(draft: Draft, choosing: Choosing) -> bool:
    """Whether the front is one of releases row by row; else each column has one level."""
    objective = draft.stated["objective"]
    limited = any(
        each.get("min_level") or each.get("max_level") is not None for each in draft.attributes.values()
    )
    return not (
        choosing.diverse in draft.columns(Role.SENSITIVE)
        or objective.get("consistent")
        or objective.get("recoding_model") not in (None, "CG_")
        or limited
        or not (METRICS[choosing.loss].is_share or choosing.loss == "discernibility")
    )


def ignored_demands(draft: Draft, choosing: Choosing) -> list[str]:
    """Demands of the policy that its front ignores, in words."""
    privacy, ignored = draft.stated["privacy"], _ignored_keys(draft, choosing)
    words = [_IGNORED[name] for name in ignored if privacy.get(name)]
    names = [each.get("name", "") for each in privacy.get("models") or []]
    if names and "models" in ignored:
        known = [title(model_words(name), name) for name in names]
        words[0] = f"the further privacy models ({', '.join(known)})"
    model = draft.stated["objective"].get("recoding_model")
    if model not in (None, "AG_TS"):
        words.append(f"the recoding model {model}")
    return words


def _ignored_keys(draft: Draft, choosing: Choosing) -> list[str]:
    """What of [privacy] a front ignores: row by row it heeds models and persons, without a population."""
    privacy = draft.stated["privacy"]
    people = privacy.get("survey_weight") or privacy.get("population")
    heeded = _HEEDED_BY_ROWS if by_rows(draft, choosing) and not people else ()
    return [name for name in _IGNORED if name not in heeded]


def limit(draft: Draft, choosing: Choosing) -> str:
    """How many rows may be left out, as a policy writes it."""
    stated = draft.stated["objective"].get("suppression", 0)
    return choosing.suppression or (SUPPRESSION if stated == UNLIMITED else str(stated))


def front_draft(draft: Draft, choosing: Choosing) -> Draft:
    """The policy of a front: what is weighed, without the demands that it ignores.

    Over levels it has no time limit. A front that ends by the clock may be another one the next time, and
    the number of a point would then mean another release. Row by row the time is the policy's, and a run
    says if the clock has ended it.
    """
    copied = draft.copy()
    rows, ignored = by_rows(draft, choosing), _ignored_keys(draft, choosing)
    privacy, search = copied.stated["privacy"], copied.stated["search"]
    copied.stated["privacy"] = {name: value for name, value in privacy.items() if name not in ignored}
    kept = (*_KEPT_OF_SEARCH, *(_CLOCKED if rows else ()))
    copied.stated["search"] = {name: value for name, value in search.items() if name in kept}
    if not rows:
        copied.stated["search"]["seconds"] = UNLIMITED
    stated = limit(draft, choosing)
    copied.stated["objective"] = {
        "cost": choosing.loss,
        "suppression": int(stated) if stated.isdecimal() else stated,
    }
    sensitive = draft.columns(Role.SENSITIVE)
    weighed = ["k"]
    if choosing.diverse in sensitive:
        weighed.append("l" if len(sensitive) == 1 else f"l:{choosing.diverse}")
    copied.stated["front"] = {
        "objectives": [*weighed, choosing.loss],
        "recoding": "rows" if rows else "levels",
        "risk": choosing.risk,
    }
    return copied


def is_earlier(draft: Draft, choosing: Choosing) -> bool:
    """Whether the front that is shown is not the one that would be made now."""
    if choosing.made is None:
        return False
    now = front_draft(draft, choosing)
    return (now.stated, now.used_files()) != (choosing.made.stated, choosing.made.used_files())


def make_front(workspace: Workspace, choosing: Choosing) -> Job:
    """Start a front by the current policy; a running one ends."""
    table = workspace.needed_table()
    _end(workspace, FRONT)
    draft = front_draft(workspace.draft, choosing)
    policy = draft.write(_folder(workspace, FRONT), table.stated())
    choosing.made, choosing.selected, choosing.picked = draft, None, {}
    choosing.not_judged = ignored_demands(workspace.draft, choosing)
    job = workspace.workers.start("The front", shoal.front, policy=policy, reports="on_progress")
    workspace.jobs[FRONT] = job
    workspace.touch()
    return job


def front_of(workspace: Workspace) -> Front | None:
    """The front, if there is one."""
    job = workspace.jobs.get(FRONT)
    return job.result if job is not None and isinstance(job.result, Front) else None


def first_point(front: Front) -> FrontPoint:
    """Where to begin to look: the suggestion, or the least loss that k allows, or the most private point."""
    return front.suggested or least_loss(front)


def least_loss(front: Front) -> FrontPoint:
    """The least loss that the policy's k allows; the most private point, if it allows none."""
    enough = front.where(k=(front.policy.k, None)).points
    loss = front.names[-1]
    return min(enough or front.points[-1:], key=lambda point: point.values[loss])


def release_point(workspace: Workspace, choosing: Choosing, front: Front, point: FrontPoint) -> Run:
    """Begin to release a point of the front, as a run like any other.

    The run's policy demands the point's own k: that is what was chosen, and what it is judged by.
    """
    if choosing.made is None or workspace.state(Choosing) is not choosing:
        raise PolicyError("this front is of a closed table; make a new one")
    folder, place = workspace.new_folder()
    draft = choosing.made.copy()
    draft.say("privacy", "k", point.k)
    draft.write(folder, workspace.needed_table().stated())
    title = f"Point {point.number} of the front, k = {point.k:,}"
    if choosing.not_judged:
        # Wherever the run is shown, it must not appear as one that meets the whole policy.
        title += ", judged by k and l alone" if len(front.names) > 2 else ", not by the whole policy"
    key = new_key()
    job = workspace.workers.start(title, with_key, key, front.pick, point.number, path=place)
    run = workspace.add(title, draft, place, job, PICK.format(number=point.number), key)
    run.facts["not judged"] = list(choosing.not_judged)
    run.facts["ended by clock"] = front.by_clock
    choosing.picked[point.number] = run.number
    return run


def measure_risk(workspace: Workspace, run: Run) -> Job:
    """The job that measures the risk of a released point, started when first needed."""
    name = f"risk of run {run.number}"
    if name not in workspace.jobs:
        words = f"Risk of run {run.number}"
        workspace.jobs[name] = workspace.workers.start(
            words, shoal.risk, run.release_path, policy=run.policy_path
        )
    return workspace.jobs[name]


def compare_algorithms(workspace: Workspace, choosing: Choosing) -> Job:
    """Start to compare the chosen algorithms by the current policy."""
    table = workspace.needed_table()
    _end(workspace, COMPARISON)
    choosing.compared = workspace.draft.copy()
    policy = choosing.compared.write(_folder(workspace, COMPARISON), table.stated())
    job = workspace.workers.start(
        "Comparison of algorithms",
        shoal.compare,
        policy=policy,
        algorithms=list(choosing.algorithms),
        seconds=choosing.seconds,
        reports="on_run",
    )
    workspace.jobs[COMPARISON] = job
    workspace.touch()
    return job


def use_algorithm(draft: Draft, algorithm: str, minimized: str | None) -> None:
    """Set the policy's algorithm, and the cost that it minimized."""
    kept = {name: value for name, value in draft.stated["search"].items() if name in _KEPT_BY_ALL}
    draft.stated["search"] = {**kept, "algorithm": algorithm}
    if minimized is not None:
        draft.say("objective", "cost", minimized)


_KEPT_BY_ALL = ("seconds", "nodes", "gap", *_KEPT_OF_SEARCH)
"""Keys of [search] that every algorithm knows; the others are options of one."""


def _end(workspace: Workspace, name: str) -> None:
    job = workspace.jobs.get(name)
    if job is not None:
        job.stop()
        job.stop()  # at once


def _folder(workspace: Workspace, name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=workspace.folders.private))
