"""The search for linkable rows: pose the problem, let each algorithm try, and judge the best answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms import clock
from shoal.algorithms.histories import HistoryAlgorithm
from shoal.cost import CellMetric
from shoal.engines.sql.histories import CountedHistories
from shoal.errors import InternalError, PolicyError
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.groups import groups
from shoal.model.recoding.history_recoding import PlacedTable
from shoal.model.result.choice import PER_COLUMN, ROW_BY_ROW, Choice, Tried
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.pipeline.histories.plan import HistoryPlan
from shoal.pipeline.pose import level_limits, weighted_cost

_FIRST_SHARE = 0.7
"""The share of the seconds for the first of two algorithms."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """The best placement, and the problem of its lines.

    Parameters
    ----------
    placed
        The lines of the table; `None` without an answer.
    problem
        The problem that has the lines as its table.
    result
        The answer, priced by the definitions.
    """

    placed: PlacedTable | None
    problem: Problem
    result: Result


def answer(
    plan: HistoryPlan, counted: CountedHistories, on_progress: ProgressCallback | None = None
) -> Answer:
    """Pose and solve the problem of a plan; `PolicyError` if no algorithm can.

    Parameters
    ----------
    plan, counted
        What to solve, and the histories.
    on_progress
        Called now and then while a search runs.
    """
    tried: list[Answer] = []
    refusals, left, began = [], plan.policy.budget, clock.now()
    for at, algorithm in enumerate(plan.algorithms):
        try:
            problem = _posed(plan, counted, algorithm)
        except PolicyError as refused:  # a cost can need hierarchies, which only some algorithms build
            refusals.append(str(refused))
            continue
        reason = algorithm.supports(problem)
        if reason is not None:
            refusals.append(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
            continue
        last = at == len(plan.algorithms) - 1
        share = _share(left, 1.0 if last or tried else _FIRST_SHARE)
        result = algorithm.solve(
            problem, share, threads=plan.threads, seed=plan.policy.seed, on_progress=on_progress
        )
        left = _rest(plan.policy.budget, left, result, clock.now() - began)
        tried.append(_priced(plan, problem, result, algorithm))
        if result.interrupted or result.status is Status.INFEASIBLE:
            break
    if not tried:
        raise PolicyError(refusals[0])
    found = [each for each in tried if each.result.cost is not None]
    best = min(found, key=lambda each: Fraction(each.result.cost or 0), default=tried[0])
    if plan.policy.algorithm != "auto":
        return best
    return replace(best, result=replace(best.result, choice=_choice(plan, tried)))


def _choice(plan: HistoryPlan, tried: list[Answer]) -> Choice:
    consistent = plan.policy.consistent
    return Choice(
        kind=PER_COLUMN if consistent else ROW_BY_ROW,
        reason="consistent is set" if consistent else "all rows of a person are recoded together",
        tried=tuple(Tried.of(each.result) for each in tried),
    )


def _share(budget: Budget, share: float) -> Budget:
    return replace(budget, seconds=None if budget.seconds is None else share * budget.seconds)


def _rest(whole: Budget, left: Budget, result: HistoryResult, used: float) -> Budget:
    """What is left of a budget after a search: all that was waited for counts as used."""
    return replace(
        left,
        seconds=None if whole.seconds is None else max(0.0, whole.seconds - used),
        nodes=None if left.nodes is None else max(0, left.nodes - result.nodes),
    )


def _posed(plan: HistoryPlan, counted: CountedHistories, algorithm: HistoryAlgorithm) -> HistoryProblem:
    policy, histories = plan.policy, counted.histories
    table = with_hierarchies(
        histories.tables[0], policy.quasi_identifiers, every=algorithm.needs_hierarchies, neighbours=False
    )
    cost = weighted_cost(policy)
    assert isinstance(cost, CellMetric)
    limit = policy.suppression.limit(histories.rows) if policy.suppression.given else None
    levels = level_limits(policy, table)
    problem = HistoryProblem(
        histories=replace(histories, tables=(table,)),
        promise=plan.promise,
        k=policy.k,
        costs=(cost,),
        limit=limit,
        levels=(levels,) if levels else (),
        models=plan.models,
    )
    # Levels, limits, costs and models are checked as for single rows.
    Problem(table=table, k=policy.k, cost=cost, limit=limit, levels=levels, models=plan.models)
    return problem


def _priced(
    plan: HistoryPlan, problem: HistoryProblem, found: HistoryResult, algorithm: HistoryAlgorithm
) -> Answer:
    """The answer with its lines, and the cost that the definitions say."""
    table, metric = problem.histories.tables[0], problem.costs[0]
    result = Result(
        status=found.status,
        algorithm=found.algorithm,
        nodes=found.nodes,
        seconds=found.seconds,
        interrupted=found.interrupted,
        trace=found.trace,
        reason=found.reason,
    )
    own = Problem(table=table, k=plan.policy.k, cost=metric, limit=problem.limit, models=problem.models)
    if found.placement is None:
        return Answer(placed=None, problem=own, result=result)
    placed = PlacedTable.of(problem.histories, found.placement)
    words = algorithm.words(problem)[0]
    levels = found.placement.levels
    recoding = placed.recoding(words, None if levels is None else levels[0])
    own = replace(own, table=placed.table)
    made = groups(placed.table, recoding, own.k, models=own.group_models)
    cost = metric.of_groups(placed.table, recoding, made)
    kept = made.kept[made.of_row]
    _check_kept(problem, found, placed, kept, made.of_row)
    _check_constant(problem, found, placed, kept, recoding.values)
    if found.cost is not None and abs(float(cost) - float(found.cost)) > 1e-6:
        raise InternalError(
            f"{found.algorithm} says its placement costs {float(found.cost)}, and by the definition of "
            f"{metric.name!r} it costs {float(cost)}"
        )
    bound = None if found.bound is None else min(Fraction(found.bound), Fraction(cost))
    status = found.status
    if status is Status.OPTIMAL and bound != cost:
        status = Status.FEASIBLE
    return Answer(
        placed=placed,
        problem=own,
        result=replace(
            result, status=status, recoding=recoding, cost=cost, bound=bound, suppressed=made.suppressed
        ),
    )


def _check_kept(
    problem: HistoryProblem,
    found: HistoryResult,
    placed: PlacedTable,
    kept: NDArray[np.bool_],
    group_of: NDArray[np.int64],
) -> None:
    """Raise `InternalError` unless the rows that the placement keeps are released, and whole units."""
    hidden = placed.place_of < 0
    if kept[hidden].any():
        raise InternalError(f"{found.algorithm}: a suppressed row would be released")
    # Rows of stars are not released either, wherever they are placed.
    stars = np.isin(group_of, group_of[hidden]) if hidden.any() else np.zeros(len(hidden), np.bool_)
    if (~kept & ~stars & ~hidden).any() and problem.models:
        raise InternalError(f"{found.algorithm}: a model refuses rows that the placement keeps")
    if not problem.promise.whole_units:
        return
    histories, released = problem.histories, kept[placed.line_of]
    first = released[histories.first[:-1]]
    if (released != first[histories.history_of]).any():
        raise InternalError(f"{found.algorithm}: a household would be released without some of its members")


def _check_constant(
    problem: HistoryProblem,
    found: HistoryResult,
    placed: PlacedTable,
    kept: NDArray[np.bool_],
    values: NDArray[np.int32],
) -> None:
    """Raise `InternalError` if a column that never changes within a person is released in two ways.

    Whoever links the rows could join what the labels say, and exclude persons.
    """
    histories = problem.histories
    released = np.flatnonzero(kept[placed.line_of])
    own = histories.history_of[released]
    for attribute in histories.unchanging:
        domain = placed.table.domains[attribute]
        labels = values[placed.line_of[released], attribute]
        begins = np.flatnonzero(np.diff(own, prepend=-1))
        if (labels != np.repeat(labels[begins], np.diff(begins, append=len(labels)))).any():
            raise InternalError(f"{found.algorithm}: {domain.name!r} is released in two ways for one person")
