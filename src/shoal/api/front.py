"""The other front door: a table and several objectives in, the front of possible releases out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms import METRICS_OF_CUTS
from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts.front_of_cuts import front_of_cuts
from shoal.algorithms.levels._profiles import Measurer
from shoal.algorithms.levels.front_of_levels import FrontAnswer, front_of_levels
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Role
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.front_request import DEFAULT_OBJECTIVES, FrontRequest, RecodingKind
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.policy.suppression import UNLIMITED
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Status
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Kind, Value
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives import Loss, Number, Objective, group_sizes, non_dominated, objectives_of
from shoal.pipeline.front import Front, FrontPoint, numbered
from shoal.pipeline.plan import problem_of, source_of


@door
@alongside_policy("objectives", "on_progress", "engine")
def front(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    objectives: Sequence[str | Objective] | None = None,
    sensitive: Sequence[str] = (),
    class_attribute: str | None = None,
    identifiers: Sequence[str] = (),
    types: Mapping[str, Kind] | None = None,
    bins: Mapping[str, int | float] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    weights: Mapping[str, int | float] | None = None,
    suppression: int | str = "1%",
    recoding: RecodingKind = "levels",
    ks: Sequence[int] = (),
    epsilons: Sequence[float] | None = None,
    algorithm: str = "auto",
    options: Mapping[str, object] | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
) -> Front:
    """The releases of a table among which none is better than another in every objective.

    Nothing is released; `Front.pick` does that, on the usual audited way.

    Parameters
    ----------
    source
        A path or a data frame, or with `table` a connection, as of `anonymize`.
    policy
        A whole request, with a table [front], or its file; only what `on_progress` stands before goes with
        it, and `objectives`, which then stand in place of the policy's.
    quasi_identifiers, sensitive, class_attribute, identifiers
        Columns by their role.
    objectives
        Names ("k", "l", "spread-k", "spread-l", or any cost) or objectives of one's own
        (`shoal.objectives.PropertyObjective`); k and general loss by default.
    types, bins, orders, hierarchies, levels, weights
        Per quasi-identifier, as of `anonymize`.
    suppression
        Most rows that may be suppressed. Over levels k is found and not asked for: the smallest groups are
        suppressed while they fit into this limit, and k is the least size that stays.
    recoding, ks
        "levels" of hierarchies, or "cuts" of ordered domains for these k, each solved exactly.
    epsilons
        Per objective the length of a box, of which one point is told; all points when absent.
    algorithm, options
        "exact", "pbg-ea" or "auto"; options are those of PBG-EA.
    seconds, nodes, threads, seed
        The budget, over cuts that of each k; the answer does not depend on the threads.
    on_progress
        Called now and then.
    engine
        An engine with other limits than the default.
    """
    if policy is None:
        if quasi_identifiers is None:
            raise PolicyError("name the quasi_identifiers, or give a policy")
        own = DEFAULT_OBJECTIVES if objectives is None else _listed(objectives)
        policy = policy_of(
            quasi_identifiers=quasi_identifiers,
            k=1,
            sensitive=sensitive,
            class_attribute=class_attribute,
            identifiers=identifiers,
            types=types,
            bins=bins,
            orders=orders,
            hierarchies=hierarchies,
            levels=levels,
            weights=weights,
            cost="general-loss",
            suppression=suppression,
            seconds=seconds,
            nodes=nodes,
            threads=threads,
            seed=seed,
        )
        request = FrontRequest(
            objectives=tuple(each.name if isinstance(each, Objective) else each for each in own),
            epsilons=None if epsilons is None else tuple(epsilons),
            recoding=recoding,
            ks=tuple(ks),
            algorithm=algorithm,
            options=dict(options or {}),
        )
        policy = replace(policy, front=request)
    else:
        policy = policy if isinstance(policy, Policy) else read_policy(policy)
        request = policy.front or FrontRequest()
        own = request.objectives if objectives is None else _listed(objectives)
    source = source_of(source, table, policy)
    unheeded = [name for name in ("models", "sets") if getattr(policy, name)]
    if unheeded:
        raise PolicyError(
            f"a front weighs objectives and does not heed {', '.join(unheeded)}; leave that out, and name "
            'what it demands as an objective, as in objectives = ["k", "l", "general-loss"]'
        )
    for what in ("entity", "survey_weight", "population"):
        if getattr(policy, what) is not None:
            raise PolicyError(
                f"a front counts rows, so it cannot heed {what}: its k would not be the release's; leave it "
                "out, or choose k yourself and use shoal anonymize"
            )
    asked = _objectives(policy, own)
    policy = replace(policy, cost=_cost(asked))
    with nullcontext(engine) if engine is not None else engine_for(source, threads=policy.threads) as opened:
        counted = _counted(opened, source, policy, asked, by_levels=request.recoding == "levels")
    found = _over_levels if request.recoding == "levels" else _over_cuts
    return found(source, policy, request, asked, counted, on_progress)


def _listed(objectives: Sequence[str | Objective]) -> tuple[Any, ...]:
    if isinstance(objectives, str):  # a string is a sequence of its letters, and never meant so
        raise PolicyError(f"objectives is a list; write objectives=[{objectives!r}]")
    return tuple(objectives)


def _objectives(policy: Policy, asked: Sequence[str | Objective]) -> tuple[Objective, ...]:
    names = [each.name for each in policy.attributes if each.role is Role.SENSITIVE]
    weights = [Fraction(str(each.weight)) for each in policy.quasi_identifiers]
    found = objectives_of(asked, names, weights)
    for objective in found:
        for column in objective.columns:
            if column not in names:
                raise PolicyError(f"{column!r} is no sensitive column; give it the role 'sensitive'")
    return found


def _cost(objectives: Sequence[Objective]) -> str:
    """The cost that a release of a point is reported with: the first loss among the objectives."""
    return next((each.name for each in objectives if isinstance(each, Loss)), "general-loss")


def _counted(
    engine: SqlEngine, source: Any, policy: Policy, objectives: Sequence[Objective], *, by_levels: bool
) -> FrequencyTable:
    opened = engine.open(source)
    policy.check_columns(opened.columns)
    needed = {column for each in objectives for column in each.columns}
    # Counted as for a privacy model: the audit of a point that is picked must find the same values.
    evidence = Evidence(sensitive=tuple(each for each in policy.attributes if each.name in needed))
    table = engine.count(opened, policy.attributes, evidence).frequencies
    table = with_hierarchies(table, policy.quasi_identifiers, every=by_levels)
    for objective in objectives:
        objective.check(table)
    return table


def _over_levels(
    source: Any,
    policy: Policy,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    if policy.suppression.stated == UNLIMITED:
        raise PolicyError(
            'a front over levels suppresses what the limit allows, so it needs one: say suppression = "1%", '
            "or 0 for none"
        )
    problem = problem_of(policy, table)
    reason = LatticeSearch().supports(problem)
    if reason is not None:
        raise PolicyError(f"a front over levels cannot be made of this: {reason}")
    measurer = Measurer(table, objectives, problem.most_suppressed, problem.levels)
    answer = front_of_levels(
        measurer,
        Watch(policy.budget, on_progress),
        algorithm=request.algorithm,
        epsilons=request.epsilons,
        pbg_ea=_pbg_ea(request.options),
        threads=policy.threads or os.cpu_count() or 1,
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
            values={each.name: value for each, value in zip(objectives, found.node.values, strict=True)},
            k=found.node.k,
            groups=found.node.groups,
            suppressed=found.node.suppressed,
            recoding=LevelRecoding(found.node.levels),
            alternatives=tuple(LevelRecoding(levels) for levels in found.alternatives),
        )
        for found in answer.nodes
    ]


def _over_cuts(
    source: Any,
    policy: Policy,
    request: FrontRequest,
    objectives: tuple[Objective, ...],
    table: FrequencyTable,
    on_progress: ProgressCallback | None,
) -> Front:
    costs = [each for each in objectives if isinstance(each, Loss)]
    if len(objectives) != 2 or objectives[0] != group_sizes() or not costs:
        raise PolicyError(
            'a front over cuts is of k and one cost, as in objectives = ["k", "general-loss"]; others '
            "are weighed over levels"
        )
    cost = costs[0].name
    if cost not in METRICS_OF_CUTS:
        raise PolicyError(f"over cuts the cost is one of {', '.join(METRICS_OF_CUTS)}; it is {cost!r}")
    if request.algorithm == "pbg-ea" or request.epsilons is not None:
        raise PolicyError(
            "PBG-EA and epsilons are for fronts over levels; over cuts each k is solved exactly"
        )
    problem = replace(problem_of(policy, table), k=1)
    points = front_of_cuts(
        problem,
        request.ks,
        policy.budget,
        threads=policy.threads or os.cpu_count() or 1,
        seed=policy.seed,
        on_progress=on_progress,
    )
    made = []
    for point in points:
        result = point.result
        assert result.recoding is not None
        assert result.cost is not None
        released = groups(table, result.recoding, point.k)
        made.append(
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
    best = non_dominated([np.array([each.k for each in made]), _ranks([-each.values[cost] for each in made])])
    results = [point.result for point in points]
    return Front(
        points=numbered([made[place] for place in best.tolist()], objectives),
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
