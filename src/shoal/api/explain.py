"""A door for those who ask why: a table and a policy in; what holds columns back, and what it costs, out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.algorithms._priced_again import solved
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InfeasibleError, PolicyError
from shoal.explanation.attributes import explained_attributes
from shoal.explanation.changes import Change, changes, relaxations
from shoal.explanation.explanation import ConstraintPrice, Explanation
from shoal.explanation.manifest_recoding import result_in_manifest
from shoal.explanation.prices import priced
from shoal.explanation.trials import Solved, Trials, posed
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.result import Status
from shoal.model.table.domain import Kind, Value
from shoal.pipeline.plan import evidence_of, source_of
from shoal.pipeline.release import check_result, checked_algorithm

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
    with nullcontext(engine) if engine is not None else engine_for(source, threads=policy.threads) as opened:
        return _explained(
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


def _explained(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    each: Budget,
    *,
    constraints: bool,
    again: bool,
    on_constraint: Callable[[ConstraintPrice], None] | None,
    on_progress: ProgressCallback | None,
) -> Explanation:
    bench, base, searched = _solved(engine, source, policy, each, again=again, on_progress=on_progress)
    result, problem = base.result, base.problem
    told = Explanation(
        k=policy.k,
        cost_metric=policy.cost,
        algorithm=base.algorithm.name,
        rows=problem.table.rows,
        limit=problem.limit,
        status=result.status.value,
        taken_from="search" if searched else "manifest",
        interrupted=result.interrupted,
    )
    refused = _refused(base)
    if refused is None:
        told = _of_release(told, base)
        asked = changes(base.policy, problem, result.suppressed)
    else:
        # An answer that suppresses every row is none, and proved so if nothing costs less.
        proved = result.status in (Status.INFEASIBLE, Status.OPTIMAL)
        status = Status.INFEASIBLE if proved else Status.UNKNOWN
        told = replace(told, infeasible=str(refused), status=status.value)
        base = replace(base, result=replace(result, recoding=None, cost=None, bound=None))
        asked = relaxations(base.policy, problem, refused.suppressed, bench.largest_k)
    if not constraints or result.interrupted:
        return told
    prices, interrupted = _prices(bench, base, asked, on_constraint)
    return replace(told, constraints=prices, interrupted=interrupted)


def _solved(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    each: Budget,
    *,
    again: bool,
    on_progress: ProgressCallback | None,
) -> tuple[Trials, Solved, bool]:
    """The table, the policy's own answer, and whether it was searched for."""
    algorithm = checked_algorithm(policy)
    if isinstance(algorithm, Mondrian) and algorithm.distributed:
        raise PolicyError(
            "distributed = true leaves the rows and their groups in Spark, and an explanation needs them "
            "here; leave it out"
        )
    rows = engine.open(source)
    evidence = evidence_of(policy)
    policy.check_columns(rows.columns, evidence.read)
    counted = engine.count(rows, policy.attributes, evidence)
    # What "auto" means can depend on the constraints; the price of one is asked of the same search.
    pinned = replace(policy, algorithm=algorithm.name)
    bench = Trials(
        engine=engine,
        source=rows,
        policy=pinned,
        table=counted.frequencies,
        budget=replace(policy.budget, seconds=each.seconds),
        on_progress=on_progress,
    )
    problem = posed(policy, algorithm, counted.frequencies)
    result = None if again else result_in_manifest(policy, problem, engine.digest(rows, counted))
    if result is not None:
        return bench, Solved(policy=pinned, algorithm=algorithm, problem=problem, result=result), False
    threads = policy.threads or os.cpu_count() or 1
    result = solved(
        algorithm, problem, policy.budget, threads=threads, seed=policy.seed, on_progress=on_progress
    )
    return bench, Solved(policy=pinned, algorithm=algorithm, problem=problem, result=result), True


def _refused(base: Solved) -> InfeasibleError | None:
    """Why the policy has no release, if that is known; `NotProvedError` where the search just ended."""
    try:
        check_result(base.problem, base.result, require_optimal=False)
    except InfeasibleError as error:
        return error
    return None


def _of_release(told: Explanation, base: Solved) -> Explanation:
    result = base.result
    made, attributes, notes = explained_attributes(base.problem, result)
    return replace(
        told,
        cost=result.cost,
        bound=result.bound,
        gap=result.gap,
        suppressed=result.suppressed,
        groups=int((made.kept & (made.sizes > 0)).sum()),
        attributes=attributes,
        notes=notes,
    )


def _prices(
    bench: Trials, base: Solved, asked: Iterable[Change], told: Callable[[ConstraintPrice], None] | None
) -> tuple[tuple[ConstraintPrice, ...], bool]:
    """The prices of constraints, as many as there are before Ctrl-C, and whether it came."""
    prices: list[ConstraintPrice] = []
    try:
        for change in asked:
            price, interrupted = priced(bench, base, change)
            if interrupted:
                return tuple(prices), True
            prices.append(price)
            if told is not None:
                told(price)
    except KeyboardInterrupt:
        return tuple(prices), True
    return tuple(prices), False
