"""Algorithms that do not search: they return what two sites agreed on, to be priced and audited as ever."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms._definitions import cost_of, made_by
from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts._specializations import Cuts, stepped
from shoal.algorithms.cuts.tds import Tds
from shoal.algorithms.levels.datafly import Datafly
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status


@dataclass(frozen=True, kw_only=True)
class AgreedCuts(Tds):
    """The cuts at which top-down specialization of two sites ended.

    Parameters
    ----------
    cuts
        Per quasi-identifier of the policy where its released values begin.
    nodes
        The recodings that the writing site examined.
    """

    cuts: Cuts = ()
    nodes: int = 0

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch = Watch(budget, on_progress)
        watch.nodes = self.nodes
        return stepped(problem, self.name, Status.MINIMAL, self.cuts, watch, interrupted=False)


@dataclass(frozen=True, kw_only=True)
class AgreedLevels(Datafly):
    """The levels at which two sites that went up by Datafly's rule were k-anonymous together.

    Parameters
    ----------
    levels
        Per quasi-identifier of the policy its level.
    rounds
        How many rounds it took.
    """

    levels: tuple[int, ...] = ()
    rounds: int = 0

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch = Watch(budget, on_progress)
        recoding = LevelRecoding(self.levels)
        groups = made_by(problem, recoding)
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=cost_of(problem, recoding, groups),
            suppressed=groups.suppressed,
            nodes=self.rounds,
            seconds=watch.seconds,
        )
