"""Every key of a policy, described once.

From these entries come the reader of the policy file, the keyword arguments of the Python functions and their
docstrings, the flags, the reference page, the JSON schema and the studio's forms. `scripts/policy-pages`
writes what is kept in files; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from shoal.model.policy.keys.attacks import ATTACKS, LIMITS
from shoal.model.policy.keys.attributes import ATTRIBUTES, ROLES
from shoal.model.policy.keys.front import FRONT, FRONT_OPTIONS
from shoal.model.policy.keys.hierarchy import HIERARCHY
from shoal.model.policy.keys.key import Argument, PolicyKey
from shoal.model.policy.keys.objective import OBJECTIVE
from shoal.model.policy.keys.places import PLACES
from shoal.model.policy.keys.privacy import PRIVACY
from shoal.model.policy.keys.release import RELEASE
from shoal.model.policy.keys.search import OPTIONS_ARGUMENT, SEARCH
from shoal.model.policy.keys.source import SOURCE

TABLES = ("source", "attributes", "privacy", "objective", "search", "release", "attacks", "front")
"""The tables of a policy file, in their usual order."""

POLICY_KEYS: tuple[PolicyKey, ...] = (
    *(*SOURCE, *ATTRIBUTES, *PLACES, *HIERARCHY, *PRIVACY, *OBJECTIVE),
    *(*SEARCH, *RELEASE, *ATTACKS, *FRONT),
)

"""All keys but the options of single algorithms, which the algorithms describe themselves."""

_TOGETHER = (*ROLES, OPTIONS_ARGUMENT, LIMITS, FRONT_OPTIONS)
"""Arguments that state several keys."""

_SEARCHES_FRONT = (
    "models",
    "entity",
    "harden",
    "consistent",
    "suppression",
    "seconds",
    "nodes",
    "threads",
    "seed",
)


def keys_of(table: str, keys: Iterable[PolicyKey] = POLICY_KEYS) -> dict[str, PolicyKey]:
    """The keys of a table by their names."""
    return {key.name: key for key in keys if key.table == table}


def arguments_of(*tables: str, keys: Iterable[PolicyKey] = POLICY_KEYS) -> dict[str, Argument]:
    """The arguments that state the keys of tables, by their keywords."""
    stated = [key.stated_argument for key in keys]
    every = [*_TOGETHER[: len(ROLES)], *filter(None, stated), *_TOGETHER[len(ROLES) :]]
    return {each.keyword: each for table in tables for each in every if each.table == table}


FILE_ARGUMENTS: Mapping[str, Argument] = arguments_of("source")
"""What states how a file is written."""

SEARCH_ARGUMENTS: Mapping[str, Argument] = {
    **arguments_of("attributes", "privacy", "objective", "search"),
    **FILE_ARGUMENTS,
}
"""What states a policy whose release is not written."""

POLICY_ARGUMENTS: Mapping[str, Argument] = {**SEARCH_ARGUMENTS, **arguments_of("release", "attacks")}
"""What states a policy in Python and on the command line."""

REPORT_ARGUMENTS: Mapping[str, Argument] = {
    keyword: POLICY_ARGUMENTS[keyword]
    for keyword in ("quasi_identifiers", "k", "sensitive", "identifiers", "models", "hierarchies")
}
"""What states the demand that a release is reported against; without k, none is demanded."""

FRONT_ARGUMENTS: Mapping[str, Argument] = {
    **arguments_of("attributes"),
    **{keyword: POLICY_ARGUMENTS[keyword] for keyword in _SEARCHES_FRONT},
    "k": replace(
        POLICY_ARGUMENTS["k"],
        words="The least k of a point that is suggested or picked; the front itself shows others, too.",
        default=1,
    ),
    "suppression": replace(
        POLICY_ARGUMENTS["suppression"],
        words="Most rows that may be suppressed. Over levels the smallest groups are suppressed while they "
        "fit into this limit, and k is the least size that stays.",
    ),
    **arguments_of("front"),
    **FILE_ARGUMENTS,
}
"""What states a policy for `shoal.front`; a point is of each of several k."""


def current_name(name: str, keys: Iterable[PolicyKey] = POLICY_KEYS) -> PolicyKey | None:
    """The key that once had this name."""
    return next((key for key in keys if name and key.formerly == name), None)
