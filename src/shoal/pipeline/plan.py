"""The first hop: everything that can be decided before a row is read."""

from __future__ import annotations

import os
from dataclasses import dataclass

from shoal.algorithms import ALGORITHMS, Algorithm
from shoal.cost import METRICS
from shoal.errors import PolicyError
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.suggestion import suggestion
from shoal.pipeline.auto_rule import Candidates, candidates_of
from shoal.pipeline.demands import check_models, evidence_of
from shoal.pipeline.histories.plan import refuse_linkable
from shoal.pipeline.search_choice import algorithm_of, check_search
from shoal.pipeline.treating import treatments_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """A policy that was checked, and how to carry it out.

    Parameters
    ----------
    policy
        The request.
    algorithm
        What solves the problem; of an automatic choice, what is tried first.
    evidence
        What to count besides the quasi-identifiers.
    candidates
        What an automatic choice may use; `None` where the algorithm is named.
    """

    policy: Policy
    algorithm: Algorithm
    evidence: Evidence
    candidates: Candidates | None = None

    @property
    def threads(self) -> int:
        """The threads that the search may use."""
        return self.policy.threads or os.cpu_count() or 1


def plan(policy: Policy, algorithm: Algorithm | None = None, *, per_column: str | None = None) -> Plan:
    """Check a policy and choose its search; `PolicyError` if its parts do not fit together.

    Parameters
    ----------
    policy
        The request.
    algorithm
        What solves the problem, in place of the policy's algorithm.
    per_column
        Why an automatic choice must be one recoding per column, if the caller needs that.
    """
    refuse_linkable(policy, "this command")
    check_names(policy)
    evidence = evidence_of(policy)
    if algorithm is None and policy.algorithm == "auto":
        found = candidates_of(policy, per_column=per_column)
        return Plan(policy=policy, algorithm=found.every[0], evidence=evidence, candidates=found)
    algorithm = algorithm_of(policy) if algorithm is None else algorithm
    check_search(policy, algorithm)
    return Plan(policy=policy, algorithm=algorithm, evidence=evidence)


def check_names(policy: Policy) -> None:
    """Raise `PolicyError` for a cost, an algorithm or a model that does not exist."""
    check_models(policy)
    treatments_of(policy)
    if policy.cost not in METRICS:
        raise PolicyError(f"there is no cost {policy.cost!r}.{suggestion(policy.cost, METRICS)}")
    if policy.algorithm != "auto" and policy.algorithm not in ALGORITHMS:
        names = ("auto", *ALGORITHMS)
        raise PolicyError(f"there is no algorithm {policy.algorithm!r}.{suggestion(policy.algorithm, names)}")
    unverified = [name for name, algorithm in ALGORITHMS.items() if algorithm.unverified]
    if policy.accept_unverified and policy.algorithm not in unverified:
        raise PolicyError(
            f"accept_unverified is for algorithms that do not guarantee k ({', '.join(unverified)}), and "
            f"{policy.algorithm!r} is none of them; leave it out"
        )
