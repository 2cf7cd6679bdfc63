"""Datafly: climb with the attribute of most distinct values until few rows are left to suppress.

Greedy and quick: the release is always k-anonymous and satisfies the privacy models, but how far it is from
the best is not known. The only algorithm here for several sets of quasi-identifiers that others know apart
from each other, and for custom models: it needs nothing but their definitions.

Paper: Sweeney, IJUFKS 10(5), 2002, section 4.1 and Fig. 8. Deviations: docs/algorithms/datafly.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.levels._lattice import LevelAlgorithm, Levels
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS


@dataclass(frozen=True, kw_only=True)
class Datafly(LevelAlgorithm):
    """Levels by a greedy climb.

    Parameters
    ----------
    linking
        Per attribute how likely others link by it, 0 to 1; all 1 when empty.
    tolerance
        Per attribute how much distortion of it can be tolerated, 0 to 1; all 1 when empty.
    """

    name = "datafly"
    description = Description(
        title="Datafly",
        short="Levels by a greedy climb",
        meaning="Lifts the column with the most values until enough rows look alike (Sweeney). Proves "
        "nothing.",
        when="When others know some columns together and some apart.",
    )
    searches = LEVELS
    knows_sets = True
    guarantee = Status.FEASIBLE
    attribute_keys = ("linking", "tolerance")

    linking: tuple[float, ...] = ()
    tolerance: tuple[float, ...] = ()

    @classmethod
    def of(cls, policy: Policy) -> Self:
        for name in cls.attribute_keys:
            if name in policy.options:
                raise PolicyError(f"[search]: {name} belongs to a column; state it in the column's own table")
        attributes = policy.quasi_identifiers
        return cls.with_options(
            {
                **policy.options,
                "linking": [each.linking for each in attributes],
                "tolerance": [each.tolerance for each in attributes],
            }
        )

    def supports(self, problem: Problem) -> str | None:  # the core's limits do not apply to Datafly
        if len(problem.sets) < 2:
            return None
        # What others see on one set are unions of groups.
        apart = [model.name for model in problem.models if not model.unions_are_admitted]
        return f"{apart[0]!r} supports one set of quasi-identifiers; leave out `sets`" if apart else None

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
        recoding, status, interrupted = None, Status.UNKNOWN, False
        try:
            recoding = self.climb(problem, watch)
            nothing = Status.INFEASIBLE if problem.rises else Status.UNKNOWN
            status = nothing if recoding is None else Status.FEASIBLE
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
        groups = None if recoding is None else made_by(problem, recoding)
        return Result(
            status=status,
            algorithm=self.name,
            recoding=recoding,
            cost=None if recoding is None or groups is None else cost_of(problem, recoding, groups),
            suppressed=0 if groups is None else groups.suppressed,
            nodes=watch.nodes,
            seconds=watch.seconds,
            interrupted=interrupted,
        )

    def climb(self, problem: Problem, watch: Watch) -> LevelRecoding | None:
        """The recoding at which the climb ends; `None` if no node on its way to the top is admissible."""
        heights = [domain.hierarchy.height for domain in problem.table.domains]
        levels = tuple(least for least, _ in problem.levels) or (0,) * len(heights)
        high = tuple(greatest for _, greatest in problem.levels) or tuple(heights)
        threshold = problem.k if problem.limit is None else problem.limit
        least: tuple[int, LevelRecoding] | None = None
        while True:
            watch.look()
            recoding = LevelRecoding(levels)
            groups = made_by(problem, recoding)  # step 1: freq
            if groups.suppressed <= threshold:
                completed = complemented(problem, recoding, groups)  # steps 3 and 4
                if completed is not None:
                    return completed
            if admissible(problem, groups) and (least is None or groups.suppressed <= least[0]):
                least = groups.suppressed, recoding
            attribute = self.chosen(groups, levels, high)  # step 2.1
            if attribute is None:
                # Nothing is left to climb. What the policy allows is released; step 4 gives way to its limit.
                # By k alone that is the top, if anything: it suppresses least. Models may refuse more there.
                return None if least is None else least[1]
            levels = (*levels[:attribute], levels[attribute] + 1, *levels[attribute + 1 :])  # step 2.2

    def chosen(self, groups: Groups, levels: Levels, high: Levels) -> int | None:
        """The attribute to generalize: of most distinct values, weighted; among equals the first."""
        best: tuple[Fraction, int] | None = None
        choice = None
        for attribute, (level, greatest) in enumerate(zip(levels, high, strict=True)):
            distinct = len(np.unique(groups.values[:, attribute]))
            if level == greatest or distinct == 1:  # a single value has nothing left to join
                continue
            score = (
                distinct * _weight(self.linking, attribute) * _weight(self.tolerance, attribute),
                distinct,
            )
            if best is None or score > best:
                best, choice = score, attribute
        return choice


def complemented(problem: Problem, recoding: LevelRecoding, groups: Groups) -> LevelRecoding | None:
    """The recoding with further groups suppressed until at least k rows are suppressed, or none.

    `None` where that would suppress more than the policy allows, or everything.
    """
    while 0 < groups.suppressed < problem.k:
        kept = np.flatnonzero(groups.kept)
        if not len(kept):
            return None
        smallest = kept[np.argmin(groups.sizes[kept])]  # groups are sorted, so ties do not depend on the rows
        also = (*recoding.also_suppressed, tuple(groups.values[smallest].tolist()))
        recoding = LevelRecoding(recoding.levels, also)
        groups = made_by(problem, recoding)
    return recoding if groups.kept.any() and admissible(problem, groups) else None


def _weight(weights: tuple[float, ...], attribute: int) -> Fraction:
    return Fraction(str(weights[attribute])) if weights else Fraction(1)


__all__ = ["Datafly"]
