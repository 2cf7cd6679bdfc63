"""The table that a policy releases: the whole source, or the research subset that a condition chooses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.pipeline.demands import models_of
from shoal.pipeline.histories.plan import HistoryPlan
from shoal.pipeline.placing import placed, refuse_made
from shoal.pipeline.plan import Plan

P = TypeVar("P", bound=Plan | HistoryPlan)


def opened(engine: SqlEngine, source: Any, planned: P) -> tuple[Any, P]:
    """The rows to release, and the plan; with a subset, the whole source is the population.

    Parameters
    ----------
    engine, source
        The source.
    planned
        The plan of the policy.
    """
    table, policy = engine.read_once(source), planned.policy
    if policy.subset is None:
        return _placed(engine, table, planned)
    rows = engine.subset(table, policy.subset)
    if isinstance(planned, HistoryPlan) or not any(each.needs_population for each in models_of(policy)):
        return _placed(engine, rows, planned)
    refuse_made(policy, "a model of the population")
    return rows, replace(planned, evidence=replace(planned.evidence, population=table))


def _placed(engine: SqlEngine, table: Any, planned: P) -> tuple[Any, P]:
    """The table with cells and slots in place of points and times, and the plan that knows their levels."""
    made, policy = placed(engine, table, planned.policy)
    return made, planned if policy is planned.policy else replace(planned, policy=policy)


def refuse_subset(policy: Policy, what: str) -> None:
    """Raise `PolicyError` if a policy releases a subset; for what would compare it with the whole source."""
    if policy.subset is not None:
        raise PolicyError(
            f"the policy releases a subset of its source, and {what} uses all rows; write the rows of the "
            "subset to a file of their own, and use a policy without subset for it"
        )
