"""Fronts over levels: every node of the lattice is measured, or some of them by PBG-EA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.algorithms import Algorithm
from shoal.algorithms._watch import Watch
from shoal.algorithms.levels._profiles import Measurer
from shoal.algorithms.levels.front_of_levels import FrontAnswer, front_of_levels
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import UNLIMITED
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import Objective
from shoal.pipeline.front.front import Front
from shoal.pipeline.front.point import FrontPoint, numbered
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import problem_of


def check_levels(policy: Policy) -> None:
    """Refuse what a front over levels would ignore: its releases would seem to respect it."""
    ignored = [name for name in ("models", "sets") if getattr(policy, name)]
    if ignored:
        raise PolicyError(
            f"a front over levels weighs objectives and ignores {', '.join(ignored)}; say "
            'recoding = "rows" under [front] (k and one cost, and every point meets the models), or leave '
            'that out and name what it demands as an objective, as in objectives = ["k", "l", "general-loss"]'
        )
    for what in ("entity", "survey_weight", "population"):
        if getattr(policy, what) is not None:
            raise PolicyError(
                f"a front over levels counts rows, so it cannot support {what}: its k would not be the "
                'release\'s; say recoding = "rows" under [front] (k and one cost), leave it out, or choose k '
                "yourself and use shoal anonymize"
            )


def plan_of_levels(policy: Policy, search: Algorithm, objectives: Sequence[Objective]) -> Plan:
    """A plan that counts what the objectives measure, as for a model: the audit of a point must agree."""
    needed = {column for each in objectives for column in each.columns}
    sensitive = tuple(each for each in policy.attributes if each.name in needed)
    return Plan(policy=policy, algorithm=search, evidence=Evidence(sensitive=sensitive))


def over_levels(
    source: Any,
    plan: Plan,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    """The front over levels.

    Parameters
    ----------
    source, plan, table
        The table, how it was counted, and what was counted.
    request, objectives
        What to weigh, and how.
    on_progress
        Called now and then while the search runs.
    """
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
        recoding="levels",
        risk=request.risk,
        algorithm=answer.algorithm,
        exact=answer.exact,
        evaluated=answer.evaluated,
        lattice=answer.lattice,
        seconds=answer.seconds,
        by_clock=_ended_by_clock(answer, policy.budget),
        interrupted=answer.interrupted,
        source=source,
        policy=policy,
        table=table,
    )


def _ended_by_clock(answer: FrontAnswer, budget: Budget) -> bool:
    return not answer.exact and budget.seconds is not None and answer.seconds >= budget.seconds


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
