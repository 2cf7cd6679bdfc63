"""Searches for tests: one that looks at every recoding by cuts, and one that takes what it is given."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import pytest

from shoal.algorithms import ALGORITHMS, Algorithm
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.recoding import CutRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import CUTS


class Plain(Algorithm):
    """All recodings by cuts, judged by the definitions alone."""

    name = "plain"
    guarantee = Status.OPTIMAL
    searches = CUTS

    def solve(self, problem: Problem, budget: Budget, **_: Any) -> Result:
        best = None
        for recoding in recodings(problem):
            made = groups(problem.table, recoding, problem.k, (), problem.group_models)
            if not made.kept.any() or not problem.admits(made.sizes[made.kept].tolist(), made.suppressed):
                continue
            cost = problem.cost.of(problem.table, recoding, problem.k, problem.group_models)
            if best is None or (cost, recoding) < best[:2]:
                best = (cost, recoding, made.suppressed)
        if best is None:
            return Result(status=Status.INFEASIBLE, algorithm=self.name)
        return Result(
            status=Status.OPTIMAL,
            algorithm=self.name,
            recoding=best[1],
            cost=best[0],
            bound=best[0],
            suppressed=best[2],
        )


class Given(Algorithm):
    """The recoding that a test asks for."""

    name = "given"
    guarantee = Status.FEASIBLE
    searches = CUTS
    recoding: ClassVar[Recoding]

    def solve(self, problem: Problem, budget: Budget, **_: Any) -> Result:
        made = groups(problem.table, self.recoding, problem.k, (), problem.group_models)
        cost = problem.cost.of(problem.table, self.recoding, problem.k, problem.group_models)
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.name,
            recoding=self.recoding,
            cost=cost,
            suppressed=made.suppressed,
        )


def recodings(problem: Problem) -> list[CutRecoding]:
    """Every set of cuts."""
    per_attribute = [
        [cuts for size in range(len(domain)) for cuts in itertools.combinations(range(1, len(domain)), size)]
        for domain in problem.table.domains
    ]
    return [CutRecoding(cuts) for cuts in itertools.product(*per_attribute)]


def make_known(monkeypatch: pytest.MonkeyPatch, name: str, search: type[Algorithm]) -> None:
    """Let policies name a search of the tests, as if it were one of Shoal's own."""
    monkeypatch.setattr(ALGORITHMS, "_built_in", {**ALGORITHMS.built_in, name: search})
    monkeypatch.setattr(ALGORITHMS, "_loaded", {})
