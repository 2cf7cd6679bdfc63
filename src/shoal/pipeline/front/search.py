"""Finds the front of several objectives: counts the rows, states the problem, weighs its recodings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from shoal.algorithms import ALGORITHMS, DEFAULT, DEFAULT_OF_LEVELS
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Role
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.policy import Policy
from shoal.objectives import Loss, Objective, objectives_of
from shoal.pipeline.front.front import Front
from shoal.pipeline.front.over_ks import able, check_objectives, over_ks, weighs_k_and_one_cost
from shoal.pipeline.front.over_levels import check_levels, over_levels, plan_of_levels
from shoal.pipeline.front.row_searches import row_searches
from shoal.pipeline.opened import opened
from shoal.pipeline.plan import Plan, check_names, plan
from shoal.pipeline.pose import climbable, count
from shoal.pipeline.treating import as_models_see_it


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
    weighed = _objectives(policy, objectives)
    policy = replace(policy, cost=_cost(weighed))
    request = _decided(policy, request, weighed)
    plans = _plans(policy, request, weighed)
    rows, counting = opened(engine, source, plans[0])
    table = as_models_see_it(engine, rows, policy)
    counted = count(engine, table, counting).frequencies
    for objective in weighed:
        objective.check(counted)
    if request.recoding == "levels":
        table = climbable(plans[0], counted)
        return over_levels(source, plans[0], request, weighed, table, on_progress)
    planned, table = able(plans, counted)
    return over_ks(source, planned, request, weighed, table, on_progress)


def _decided(policy: Policy, request: FrontRequest, objectives: Sequence[Objective]) -> FrontRequest:
    """The request with the kind of recodings that "auto" means: rows where everything stated fits to them."""
    if request.recoding != "auto":
        return request
    named = ALGORITHMS.get(policy.algorithm)
    by_rows = (
        (named is None or not any(model.is_consistent for model in named.recoding_models))
        and weighs_k_and_one_cost(objectives)
        and (bool(request.ks) or not request.weighs_levels)
        and bool(row_searches(policy))
    )
    return replace(request, recoding="rows" if by_rows else "levels")


def _plans(policy: Policy, request: FrontRequest, objectives: Sequence[Objective]) -> list[Plan]:
    """Plans by searches of the requested kind, the best first; they count the same."""
    if request.recoding == "levels":
        check_levels(policy)
        return [plan_of_levels(policy, ALGORITHMS[DEFAULT_OF_LEVELS](), objectives)]
    check_objectives(request, objectives)
    if request.recoding == "cuts":
        return [plan(policy, ALGORITHMS[DEFAULT]())]
    check_names(policy)
    searches = row_searches(replace(policy, consistent=False))
    if not searches:
        raise PolicyError(
            "this policy cannot be met row by row: it limits levels or names a recoding model, or its cost "
            'is none of single cells; say recoding = "levels" under [front]'
        )
    return [plan(policy, search) for search in searches]


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
