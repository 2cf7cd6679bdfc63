"""The answer of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from shoal.model.policy.budget import Progress
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.choice import Choice, Tried

Cost = int | Fraction


class Status(StrEnum):
    """How much a result promises."""

    OPTIMAL = "optimal"  # the search space is exhausted under proved bounds
    MINIMAL = "minimal"  # no more specific recoding is admissible; costs were not compared
    FEASIBLE = "feasible"  # admissible; the gap shows how far from the best it may be
    INFEASIBLE = "infeasible"  # proved: no recoding is admissible
    UNKNOWN = "unknown"  # the budget ended before an admissible recoding was found


@dataclass(frozen=True, kw_only=True)
class Result:
    """The answer of an algorithm.

    Parameters
    ----------
    status
        How much the result promises.
    algorithm
        Name of the algorithm that gave it.
    recoding
        The recoding; `None` when INFEASIBLE or UNKNOWN.
    alternatives
        All recodings that are as good by the algorithm's own measure, if it reports them; for searches that
        visit all minimal recodings, those, and the chosen one may generalize one of them.
    cost, bound
        Exact numbers in the metric's reported unit; no admissible recoding costs less than `bound`.
    suppressed
        Rows that the recoding leaves in groups smaller than k.
    nodes, seconds
        Work done.
    interrupted
        Whether Ctrl-C ended the search.
    trace
        Moments at which the incumbent or the bound changed.
    reason
        Why nothing is admissible, and what to try, if the algorithm knows more than the problem shows.
    choice
        What `auto` chose, and why; `None` where the policy names the algorithm.
    axis
        The number of the attribute that a search over cuts solved apart from its tree, if it did so.
    beside
        Answers to the same problem that the algorithm had from others on its way: nobody need search again.
    """

    status: Status
    algorithm: str
    recoding: Recoding | None = None
    alternatives: tuple[Recoding, ...] = field(default=(), repr=False)
    cost: Cost | None = None
    bound: Cost | None = None
    suppressed: int = 0
    nodes: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    trace: tuple[Progress, ...] = field(default=(), repr=False)
    reason: str = field(default="", repr=False)
    choice: Choice | None = field(default=None, repr=False)
    axis: int | None = field(default=None, repr=False)
    beside: tuple[Tried, ...] = field(default=(), repr=False)

    @property
    def end(self) -> Progress:
        """The last moment of the search; a trace may lack the moment when the proof was complete."""
        cost, bound = (None if each is None else float(each) for each in (self.cost, self.bound))
        return Progress(cost=cost, bound=bound, nodes=self.nodes, seconds=self.seconds)

    @property
    def gap(self) -> float | None:
        """(cost - bound) / cost: 0 when optimal, `None` when nothing was proved."""
        if self.cost is None or self.bound is None:
            return None
        return 0.0 if self.cost <= self.bound else float(Fraction(self.cost - self.bound) / self.cost)
