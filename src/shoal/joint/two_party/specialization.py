"""Two-party top-down specialization: `tds` on a joined table that nobody has.

Both sites know the people, everybody's class, and the current groups (leaves). In each step each says its
best score; the better one divides the groups by a child number per person. The steps, scores and ties are
those of `tds` (`algorithms/cuts/_descent.py`), so the release is what `tds` makes of the joined table.

Paper: Wang, Fung and Dong, 2005, from accounts of it. What leaks: docs/how-to/release-with-another-site.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts._descent import Candidate, Descent, MeasuredGroups, beats
from shoal.algorithms.cuts._specializations import Cuts, Steps, groups_for, why_not_stepped
from shoal.cost import METRICS
from shoal.errors import InfeasibleError, PartyError, PolicyError
from shoal.joint.two_party.leaves import Leaves
from shoal.joint.two_party.site import Site
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.network.frames import Frame
from shoal.network.peer import Peer

SCORE, SPLIT = 2, 3
_LARGEST = 10**30  # no honest score has a longer numerator or denominator

LEAKS = (
    "Both sites learned, in every step, the best score of the other with the number of its attribute and "
    "value, or that every further step of the other would leave fewer than k rows together.",
    "The first site learned of the other's columns what release and manifest say. Neither site can verify "
    "that the other's scores are true.",
)
"""What the sites learn beyond the release, for the manifest."""

Told = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Specialized:
    """Where the way down ended.

    Parameters
    ----------
    cuts
        Per own column where its released values begin.
    leaves
        The groups of the release.
    nodes
        The recodings that this site examined.
    steps
        How many steps were gone.
    """

    cuts: Cuts
    leaves: Leaves
    nodes: int
    steps: int


class OwnGroups:
    """The groups of own cuts inside the parts that the other site has made.

    Parameters
    ----------
    problem
        The problem with this site's columns alone.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._others = np.zeros(problem.table.rows, np.int64)
        self._count = 1
        self._made = self._measure()

    @property
    def admissible(self) -> bool:
        """Whether no group has fewer than k people."""
        return self._made.admissible

    @property
    def smallest_kept(self) -> int:
        """The people of the smallest group."""
        return self._made.smallest_kept

    def move_to(self, cuts: list[list[int]]) -> None:
        """Measure other cuts of own columns."""
        self._made.move_to([*cuts, list(range(1, self._count))])

    def divide(self, parts: NDArray[np.int64]) -> None:
        """Take over the leaves after a step of the other site; own cuts made some of them, too."""
        self._others, self._count = parts, int(parts.max()) + 1
        self._made = self._measure()

    def _measure(self) -> MeasuredGroups:
        table = self._problem.table
        apart = Domain(name="parts of the other site", kind="number", values=tuple(range(self._count)))
        together = replace(
            table,
            domains=(*table.domains, apart),
            codes=np.ascontiguousarray(np.column_stack([table.codes, self._others]), np.int32),
        )
        return groups_for(replace(self._problem, table=together))


def own_problem(site: Site) -> Problem:
    """The problem with a site's columns alone; `PolicyError` if `tds` cannot solve it."""
    policy = site.policy
    if policy.algorithm != "tds":
        raise PolicyError(
            f'two sites specialize as the algorithm "tds" does, and the policy names {policy.algorithm!r}; '
            'set algorithm = "tds", or choose another protocol'
        )
    if policy.cost == "entropy":
        raise PolicyError(
            'the cost "entropy" needs how often each value occurs at the other site; choose general-loss, '
            "ncp, discernibility or classification"
        )
    problem = Problem(table=site.table, k=policy.k, cost=METRICS[policy.cost](), limit=0)
    reason = why_not_stepped(problem)
    if reason is not None:
        raise PolicyError(f"algorithm 'tds' cannot solve this: {reason}")
    return problem


async def specialize(peer: Peer, site: Site, *, seconds: float, told: Told | None = None) -> Specialized:
    """Go down together until neither site has an allowed step.

    Parameters
    ----------
    peer
        The other site.
    site
        This one.
    seconds
        How long to wait for each answer.
    told
        Called with a sentence about each step.
    """
    problem = own_problem(site)
    groups, watch, leaves = OwnGroups(problem), Watch(), Leaves(len(site.ids))
    descent = Descent(Steps(site.table), site.table.sizes.tolist(), groups, watch, rises=True)
    descent.begin()
    if descent.cuts is None:
        raise InfeasibleError(
            f"there are fewer than k = {problem.k} people", k=problem.k, limit=0, suppressed=len(site.ids)
        )
    step, most = 0, len(site.ids) * len(site.policy.quasi_identifiers)
    while True:
        if step > most:  # every honest step divides a value that somebody has
            raise PartyError(peer.name, "divides values without end")
        best = descent.best()
        await peer.send(SCORE, {"step": step, **_said(best, descent.cuts, site)}, seconds=seconds)
        theirs = _heard(peer.name, await peer.receive(SCORE, seconds=seconds), step, site)
        if best is None and theirs is None:
            return Specialized(descent.cuts, leaves, watch.nodes, step)
        if _wins(best, theirs, site):
            assert best is not None
            await _send_split(peer, site.table, best, leaves, step, problem.k, seconds)
            descent.take(best.step)
            divider = site.columns[best.step.attribute]
        else:
            frame = await peer.receive(SPLIT, seconds=seconds)
            groups.divide(_received_split(peer.name, frame, leaves, step, problem.k))
            divider = f"a column of {peer.name}"
        step += 1
        if told is not None:
            told(f"step {step}: {divider} divided, {len(leaves.sizes):,} groups")


def _said(best: Candidate | None, cuts: Cuts, site: Site) -> dict[str, object]:
    """The best score, exactly, with the numbers of attribute and value; or none."""
    if best is None:
        return {"score": None}
    own = best.step.attribute
    value = sum(cut <= best.step.first for cut in cuts[own])
    score = [str(best.score.numerator), str(best.score.denominator)]
    return {"score": score, "attribute": site.places[own], "value": value}


def _heard(name: str, frame: Frame, step: int, site: Site) -> tuple[Fraction, int] | None:
    """The other site's best score and its attribute."""
    if frame.head.get("step") != step:
        raise PartyError(name, "is in another step")
    score, attribute = frame.head.get("score"), frame.head.get("attribute")
    if score is None:
        return None
    match score, attribute:
        case [[str(above), str(below)], int(place)] if above.isdecimal() and below.isdecimal():
            theirs = 0 <= place < len(site.policy.quasi_identifiers) and place not in site.places
            if theirs and len(above) < 31 and len(below) < 31 and 0 < int(below) <= _LARGEST:
                return Fraction(int(above), int(below)), place
    raise PartyError(name, "sent a score that is none")


def _wins(own: Candidate | None, theirs: tuple[Fraction, int] | None, site: Site) -> bool:
    if own is None or theirs is None:
        return own is not None
    return beats(own.score, site.places[own.step.attribute], *theirs)


async def _send_split(
    peer: Peer, table: FrequencyTable, best: Candidate, leaves: Leaves, step: int, k: int, seconds: float
) -> None:
    taken = best.step
    codes = table.codes[:, taken.attribute]
    chosen = (codes >= taken.first) & (codes < taken.end)
    parts = np.searchsorted(np.array(taken.cuts), codes, side="right").astype(np.int64)
    divided, children = leaves.instruction(parts, chosen)
    await peer.send(SPLIT, {"step": step}, np.array(divided, np.uint32), children, seconds=seconds)
    leaves.split(divided, children, k=k)


def _received_split(name: str, frame: Frame, leaves: Leaves, step: int, k: int) -> NDArray[np.int64]:
    """Divide the leaves as the other site says, and return the leaf of everybody."""
    if frame.head.get("step") != step:
        raise PartyError(name, "is in another step")
    if [(each.dtype.str, each.ndim) for each in frame.arrays] != [("<u4", 1), ("<u4", 1)]:
        raise PartyError(name, "sent an instruction that is none")
    try:
        leaves.split(frame.arrays[0].tolist(), frame.arrays[1], k=k)
    except ValueError as error:
        raise PartyError(name, f"sent {error}") from None
    return leaves.of_person
