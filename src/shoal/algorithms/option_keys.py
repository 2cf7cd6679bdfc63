"""The options of all algorithms, as keys of a policy's table [search]."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from shoal.algorithms import ALGORITHMS
from shoal.model.parameter import Parameter, parameters_of
from shoal.model.policy.keys.key import PolicyKey

_KINDS: dict[type, tuple[type, ...]] = {
    bool: (bool,),
    int: (int,),
    float: (int, float),
    str: (str,),
    tuple: (list,),
}
"""By the type of an option's default: the kinds that a policy file may state."""


def option_keys() -> tuple[PolicyKey, ...]:
    """The options, each with the algorithms that have it; one that differs between two has two entries."""
    found: list[PolicyKey] = []
    for name, algorithm in ALGORITHMS.items():
        defaults = {each.name: each.default for each in fields(algorithm)}
        for option, words in parameters_of(algorithm).items():
            key = _key(option, words, defaults[option])
            same = [at for at, each in enumerate(found) if replace(each, heeded_by=()) == key]
            if same:
                known = found[same[0]]
                found[same[0]] = replace(known, heeded_by=(*known.heeded_by, name))
            else:
                found.append(replace(key, heeded_by=(name,)))
    return tuple(found)


def _key(name: str, words: Parameter, default: Any) -> PolicyKey:
    number = isinstance(default, int | float) and not isinstance(default, bool)
    return PolicyKey(
        table="search",
        name=name,
        kinds=_KINDS[type(default)],
        words=f"{words.label}.",
        more=words.hint,
        default=list(default) if isinstance(default, tuple) else default,
        choices=words.choices,
        least=words.least if number else None,
        items={"type": "string"} if isinstance(default, tuple) else {},
    )
