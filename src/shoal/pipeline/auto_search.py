"""The answer to a counted table: by the algorithm that the policy names, or by those that `auto` chooses.

Every algorithm gets the problem posed for it, with the hierarchies that it climbs. The first kind of release
that some algorithm supports is made; one recoding per column is searched for by all that can, each with its
share of the time, and the least loss counts. An answer claims what its own search proved, about its own kind
of recodings.

The rule and the bounds: docs/algorithms/auto.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms import Algorithm, RecodingModel
from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.cuts.hill_climb import HillClimb
from shoal.algorithms.rows.local import Local
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.engines._base import Counted
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding
from shoal.model.result.choice import OTHER, PER_COLUMN, ROW_BY_ROW, Choice
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.remote_table import RemoteTable
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import pose
from shoal.pipeline.solution import Solution
from shoal.pipeline.turns import Turns

MOST_BY_LOCAL = 500_000
"""Distinct rows up to which `local` is done in half a minute; of more, `mondrian` makes better groups."""


def answer(
    plan: Plan,
    counted: Counted,
    *,
    budget: Budget | None = None,
    on_progress: ProgressCallback | None = None,
) -> Solution:
    """Pose and solve the problem of a plan; `PolicyError` if nothing can.

    Parameters
    ----------
    plan, counted
        What to solve, and the table as it was counted.
    budget
        Another budget than the policy's.
    on_progress
        Called now and then while a search runs.
    """
    budget = plan.policy.budget if budget is None else budget
    turns = Turns(budget, on_progress)
    if plan.candidates is None:
        return turns.take(plan, pose(plan, counted.frequencies), rows=counted.distributed)
    return _Auto(plan, counted, turns).solution()


@dataclass(frozen=True)
class _Able:
    """An algorithm that supports the problem, posed as it wants it."""

    plan: Plan
    problem: Problem


class _Auto:
    """One automatic choice."""

    def __init__(self, plan: Plan, counted: Counted, turns: Turns) -> None:
        assert plan.candidates is not None
        self._plan, self._counted, self._candidates = plan, counted, plan.candidates
        self._turns = turns
        self._errors: dict[str, PolicyError] = {}
        self._refusals: dict[str, str] = {}

    def solution(self) -> Solution:
        """The answer of the first kind that has one."""
        if self._counted.distributed is not None:
            return self._where_the_rows_are()
        unfound: list[Solution] = []
        candidates = self._candidates
        for algorithms in filter(None, (candidates.rows, candidates.columns, candidates.others)):
            if algorithms is candidates.others and unfound:
                break  # the usual searches can solve it, and did not find anything
            able = self._able(algorithms)
            answers = self._best(able) if algorithms is candidates.columns else self._first(able)
            for found in answers:
                if found.result.recoding is not None or found.result.interrupted:
                    return self._chosen(found, usual=candidates.every[0] in algorithms)
            unfound += answers
        if unfound:
            return self._chosen(min(unfound, key=_settled))
        raise next(iter(self._errors.values()))

    def _able(self, algorithms: Sequence[Algorithm]) -> list[_Able]:
        """The algorithms that support the problem."""
        found = []
        for algorithm in algorithms:
            plan = replace(self._plan, algorithm=algorithm, candidates=None)
            try:
                problem = pose(plan, self._counted.frequencies)
            except PolicyError as error:
                self._errors.setdefault(algorithm.name, error)
                continue
            reason = self._why_not(algorithm, problem)
            if reason is None:
                found.append(_Able(plan, problem))
                continue
            words = f"algorithm {algorithm.name!r} cannot solve this: {reason}"
            self._errors.setdefault(algorithm.name, PolicyError(words))
            self._refusals.setdefault(algorithm.name, reason.partition("; ")[0])
        return found

    def _why_not(self, algorithm: Algorithm, problem: Problem) -> str | None:
        table = self._counted.frequencies
        if isinstance(table, RemoteTable) and not algorithm.looks_at_nodes:
            return "the table has more distinct rows than the memory of a search can hold"
        return why_too_large(algorithm, table) or algorithm.supports(problem)

    def _first(self, able: Sequence[_Able]) -> list[Solution]:
        """The answer of the first search that finds something; otherwise those of all."""
        answers = []
        for each in able:
            found = self._turns.take(each.plan, each.problem)
            if found.result.recoding is not None or found.result.interrupted:
                return [found]
            answers.append(found)
        return answers

    def _best(self, able: Sequence[_Able]) -> list[Solution]:
        """The answers of searches over columns, the best first.

        Of equal costs a proved one is better, then one by labels that readers know.
        """
        answers: list[Solution] = []
        if self._plan.policy.budget.nodes is not None and len(able) > 1:
            # A node of exact is worth thousands of hill-climb's, so they cannot share a limit.
            able = [each for each in able if not isinstance(each.plan.algorithm, HillClimb)]
        for at, each in enumerate(able):
            algorithm = each.plan.algorithm
            exact = next((known for known in answers if known.result.algorithm == Exact.name), None)
            if isinstance(algorithm, HillClimb) and exact and exact.result.status is Status.OPTIMAL:
                continue  # no cuts are better
            start = _cuts(answers) if isinstance(algorithm, Exact | HillClimb) else None
            share = 1 / (len(able) - at)
            found = self._turns.take(each.plan, each.problem, share=share, start=start, may_stall=True)
            if isinstance(algorithm, HillClimb) and exact:
                # Both are cuts of the same orders, so the bound of one search holds for the other's answer.
                found = replace(found, result=replace(found.result, bound=exact.result.bound))
            answers.append(found)
            answers.sort(key=_rank)
            if found.result.interrupted:
                best = answers[0]
                return [replace(best, result=replace(best.result, interrupted=True))]
        return answers

    def _where_the_rows_are(self) -> Solution:
        """Mondrian on the engine's workers."""
        given = (each for each in self._candidates.every if each.is_distributed)
        plan = replace(self._plan, algorithm=next(given, Mondrian(distributed=True)), candidates=None)
        problem = pose(plan, self._counted.frequencies)
        return self._chosen(self._turns.take(plan, problem, rows=self._counted.distributed))

    def _chosen(self, found: Solution, *, usual: bool = True) -> Solution:
        """The solution with what was chosen, and the work of all searches.

        Parameters
        ----------
        found
            The solution.
        usual
            Whether it is of the kind that comes first.
        """
        turns, first = self._turns, kind_of(self._candidates.every[0])
        reason = self._candidates.reason if usual else f"{first} is not possible"
        choice = Choice(
            kind=kind_of(found.row_plan.algorithm),
            reason="; ".join((reason, *(f"{name}: {why}" for name, why in self._refusals.items()))),
            tried=turns.tried,
            clocked=turns.clocked,
        )
        return replace(
            found, result=replace(found.result, choice=choice, nodes=turns.nodes, seconds=turns.seconds)
        )


def kind_of(algorithm: Algorithm) -> str:
    """The kind of release that an algorithm makes."""
    if RecodingModel.AG_ in algorithm.recoding_models and algorithm.is_consistent:
        return PER_COLUMN
    return ROW_BY_ROW if RecodingModel.CG_ in algorithm.recoding_models else OTHER


def why_too_large(algorithm: Algorithm, table: FrequencyTable) -> str | None:
    """Why an algorithm had better not search a table of this size; `None` if it may."""
    if isinstance(algorithm, Local) and len(table.counts) > MOST_BY_LOCAL:
        return f"the table has {len(table.counts):,} distinct rows, more than {MOST_BY_LOCAL:,}"
    return None


def _rank(found: Solution) -> tuple[bool, object, bool]:
    """Sorts the best first; ties keep their order."""
    result = found.result
    return (result.cost is None, result.cost or 0, result.status is not Status.OPTIMAL)


def _settled(found: Solution) -> int:
    """Sorts first what settles the question for all kinds, then what leaves it open.

    Where generalizing keeps what is admissible, the coarsest recoding, which every kind has, decides for all.
    """
    if found.result.status is Status.UNKNOWN:
        return 1
    return 0 if found.problem.rises else 2


def _cuts(answers: Sequence[Solution]) -> CutRecoding | None:
    """The best answer so far as cuts, for `exact` to begin with.

    Labels whose values are no neighbours give finer cuts; those that are not admissible are ignored.
    """
    recoding = answers[0].result.recoding if answers else None
    if not isinstance(recoding, DomainRecoding):
        return None
    domains = answers[0].problem.table.domains
    return CutRecoding(
        tuple(
            tuple((np.flatnonzero(np.diff(recoding.parts(at, domain))) + 1).tolist())
            for at, domain in enumerate(domains)
        )
    )
