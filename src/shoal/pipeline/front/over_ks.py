"""Fronts of k against one cost, over rows or cuts: a search for each of some values of k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.algorithms import costs_of_cuts
from shoal.algorithms.front_of_ks import KPoint, front_of_ks
from shoal.errors import PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.front_request import FrontRequest
from shoal.model.recoding.groups import groups
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import Loss, Number, Objective, group_sizes, non_dominated
from shoal.pipeline.auto_search import why_too_large
from shoal.pipeline.front.front import Front
from shoal.pipeline.front.point import FrontPoint, numbered
from shoal.pipeline.front.suggestion import demanded_k
from shoal.pipeline.hardening.attackable import is_row_by_row
from shoal.pipeline.hardening.harden import harden
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import climbable, problem_of


def weighs_k_and_one_cost(objectives: Sequence[Objective]) -> bool:
    """Whether the objectives are k and one cost."""
    return len(objectives) == 2 and objectives[0] == group_sizes() and isinstance(objectives[1], Loss)


def check_objectives(request: FrontRequest, objectives: Sequence[Objective]) -> None:
    """Raise `PolicyError` for what is weighed over levels alone."""
    over = request.recoding
    if not weighs_k_and_one_cost(objectives):
        raise PolicyError(
            f'a front over {over} is of k and one cost, as in objectives = ["k", "general-loss"]; others '
            "are weighed over levels"
        )
    cost = objectives[1].name
    if over == "cuts" and cost not in costs_of_cuts():
        raise PolicyError(f"over cuts the cost is one of {', '.join(costs_of_cuts())}; it is {cost!r}")
    if request.algorithm == "pbg-ea" or request.epsilons is not None:
        raise PolicyError(
            f"PBG-EA and epsilons are for fronts over levels; over {over} each k is solved by itself"
        )


def able(plans: Sequence[Plan], counted: FrequencyTable) -> tuple[Plan, FrequencyTable]:
    """The first plan whose search supports the problem, and the table that it searches.

    Parameters
    ----------
    plans
        The best first.
    counted
        What was counted.
    """
    refusals = []
    for plan in plans:
        table = climbable(plan, counted)
        reason = why_too_large(plan.algorithm, table) or plan.algorithm.supports(
            problem_of(plan.policy, table)
        )
        if reason is None:
            return plan, table
        refusals.append(f"algorithm {plan.algorithm.name!r} cannot solve this: {reason}")
    raise PolicyError(refusals[0])


def over_ks(
    source: Any,
    plan: Plan,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    """The front over rows or cuts.

    Parameters
    ----------
    source, plan, table
        The table, how it is searched, and what was counted.
    request, objectives
        What to weigh, and for which k.
    on_progress
        Called now and then while the search runs.
    """
    policy = plan.policy

    def problem(k: int) -> Problem:
        return problem_of(replace(policy, k=k), table)

    ks = request.ks_for(table.rows, policy.k)
    answer = front_of_ks(
        plan.algorithm,
        problem,
        ks,
        policy.budget,
        favoured=_favoured(ks, demanded_k(request.risk, policy.k)),
        threads=plan.threads,
        seed=policy.seed,
        on_progress=on_progress,
    )
    points, interrupted = [_point(problem(each.k), each) for each in answer.points], answer.interrupted
    if policy.harden:
        hardened = _hardened(points, problem)
        points, interrupted = hardened, interrupted or len(hardened) < len(points)
    if request.recoding == "rows" and not problem(1).release_models:
        points = _with_best_bounds(points, objectives[1].name)
    return Front(
        points=numbered(_best(points, objectives), objectives),
        objectives=objectives,
        recoding=request.recoding,
        risk=request.risk,
        algorithm=plan.algorithm.name,
        exact=answer.exact,
        evaluated=answer.nodes,
        lattice=0,
        seconds=answer.seconds,
        by_clock=answer.by_clock,
        interrupted=interrupted,
        source=source,
        policy=policy,
        table=table,
    )


def _point(problem: Problem, found: KPoint) -> FrontPoint:
    result = found.result
    assert result.cost is not None
    made = groups(problem.table, found.recoding, problem.k, models=problem.group_models)
    return FrontPoint(
        number=0,
        values={"k": found.k, problem.cost.name: result.cost},
        k=found.k,
        groups=int(made.kept.sum()),
        suppressed=result.suppressed,
        recoding=found.recoding,
        status=result.status,
        bound=result.bound,
    )


def _favoured(ks: Sequence[int], demanded: int) -> int | None:
    """The k that will be suggested, if it is not beaten by a larger one."""
    return min((k for k in ks if k >= demanded), default=None)


def _hardened(points: Sequence[FrontPoint], problem: Callable[[int], Problem]) -> list[FrontPoint]:
    """The points as a policy that says harden releases them, until Ctrl-C: coarser than they were found."""
    done: list[FrontPoint] = []
    try:
        for point in points:
            by_row = is_row_by_row(point.recoding)
            done.append(_coarser(problem(point.k), point) if by_row else point)
    except KeyboardInterrupt:
        pass
    return done


def _coarser(problem: Problem, point: FrontPoint) -> FrontPoint:
    found = Result(
        status=point.status,
        algorithm="front",
        recoding=point.recoding,
        cost=point.values[problem.cost.name],  # type: ignore[arg-type]
        bound=point.bound,
        suppressed=point.suppressed,
    )
    done = harden(problem, found).result
    if done.interrupted:
        raise KeyboardInterrupt
    assert done.recoding is not None
    assert done.cost is not None
    made = groups(problem.table, done.recoding, problem.k, models=problem.group_models)
    return replace(
        point,
        values={**point.values, problem.cost.name: done.cost},
        groups=int(made.kept.sum()),
        suppressed=done.suppressed,
        recoding=done.recoding,
        searched=point.recoding,
        status=done.status,
    )


def _with_best_bounds(points: Sequence[FrontPoint], cost: str) -> list[FrontPoint]:
    """The points, each with the greatest bound that is known of it or of a smaller k.

    What is released for k is also admissible for a smaller one, and costs no more there; so a bound for the
    smaller k is one for k. A limit on the average risk could refuse it, and is not asked for here.
    """
    rising = sorted(points, key=lambda point: point.k)
    bound: Cost | None = None
    raised = []
    for point in rising:
        known = [each for each in (bound, point.bound) if each is not None]
        bound = max(known, default=None)
        proved = bound is not None and bound >= point.values[cost]
        raised.append(replace(point, bound=bound, status=Status.OPTIMAL if proved else point.status))
    return raised


def _best(points: Sequence[FrontPoint], objectives: Sequence[Objective]) -> list[FrontPoint]:
    """The points that no other beats: a larger k that costs no more is also a release for a smaller one."""
    costs = _ranks([-each.values[objectives[1].name] for each in points])
    places = non_dominated([np.array([each.k for each in points], np.int64), costs])
    return [points[place] for place in places.tolist()]


def _ranks(values: Sequence[Number]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers in the order of the values, which are exact and need not fit a float."""
    ordered = sorted(set(values))
    return np.array([ordered.index(value) for value in values], np.int64)
