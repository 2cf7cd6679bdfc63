"""Explains one policy on one table: its answer, its columns, and what its constraints cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InfeasibleError
from shoal.explanation.attributes import explained_attributes
from shoal.explanation.changes import Change, changes, relaxations
from shoal.explanation.explanation import ConstraintPrice, Explanation
from shoal.explanation.manifest_recoding import algorithm_in_manifest, result_in_manifest
from shoal.explanation.prices import priced
from shoal.explanation.trials import Trials
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.result.result import Status
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.auto_search import answer
from shoal.pipeline.extending.request import refuse_extend
from shoal.pipeline.opened import refuse_subset
from shoal.pipeline.placing import refuse_made
from shoal.pipeline.plan import Plan, plan
from shoal.pipeline.pose import count, pose
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import check_result
from shoal.pipeline.treating import as_models_see_it


def explained(
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
    """Why a release is as coarse as it is, and what each constraint costs.

    Parameters
    ----------
    engine, source, policy
        The table and the request.
    each
        The budget of each search for a changed policy.
    constraints, again, on_constraint, on_progress
        As in `shoal.explain`.
    """
    trials, base, searched = _solved(engine, source, policy, each, again=again, on_progress=on_progress)
    result, problem = base.result, base.problem
    explanation = Explanation(
        k=policy.k,
        cost_metric=policy.cost,
        algorithm=base.row_plan.algorithm.name,
        rows=problem.table.rows,
        limit=problem.limit,
        status=result.status.value,
        taken_from="search" if searched else "manifest",
        interrupted=result.interrupted,
    )
    refusal = _refusal(base)
    if refusal is None:
        explanation = _of_release(explanation, base)
        alternatives = changes(base.plan.policy, problem, result.suppressed)
    else:
        # An answer that suppresses every row is none, and proved so if nothing costs less.
        proved = result.status in (Status.INFEASIBLE, Status.OPTIMAL)
        status = Status.INFEASIBLE if proved else Status.UNKNOWN
        explanation = replace(explanation, infeasible=str(refusal), status=status.value)
        base = replace(base, result=replace(result, recoding=None, cost=None, bound=None))
        alternatives = relaxations(base.plan.policy, problem, refusal.suppressed, trials.largest_k)
    if not constraints or result.interrupted:
        return explanation
    prices, interrupted = _prices(trials, base, alternatives, on_constraint)
    return replace(explanation, constraints=prices, interrupted=interrupted)


def _solved(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    each: Budget,
    *,
    again: bool,
    on_progress: ProgressCallback | None,
) -> tuple[Trials, Solution, bool]:
    """The counted table, the policy's own answer, and whether it was searched for."""
    refuse_subset(policy, "an explanation")
    refuse_extend(policy, "an explanation")
    refuse_made(policy, "an explanation")
    planned = plan(policy)
    table = engine.open(source)
    seen = as_models_see_it(engine, table, policy)
    counted = count(engine, seen, planned)
    kept = None if again else _kept(planned, counted.frequencies, engine.digest(table, counted))
    base = kept or answer(planned, counted, on_progress=on_progress)
    # What "auto" means can depend on the constraints; the price of each is that of the same search.
    base = replace(base, plan=replace(base.plan, policy=_pinned(base.row_plan)))
    trials = Trials(
        engine=engine,
        source=seen,
        base=base.row_plan,
        table=counted.frequencies,
        budget=replace(policy.budget, seconds=each.seconds),
        on_progress=on_progress,
    )
    return trials, base, kept is None


def _kept(planned: Plan, table: FrequencyTable, digest: str) -> Solution | None:
    """The answer in the manifest next to the policy's release, if it is one to this policy and table."""
    if planned.candidates is not None:
        name = algorithm_in_manifest(planned.policy)
        able = [each for each in planned.candidates.every if each.name == name]
        if not able:
            return None
        planned = replace(planned, algorithm=able[0], candidates=None)
    problem = pose(planned, table)
    result = result_in_manifest(planned.policy, problem, digest)
    if result is None:
        return None
    return Solution(plan=planned, problem=problem, searched=problem.table, result=result)


def _pinned(planned: Plan) -> Policy:
    """The policy with the algorithm that solved it, and its options."""
    algorithm = planned.algorithm
    options = {
        option.name: getattr(algorithm, option.name)
        for option in fields(algorithm)
        if option.name not in algorithm.attribute_keys and getattr(algorithm, option.name) != option.default
    }
    return replace(planned.policy, algorithm=algorithm.name, options=options)


def _refusal(base: Solution) -> InfeasibleError | None:
    """Why the policy has no release, if that is known; `NotProvedError` where the search just ended."""
    try:
        check_result(base.problem, base.result)
    except InfeasibleError as error:
        return error
    return None


def _of_release(explanation: Explanation, base: Solution) -> Explanation:
    result = base.result
    made, attributes, notes = explained_attributes(base.problem, result)
    return replace(
        explanation,
        cost=result.cost,
        bound=result.bound,
        gap=result.gap,
        suppressed=result.suppressed,
        groups=int((made.kept & (made.sizes > 0)).sum()),
        attributes=attributes,
        notes=notes,
    )


def _prices(
    trials: Trials,
    base: Solution,
    alternatives: Iterable[Change],
    on_constraint: Callable[[ConstraintPrice], None] | None,
) -> tuple[tuple[ConstraintPrice, ...], bool]:
    """The prices of constraints, as many as there are before Ctrl-C, and whether it came."""
    prices: list[ConstraintPrice] = []
    try:
        for change in alternatives:
            price, interrupted = priced(trials, base, change)
            if interrupted:
                return tuple(prices), True
            prices.append(price)
            if on_constraint is not None:
                on_constraint(price)
    except KeyboardInterrupt:
        return tuple(prices), True
    return tuple(prices), False
