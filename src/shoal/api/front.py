"""`shoal.front`: the releases of a table of which none is better than another in everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import with_policy_arguments
from shoal.api._progress import shown
from shoal.api.read_policy import read_policy
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.front_request import DEFAULT_OBJECTIVES, FrontRequest
from shoal.model.policy.keys import FRONT_ARGUMENTS, arguments_of
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of, said_arguments
from shoal.model.policy.typed_arguments import FrontArguments
from shoal.objectives import Objective
from shoal.pipeline.extending.request import refuse_extend
from shoal.pipeline.front.front import Front
from shoal.pipeline.front.search import front_of
from shoal.pipeline.source import source_of


@door
@alongside_policy("objectives", "progress", "on_progress", "engine")
@with_policy_arguments(FRONT_ARGUMENTS)
def front(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    objectives: Sequence[str | Objective] | None = None,
    progress: bool | None = None,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
    **values: Unpack[FrontArguments],
) -> Front:
    """The releases of a table among which none is better than another in every objective.

    Nothing is released; `Front.pick` does that, on the usual audited way.

    Parameters
    ----------
    source
        A path or a data frame, or with `table` a connection, as of `anonymize`.
    table
        The table behind a connection.
    policy
        A whole policy with a table [front], or its file, in place of the arguments below. Only the arguments
        above may be given with it; `objectives` then replaces the policy's.
    objectives
        Names ("k", "l", "spread-k", "spread-l", or any cost) or objectives of one's own
        (`shoal.objectives.PropertyObjective`); k and general loss by default.
    progress
        Whether to show a line with the progress of the search. By default it is shown on a terminal and in a
        notebook, unless `on_progress` is given.
    on_progress
        Called now and then.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> front = shoal.front("stays.csv", quasi_identifiers=["age", "zip"], ks=[2, 5, 20])
    >>> front.suggestion
    >>> release = front.pick(path="picked.csv")
    """
    if policy is None:
        own = DEFAULT_OBJECTIVES if objectives is None else _listed(objectives)
        policy, request = _stated(said_arguments(values, FRONT_ARGUMENTS), own)
    else:
        policy = policy if isinstance(policy, Policy) else read_policy(policy)
        request = policy.front or FrontRequest()
        own = request.objectives if objectives is None else _listed(objectives)
    refuse_extend(policy, "a front")
    source = source_of(source, table, policy, described=True)
    with using(engine, source, threads=policy.threads) as opened, shown(progress, on_progress) as watch:
        return front_of(opened, source, policy, request, own, watch)


def _stated(arguments: dict[str, Any], own: Sequence[str | Objective]) -> tuple[Policy, FrontRequest]:
    """The policy that the arguments make, and its front."""
    if "quasi_identifiers" not in arguments:
        raise PolicyError("name the quasi_identifiers, or give a policy")
    of_front = {name: arguments.pop(name) for name in arguments_of("front") if name in arguments}
    for name in ("epsilons", "ks"):
        if name in of_front:
            of_front[name] = tuple(of_front[name])
    names = tuple(each.name if isinstance(each, Objective) else each for each in own)
    request = FrontRequest(objectives=names, **of_front)
    values: Any = {"k": 1, **arguments}
    return replace(policy_of(**values), front=request), request


def _listed(objectives: Sequence[str | Objective]) -> tuple[Any, ...]:
    if isinstance(objectives, str):  # a string is a sequence of its letters, and never meant so
        raise PolicyError(f"objectives is a list; write objectives=[{objectives!r}]")
    return tuple(objectives)
