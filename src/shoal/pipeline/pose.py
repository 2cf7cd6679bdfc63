"""The second hop: count the rows where they live, and pose the problem that the search solves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from shoal.cost import METRICS, Balanced, CellMetric, CostMetric, ShareMetric
from shoal.engines._base import Counted
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.recoding.attribute_set import AttributeSet
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.remote_table import RemoteTable
from shoal.pipeline.demands import models_of
from shoal.pipeline.plan import Plan
from shoal.pipeline.search_choice import limits_levels


def count(engine: SqlEngine, table: Any, plan: Plan, *, remote: bool = False) -> Counted:
    """Count the distinct rows of an open table, and what the plan's models look at in them.

    Parameters
    ----------
    engine, table
        The table, as the engine opened it.
    plan
        Says what to count.
    remote
        Whether the rows may stay in the engine if they are too many for a search in this process.
    """
    policy, evidence = plan.policy, plan.evidence
    policy.check_columns(table.columns, evidence.read)
    if not plan.algorithm.is_distributed:
        able = (plan.algorithm,) if plan.candidates is None else plan.candidates.every
        alike = len(policy.sets) < 2
        one_by_one = alike and not policy.models and any(each.looks_at_nodes for each in able)
        cut_there = alike and not evidence.entities and engine.cuts_rows and _may_leave_rows(plan)
        counted = engine.count(
            table, policy.attributes, evidence, remote=remote and (one_by_one or cut_there)
        )
        if cut_there and isinstance(counted.frequencies, RemoteTable):
            return engine.count_distributed(table, policy.attributes, evidence)
        return counted
    if not remote:
        refuse_distributed(plan)
    uncounted = evidence.entities or evidence.survey_weight or evidence.population is not None
    if uncounted or any(each.role is Role.CLASS for each in policy.attributes):
        raise PolicyError(
            "distributed = true counts quasi-identifiers and sensitive values alone, and the policy has a "
            "class, or models that look at persons or a population; leave it out"
        )
    return engine.count_distributed(table, policy.attributes, evidence)


def _may_leave_rows(plan: Plan) -> bool:
    """Whether workers of the engine may cut rows that are too many for this process."""
    if plan.candidates is not None:
        return bool(plan.candidates.rows)
    return plan.algorithm.may_be_distributed


def refuse_distributed(plan: Plan) -> None:
    """Raise `PolicyError` if the plan's search leaves the rows in the engine; for what needs them here."""
    if plan.algorithm.is_distributed:
        raise PolicyError(
            "distributed = true leaves the rows and their groups in Spark, and this needs them here; "
            "leave it out"
        )


def pose(plan: Plan, table: FrequencyTable) -> Problem:
    """The problem of a plan on a counted table.

    Parameters
    ----------
    plan
        The plan.
    table
        What was counted; the hierarchies that the search climbs are added.
    """
    return problem_of(plan.policy, climbable(plan, table))


def climbable(plan: Plan, table: FrequencyTable) -> FrequencyTable:
    """A counted table with a hierarchy for every column that the plan's search climbs."""
    return with_hierarchies(
        table,
        plan.policy.quasi_identifiers,
        every=plan.algorithm.needs_hierarchies,
        neighbours=plan.algorithm.joins_neighbours,
    )


def problem_of(policy: Policy, table: FrequencyTable) -> Problem:
    """The problem of a policy on a table that has the hierarchies it needs."""
    attributes = policy.quasi_identifiers
    every_row = policy.recoding_model is not None and policy.recoding_model.releases_every_row
    positions = {each.name: index for index, each in enumerate(attributes)}
    return Problem(
        table=table,
        k=policy.k,
        cost=_cost(policy),
        limit=0 if every_row else policy.suppression.limit(table.rows),
        levels=level_limits(policy, table),
        sets=tuple(
            AttributeSet(attributes=tuple(positions[name] for name in each.columns), k=each.k or policy.k)
            for each in policy.sets
        ),
        models=models_of(policy),
    )


def _cost(policy: Policy) -> CostMetric:
    """The policy's cost, with the weights of its columns and ARX's factor."""
    cost = weighted_cost(policy)
    if policy.gs_factor == 0.5:
        return cost
    if not isinstance(cost, ShareMetric):
        shares = [name for name, metric in METRICS.items() if issubclass(metric, ShareMetric)]
        raise PolicyError(
            f"gs_factor weighs costs from 0 to 1 ({', '.join(shares)}), and {policy.cost!r} is none; leave "
            "it out, or choose such a cost"
        )
    return Balanced(cost, Fraction(str(policy.gs_factor)))


def weighted_cost(policy: Policy) -> CostMetric:
    """The policy's cost, with the weights of its columns."""
    cost = METRICS[policy.cost]()
    weights = tuple(Fraction(str(each.weight)) for each in policy.quasi_identifiers)
    if all(weight == 1 for weight in weights):
        return cost
    if isinstance(cost, CellMetric):
        return replace(cost, weights=weights)
    if len(set(weights)) > 1:
        means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
        raise PolicyError(
            f"weights count in costs that are means over cells ({', '.join(means)}), and "
            f"{policy.cost!r} is none; leave them out, or choose such a cost"
        )
    return cost


def level_limits(policy: Policy, table: FrequencyTable) -> tuple[tuple[int, int], ...]:
    """Per quasi-identifier the least and the greatest level allowed; empty if none is limited."""
    if not limits_levels(policy):
        return ()
    return tuple(
        (each.min_level, domain.hierarchy.height if each.max_level is None else each.max_level)
        for each, domain in zip(policy.quasi_identifiers, table.domains, strict=True)
    )
