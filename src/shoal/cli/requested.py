"""What commands share: the policy of a file, and what the flags say of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.api.read_policy import read_policy
from shoal.cli import arguments
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy


def policy_of_file(path: Path, shaping: Mapping[str, object] | None = None) -> Policy:
    """The policy of a file, which must name a source; refused with flags that would shape another policy."""
    refuse_alongside_policy(shaping or {})
    policy = read_policy(path)
    if policy.source is None:
        raise PolicyError(f'{path.name}: it names no source; write path = "..." under [source]')
    return policy


def searching(
    policy: Policy,
    *,
    algorithm: str | None,
    options: Sequence[str] | None,
    budget: Budget,
    threads: int | None,
    seed: int | None,
) -> Policy:
    """The policy with what the flags say of the search."""
    stated = policy.budget
    return replace(
        policy,
        algorithm=policy.algorithm if algorithm is None else algorithm,
        options={**policy.options, **arguments.options(options)},
        budget=Budget(
            seconds=stated.seconds if budget.seconds is None else budget.seconds,
            nodes=stated.nodes if budget.nodes is None else budget.nodes,
            gap=stated.gap if budget.gap is None else budget.gap,
        ),
        threads=policy.threads if threads is None else threads,
        seed=policy.seed if seed is None else seed,
    )
