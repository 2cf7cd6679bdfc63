"""`shoal.explain`: why a release is as coarse as it is, and what each constraint costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.explanation.explained import explained
from shoal.explanation.explanation import ConstraintPrice, Explanation
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.table.domain import Kind, Value
from shoal.pipeline.source import source_of

SECONDS = 10.0
"""What each search for a changed policy may take if nothing else is said."""


@door
@alongside_policy("seconds", "constraints", "again", "on_constraint", "on_progress", "engine")
def explain(
    source: Any = None,
    *,
    policy: Policy | str | Path | None = None,
    table: str | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    class_attribute: str | None = None,
    identifiers: Sequence[str] = (),
    types: Mapping[str, Kind] | None = None,
    bins: Mapping[str, int | float] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    weights: Mapping[str, int | float] | None = None,
    sets: Sequence[Sequence[str]] = (),
    models: Sequence[Any] = (),
    entity: str | None = None,
    survey_weight: str | None = None,
    population: Any = None,
    cost: str | None = None,
    suppression: int | str = "unlimited",
    model: str | None = None,
    algorithm: str = "auto",
    options: Mapping[str, object] | None = None,
    threads: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    constraints: bool = True,
    again: bool = False,
    on_constraint: Callable[[ConstraintPrice], None] | None = None,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
) -> Explanation:
    """Why a release is as coarse as it is, and what each constraint of the policy costs; nothing is released.

    A policy without any release is explained, too: by the constraints that stand in its way. Ctrl-C ends the
    search that is going on, and the explanation is of what is there.

    Parameters
    ----------
    source, table
        As of `anonymize`; the policy's own source when absent.
    policy
        A whole request, or its file. With it only `seconds`, and what follows, is said besides.
    quasi_identifiers, k, sensitive, class_attribute, identifiers, types, bins, orders, hierarchies, levels
        As of `anonymize`, in place of a policy.
    weights, sets, models, entity, survey_weight, population, cost, suppression, model, algorithm, options
        As of `anonymize`, in place of a policy.
    threads, seed
        As of `anonymize`, in place of a policy.
    seconds
        What each search for a changed policy may take, 10 when absent. The first search has the budget of the
        policy; without a policy, this one.
    constraints
        Whether to search for what the constraints cost; the columns alone are explained quickly.
    again
        Whether to search also where the manifest beside the release tells the recoding of this very policy
        and table.
    on_constraint
        Called after each search for a changed policy.
    on_progress
        Called now and then while a search runs.
    engine
        An engine with other limits than the default.
    """
    each = Budget(seconds=SECONDS if seconds is None else seconds)
    asked: dict[str, Any] = {
        "quasi_identifiers": quasi_identifiers,
        "k": k,
        "sensitive": sensitive,
        "class_attribute": class_attribute,
        "identifiers": identifiers,
        "types": types,
        "bins": bins,
        "orders": orders,
        "hierarchies": hierarchies,
        "levels": levels,
        "weights": weights,
        "sets": sets,
        "models": models,
        "entity": entity,
        "survey_weight": survey_weight,
        "population": population,
        "cost": cost,
        "suppression": suppression,
        "model": model,
        "algorithm": algorithm,
        "options": options,
        "threads": threads,
        "seed": seed,
    }
    policy = _policy(policy, asked, each)
    source = source_of(source, table, policy)
    with using(engine, source, threads=policy.threads) as opened:
        return explained(
            opened,
            source,
            policy,
            each,
            constraints=constraints,
            again=again,
            on_constraint=on_constraint,
            on_progress=on_progress,
        )


def _policy(policy: Policy | str | Path | None, asked: Mapping[str, Any], budget: Budget) -> Policy:
    if policy is None:
        if asked["quasi_identifiers"] is None or asked["k"] is None:
            raise PolicyError("name the quasi_identifiers and k, or give a policy")
        return policy_of(**asked, seconds=budget.seconds)
    return policy if isinstance(policy, Policy) else read_policy(policy)
