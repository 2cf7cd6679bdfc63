"""What a policy asks for: its names checked, the algorithm with its options, the problem it poses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from shoal.algorithms import ALGORITHMS, DEFAULT, DEFAULT_OF_LEVELS, METRICS_OF_CUTS, Algorithm
from shoal.cost import METRICS, CellMetric
from shoal.errors import PolicyError
from shoal.model.attribute import Attribute
from shoal.model.frequency import FrequencyTable
from shoal.model.names import hint
from shoal.model.policy import Policy
from shoal.model.problem import Problem
from shoal.privacy import model_of


def check_names(policy: Policy) -> None:
    """Raise `PolicyError` for a cost, an algorithm or a model that does not exist."""
    for stated in policy.models:
        model_of(stated)
    if policy.cost not in METRICS:
        raise PolicyError(f"there is no cost {policy.cost!r}.{hint(policy.cost, METRICS)}")
    if policy.algorithm != "auto" and policy.algorithm not in ALGORITHMS:
        names = ("auto", *ALGORITHMS)
        raise PolicyError(f"there is no algorithm {policy.algorithm!r}.{hint(policy.algorithm, names)}")
    unverified = [name for name, algorithm in ALGORITHMS.items() if algorithm.unverified]
    if policy.accept_unverified and policy.algorithm not in unverified:
        raise PolicyError(
            f"accept_unverified is for algorithms that do not guarantee k ({', '.join(unverified)}), and "
            f"{policy.algorithm!r} is none of them; leave it out"
        )


def algorithm_of(policy: Policy) -> Algorithm:
    """The algorithm that a policy asks for, with its options; "auto" is what suits the cost."""
    if policy.algorithm != "auto":
        return ALGORITHMS[policy.algorithm].of(policy)
    by_levels = _limits_levels(policy) or policy.cost not in METRICS_OF_CUTS
    return ALGORITHMS[DEFAULT_OF_LEVELS if by_levels else DEFAULT].of(policy)


def _limits_levels(policy: Policy) -> bool:
    return any(each.min_level or each.max_level is not None for each in policy.quasi_identifiers)


def check_attributes(policy: Policy, algorithm: Algorithm) -> None:
    """Refuse what is said of a column to another algorithm: unheeded, it would seem to be kept."""
    if _limits_levels(policy) and not algorithm.needs_hierarchies:
        raise PolicyError(
            f"algorithm {algorithm.name!r} cuts domains and knows no levels, so min_level and max_level do "
            f"not apply; use {DEFAULT_OF_LEVELS!r}"
        )
    owners = {key: name for name, each in ALGORITHMS.items() for key in each.attribute_keys}
    for attribute in policy.quasi_identifiers:
        for key, owner in owners.items():
            said = getattr(attribute, key) != getattr(Attribute, key)
            if said and key not in algorithm.attribute_keys:
                raise PolicyError(
                    f"attribute {attribute.name!r}: {key} is for algorithm {owner!r}, and "
                    f"{algorithm.name!r} does not heed it; leave it out"
                )


def problem_of(policy: Policy, table: FrequencyTable) -> Problem:
    """The problem that a policy poses on a counted table."""
    attributes = policy.quasi_identifiers
    cost = METRICS[policy.cost]()
    weights = tuple(Fraction(str(each.weight)) for each in attributes)
    if len(set(weights)) > 1:
        if not isinstance(cost, CellMetric):
            means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
            raise PolicyError(
                f"weights count in costs that are means over cells ({', '.join(means)}), and "
                f"{policy.cost!r} is none; leave them out, or choose such a cost"
            )
        cost = replace(cost, weights=weights)
    positions = {each.name: index for index, each in enumerate(attributes)}
    return Problem(
        table=table,
        k=policy.k,
        cost=cost,
        limit=policy.suppression.limit(table.rows),
        levels=tuple(
            (each.min_level, domain.hierarchy.height if each.max_level is None else each.max_level)
            for each, domain in zip(attributes, table.domains, strict=True)
        )
        if _limits_levels(policy)
        else (),
        sets=tuple(tuple(positions[name] for name in each) for each in policy.sets),
        models=tuple(model_of(stated) for stated in policy.models),
    )
