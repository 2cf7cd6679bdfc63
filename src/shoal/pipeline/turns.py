"""Searches that take turns: one budget for all of them, one line of progress, one account of their work."""

from __future__ import annotations

from dataclasses import replace

from shoal.algorithms import clock
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.choice import Tried
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.pipeline.hardening.harden import afterwards
from shoal.pipeline.plan import Plan
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import solve
from shoal.pipeline.stall import Stall

_NEARLY = 0.95
"""Searches may end a little before the time that they are given."""


class Turns:
    """Runs searches one after the other.

    Parameters
    ----------
    budget
        For all of them together.
    on_progress
        Called with the best cost of all so far, and the bound of the search that runs.
    """

    def __init__(self, budget: Budget, on_progress: ProgressCallback | None) -> None:
        self._budget, self._on_progress = budget, on_progress
        self._started = clock.now()
        self._best: float | None = None
        self.nodes = 0
        self.clocked = False
        """Whether a clock ended one of them."""
        self.tried: tuple[Tried, ...] = ()

    @property
    def seconds(self) -> float:
        """Wall time since the first began."""
        return clock.now() - self._started

    def take(
        self,
        plan: Plan,
        problem: Problem,
        *,
        share: float = 1.0,
        start: Recoding | None = None,
        rows: DistributedRows | None = None,
        may_stall: bool = False,
    ) -> Solution:
        """Run a search.

        Parameters
        ----------
        plan, problem
            The search, and what it solves.
        share
            Its share of what is left of the budget.
        start
            A recoding to begin with, if the search can use one.
        rows
            The distinct rows, where an engine keeps them and its workers search.
        may_stall
            Whether to end it when it gains nothing more.
        """
        kept = afterwards(plan, problem, self._budget.seconds)
        budget, before, nodes = self._left(share, kept), self.seconds, self.nodes
        shown = self._shown(before, nodes)
        stall = Stall(budget, shown) if may_stall else None
        watch = shown if stall is None else stall
        found = solve(plan, problem, budget=budget, rows=rows, start=lambda _: start, on_progress=watch)
        result, stalled = found.result, stall is not None and stall.ended
        if stalled:
            result = replace(result, interrupted=False)
        self._note(result, budget, stalled=stalled)
        moments = (_later(each, before, nodes) for each in result.trace)
        return replace(found, result=replace(result, trace=tuple(moments)))

    def _note(self, result: Result, budget: Budget, *, stalled: bool) -> None:
        self.nodes += result.nodes
        self.tried = (*self.tried, Tried.of(result))
        if result.cost is not None:
            self._best = min(float(result.cost), float("inf") if self._best is None else self._best)
        used_up = budget.seconds is not None and result.seconds >= _NEARLY * budget.seconds
        proved = result.status in (Status.OPTIMAL, Status.MINIMAL, Status.INFEASIBLE)
        self.clocked |= stalled or (used_up and not proved)

    def _left(self, share: float, kept: float) -> Budget:
        """What a search may use: its share of what is left, some seconds being kept for what follows."""
        budget, used = self._budget, self.seconds + kept
        return replace(
            budget,
            seconds=None if budget.seconds is None else max(0.0, share * (budget.seconds - used)),
            nodes=None if budget.nodes is None else max(0, int(share * (budget.nodes - self.nodes))),
        )

    def _shown(self, seconds: float, nodes: int) -> ProgressCallback | None:
        """Progress that goes on where the searches before ended."""
        shown = self._on_progress
        if shown is None:
            return None

        def show(progress: Progress) -> None:
            known = [each for each in (progress.cost, self._best) if each is not None]
            moment = _later(progress, seconds, nodes)
            shown(replace(moment, cost=min(known) if known else None))

        return show


def _later(moment: Progress, seconds: float, nodes: int) -> Progress:
    return replace(moment, seconds=moment.seconds + seconds, nodes=moment.nodes + nodes)
