"""`shoal.front`: the releases of a table of which none is better than another in everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.front_request import DEFAULT_OBJECTIVES, FrontRequest, RecodingKind
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.table.domain import Kind, Value
from shoal.objectives import Objective
from shoal.pipeline.front import Front
from shoal.pipeline.front_search import front_of
from shoal.pipeline.source import source_of


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
    with using(engine, source, threads=policy.threads) as opened:
        return front_of(opened, source, policy, request, own, on_progress)


def _listed(objectives: Sequence[str | Objective]) -> tuple[Any, ...]:
    if isinstance(objectives, str):  # a string is a sequence of its letters, and never meant so
        raise PolicyError(f"objectives is a list; write objectives=[{objectives!r}]")
    return tuple(objectives)
