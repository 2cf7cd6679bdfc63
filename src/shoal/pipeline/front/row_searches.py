"""The searches by which the rows of a policy are recoded one by one."""

from __future__ import annotations

from dataclasses import replace

from shoal.algorithms import Algorithm
from shoal.algorithms.rows.local import Local
from shoal.model.policy.policy import Policy
from shoal.pipeline.auto_rule import candidates_of


def row_searches(policy: Policy) -> tuple[Algorithm, ...]:
    """Those that `auto` would choose from for a release, the best first; none if it must be of another kind.

    `local` with its options, if the policy names it.
    """
    if policy.algorithm == Local.name:
        return (Local.of(policy),)
    # Options of another algorithm mean nothing here.
    options = policy.options if policy.algorithm == "auto" else {}
    return candidates_of(replace(policy, algorithm="auto", options=options)).rows
