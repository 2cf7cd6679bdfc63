"""`shoal.explain`: why a release is as coarse as it is, and what each constraint costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import stated_policy, with_policy_arguments
from shoal.api._progress import shown
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.explanation.explained import explained
from shoal.explanation.explanation import ConstraintPrice, Explanation
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.keys import SEARCH_ARGUMENTS
from shoal.model.policy.policy import Policy
from shoal.model.policy.typed_arguments import SearchArguments
from shoal.pipeline.source import source_of

SECONDS = 10.0
"""What each search for a changed policy may take by default."""


@door
@alongside_policy("seconds", "constraints", "again", "on_constraint", "progress", "on_progress", "engine")
@with_policy_arguments(SEARCH_ARGUMENTS)
def explain(
    source: Any = None,
    *,
    policy: Policy | str | Path | None = None,
    table: str | None = None,
    constraints: bool = True,
    again: bool = False,
    on_constraint: Callable[[ConstraintPrice], None] | None = None,
    progress: bool | None = None,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
    **values: Unpack[SearchArguments],
) -> Explanation:
    """Why a release is as coarse as it is, and what each constraint of the policy costs; nothing is released.

    A policy without any release is explained, too: by the constraints that prevent one. Ctrl-C ends the
    search that is going on, and the explanation is of what is there.

    Parameters
    ----------
    source, table
        As of `anonymize`; the policy's own source when absent.
    policy
        A whole policy, or its file, in place of the arguments below. Only `seconds` and the arguments above
        may be given with it.
    seconds
        What each search for a changed policy may take, 10 when absent. The first search has the budget of the
        policy; without a policy, this one.
    constraints
        Whether to search for what the constraints cost; the columns alone are explained quickly.
    again
        Whether to search even if the manifest next to the release has the recoding of this very policy
        and table.
    on_constraint
        Called after each search for a changed policy.
    progress
        Whether to show a line with the progress of the search. By default it is shown on a terminal and in a
        notebook, unless `on_progress` is given.
    on_progress
        Called now and then while a search runs.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> explanation = shoal.explain("stays.csv", quasi_identifiers=["age", "zip"], k=5, constraints=False)
    >>> print(explanation)
    """
    seconds = values.get("seconds")
    values["seconds"] = SECONDS if seconds is None else seconds
    each = Budget.stated(seconds=values["seconds"])
    policy = stated_policy(policy, values, SEARCH_ARGUMENTS)
    source = source_of(source, table, policy, described=True)
    with using(engine, source, threads=policy.threads) as opened, shown(progress, on_progress) as watch:
        return explained(
            opened,
            source,
            policy,
            each,
            constraints=constraints,
            again=again,
            on_constraint=on_constraint,
            on_progress=watch,
        )
