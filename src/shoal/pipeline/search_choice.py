"""Whether a search suits the rest of a policy."""

from __future__ import annotations

from shoal.algorithms import ALGORITHMS, DEFAULT_OF_LEVELS, Algorithm
from shoal.cost import METRICS
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.policy import Policy
from shoal.model.policy.recoding_model import RecodingModel


def algorithm_of(policy: Policy) -> Algorithm:
    """The algorithm that a policy names, with its options; its algorithm is not "auto"."""
    return ALGORITHMS[policy.algorithm].of(policy)


def check_search(policy: Policy, algorithm: Algorithm) -> None:
    """Raise `PolicyError` if an algorithm would ignore part of a policy, or cannot obey it."""
    _check_attributes(policy, algorithm)
    _check_made(policy, algorithm)
    _check_consistent(policy, algorithm)
    _check_harden(policy, algorithm)
    _check_recoding_model(policy, algorithm)
    _check_cost(policy, algorithm)


def limits_levels(policy: Policy) -> bool:
    """Whether a policy limits the levels of any column."""
    return any(each.min_level or each.max_level is not None for each in policy.quasi_identifiers)


def _check_attributes(policy: Policy, algorithm: Algorithm) -> None:
    if limits_levels(policy) and not algorithm.needs_hierarchies:
        raise PolicyError(
            f"algorithm {algorithm.name!r} cuts domains and knows no levels, so min_level and max_level do "
            f"not apply; use {DEFAULT_OF_LEVELS!r}"
        )
    owners = {key: name for name, each in ALGORITHMS.items() for key in each.attribute_keys}
    for attribute in policy.quasi_identifiers:
        for key, owner in owners.items():
            stated = getattr(attribute, key) != getattr(Attribute, key)
            if stated and key not in algorithm.attribute_keys:
                raise PolicyError(
                    f"attribute {attribute.name!r}: {key} is for algorithm {owner!r}, and "
                    f"{algorithm.name!r} does not heed it; leave it out"
                )


def _check_made(policy: Policy, algorithm: Algorithm) -> None:
    """Raise `PolicyError` if points or times would not become cells or slots of their hierarchies."""
    climbs = algorithm.needs_hierarchies or algorithm.joins_neighbours
    cuts = RecodingModel.AG_TS in algorithm.recoding_models and not climbs
    if policy.made and (cuts or algorithm.makes_centroids):
        raise PolicyError(
            f"{policy.made[0].name!r} is a {policy.made[0].type} and is released by levels of cells or "
            f"slots, and algorithm {algorithm.name!r} knows no levels; use {DEFAULT_OF_LEVELS!r}, 'subtree', "
            "'local' or 'mondrian'"
        )


def _check_harden(policy: Policy, algorithm: Algorithm) -> None:
    if not policy.harden:
        return
    wildcards = policy.options.get("reading") == "wildcard"
    if algorithm.is_distributed or algorithm.makes_centroids or algorithm.unverified or wildcards:
        raise PolicyError(
            f"harden makes labels of k rows coarser, and algorithm {algorithm.name!r} with these options "
            "releases none, or leaves them in the engine; leave harden out, or choose another algorithm"
        )


def _check_consistent(policy: Policy, algorithm: Algorithm) -> None:
    if policy.consistent and not algorithm.is_consistent:
        raise PolicyError(
            f"algorithm {algorithm.name!r} can release equal values in different ways, and `consistent` "
            "demands one recoding per column; leave one of them out"
        )


def _check_recoding_model(policy: Policy, algorithm: Algorithm) -> None:
    model = policy.recoding_model
    if model is None:
        return
    if algorithm.makes_centroids:
        raise PolicyError(
            f"algorithm {algorithm.name!r} replaces values by centroids, which none of the taxonomy's models "
            "does; leave out `model`, or choose another algorithm"
        )
    if model not in algorithm.recoding_models:
        others = [name for name, each in ALGORITHMS.items() if model in each.recoding_models]
        raise PolicyError(
            f"algorithm {algorithm.name!r} makes no release of the model {model} ({model.words}); use "
            + " or ".join(map(repr, others))
        )
    if model.releases_every_row and policy.suppression.stated not in ("unlimited", 0):
        raise PolicyError(
            f"the model {model} releases every row ({model.words}), and suppression allows to drop some; "
            "leave it out, or name a model with TS"
        )


def _check_cost(policy: Policy, algorithm: Algorithm) -> None:
    if METRICS[policy.cost].of_centroids and not algorithm.makes_centroids:
        makers = [name for name, each in ALGORITHMS.items() if each.makes_centroids]
        raise PolicyError(
            f"cost {policy.cost!r} is defined for values that are replaced by centroids, and algorithm "
            f"{algorithm.name!r} makes none; use {' or '.join(map(repr, makers))}, or choose cost 'ncp'"
        )
