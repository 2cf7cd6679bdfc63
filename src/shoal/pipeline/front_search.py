"""Finds the front of several objectives: counts the rows, states the problem, weighs its recodings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.algorithms import ALGORITHMS, DEFAULT, DEFAULT_OF_LEVELS, costs_of_cuts
from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts.front_of_cuts import front_of_cuts
from shoal.algorithms.levels._profiles import Measurer
from shoal.algorithms.levels.front_of_levels import FrontAnswer, front_of_levels
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Role
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import UNLIMITED
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Status
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import Loss, Number, Objective, group_sizes, non_dominated, objectives_of
from shoal.pipeline.front import Front, FrontPoint, numbered
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import climbable, count, problem_of


def front_of(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    request: FrontRequest,
    objectives: Sequence[str | Objective],
    on_progress: ProgressCallback | None,
) -> Front:
    """The recodings of a table none of which is better than another in every objective.

    Parameters
    ----------
    engine, source
        The table.
    policy, request
        What is requested of every release, and of the front.
    objectives
        What to weigh, by name or as objectives.
    on_progress
        Called now and then while the search runs.
    """
    _check_policy(policy)
    weighed = _objectives(policy, objectives)
    plan = _plan(replace(policy, cost=_cost(weighed)), request, weighed)
    table = climbable(plan, count(engine, engine.open(source), plan).frequencies)
    for objective in weighed:
        objective.check(table)
    search = _over_levels if request.recoding == "levels" else _over_cuts
    return search(source, plan, request, weighed, table, on_progress)


def _check_policy(policy: Policy) -> None:
    """Refuse what a front would ignore: its releases would seem to respect it."""
    ignored = [name for name in ("models", "sets") if getattr(policy, name)]
    if ignored:
        raise PolicyError(
            f"a front weighs objectives and ignores {', '.join(ignored)}; leave that out, and name "
            'what it demands as an objective, as in objectives = ["k", "l", "general-loss"]'
        )
    for what in ("entity", "survey_weight", "population"):
        if getattr(policy, what) is not None:
            raise PolicyError(
                f"a front counts rows, so it cannot support {what}: its k would not be the release's; leave "
                "it out, or choose k yourself and use shoal anonymize"
            )


def _objectives(policy: Policy, named: Sequence[str | Objective]) -> tuple[Objective, ...]:
    names = [each.name for each in policy.attributes if each.role is Role.SENSITIVE]
    weights = [Fraction(str(each.weight)) for each in policy.quasi_identifiers]
    objectives = objectives_of(named, names, weights)
    for objective in objectives:
        for column in objective.columns:
            if column not in names:
                raise PolicyError(f"{column!r} is not a sensitive column; give it the role 'sensitive'")
    return objectives


def _cost(objectives: Sequence[Objective]) -> str:
    """The cost that a release of a point is reported with: the first loss among the objectives."""
    return next((each.name for each in objectives if isinstance(each, Loss)), "general-loss")


def _plan(policy: Policy, request: FrontRequest, objectives: Sequence[Objective]) -> Plan:
    """A plan that counts what the objectives measure, as for a model: the audit of a point must agree."""
    needed = {column for each in objectives for column in each.columns}
    sensitive = tuple(each for each in policy.attributes if each.name in needed)
    search = ALGORITHMS[DEFAULT_OF_LEVELS if request.recoding == "levels" else DEFAULT]
    return Plan(policy=policy, algorithm=search(), evidence=Evidence(sensitive=sensitive))


def _over_levels(
    source: Any,
    plan: Plan,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    policy = plan.policy
    if policy.suppression.stated == UNLIMITED:
        raise PolicyError(
            'a front over levels suppresses what the limit allows, so it needs one: say suppression = "1%", '
            "or 0 for none"
        )
    problem = problem_of(policy, table)
    reason = plan.algorithm.supports(problem)
    if reason is not None:
        raise PolicyError(f"a front over levels cannot be made here: {reason}")
    measurer = Measurer(table, objectives, problem.most_suppressed, problem.levels)
    answer = front_of_levels(
        measurer,
        Watch(policy.budget, on_progress),
        algorithm=request.algorithm,
        epsilons=request.epsilons,
        pbg_ea=_pbg_ea(request.options),
        threads=plan.threads,
        seed=policy.seed,
    )
    return Front(
        points=numbered(_points(answer, objectives), objectives),
        objectives=objectives,
        algorithm=answer.algorithm,
        exact=answer.exact,
        evaluated=answer.evaluated,
        lattice=answer.lattice,
        seconds=answer.seconds,
        interrupted=answer.interrupted,
        source=source,
        policy=policy,
        table=table,
    )


def _pbg_ea(options: Mapping[str, Any]) -> PbgEa:
    known = ("population", "iterations", "crossover", "mutation", "fresh")
    for name in options:
        if name not in known:
            raise PolicyError(f"PBG-EA has no option {name!r}.{suggestion(name, known)}")
    return PbgEa(**{"fresh": True, **options})


def _points(answer: FrontAnswer, objectives: Sequence[Objective]) -> list[FrontPoint]:
    return [
        FrontPoint(
            number=0,
            values={each.name: value for each, value in zip(objectives, point.node.values, strict=True)},
            k=point.node.k,
            groups=point.node.groups,
            suppressed=point.node.suppressed,
            recoding=LevelRecoding(point.node.levels),
            alternatives=tuple(LevelRecoding(levels) for levels in point.alternatives),
        )
        for point in answer.nodes
    ]


def _over_cuts(
    source: Any,
    plan: Plan,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    policy = plan.policy
    costs = [each for each in objectives if isinstance(each, Loss)]
    if len(objectives) != 2 or objectives[0] != group_sizes() or not costs:
        raise PolicyError(
            'a front over cuts is of k and one cost, as in objectives = ["k", "general-loss"]; others '
            "are weighed over levels"
        )
    cost = costs[0].name
    if cost not in costs_of_cuts():
        raise PolicyError(f"over cuts the cost is one of {', '.join(costs_of_cuts())}; it is {cost!r}")
    if request.algorithm == "pbg-ea" or request.epsilons is not None:
        raise PolicyError(
            "PBG-EA and epsilons are for fronts over levels; over cuts each k is solved exactly"
        )
    problem = replace(problem_of(policy, table), k=1)
    points = front_of_cuts(
        problem,
        request.ks,
        policy.budget,
        threads=plan.threads,
        seed=policy.seed,
        on_progress=on_progress,
    )
    front_points = []
    for point in points:
        result = point.result
        assert result.recoding is not None
        assert result.cost is not None
        released = groups(table, result.recoding, point.k)
        front_points.append(
            FrontPoint(
                number=0,
                values={"k": point.k, cost: result.cost},
                k=point.k,
                groups=int(released.kept.sum()),
                suppressed=result.suppressed,
                recoding=result.recoding,
                status=result.status,
                bound=result.bound,
            )
        )
    best = non_dominated(
        [np.array([each.k for each in front_points]), _ranks([-each.values[cost] for each in front_points])]
    )
    results = [point.result for point in points]
    return Front(
        points=numbered([front_points[place] for place in best.tolist()], objectives),
        objectives=objectives,
        algorithm="exact",
        exact=len(points) == len(set(request.ks)) and all(each.status is Status.OPTIMAL for each in results),
        evaluated=sum(each.nodes for each in results),
        lattice=0,
        seconds=sum(each.seconds for each in results),
        interrupted=any(each.interrupted for each in results),
        source=source,
        policy=policy,
        table=table,
    )


def _ranks(values: Sequence[Number]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers in the order of the values, which are exact and need not fit a float."""
    ordered = sorted(set(values))
    return np.array([ordered.index(value) for value in values], np.int64)
