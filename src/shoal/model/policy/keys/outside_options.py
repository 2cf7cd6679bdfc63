"""Options of algorithms from other packages: the fields of their classes that have words, as policy keys."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.model.parameter import parameters_of
from shoal.model.policy.keys.key import PolicyKey
from shoal.model.policy.keys.options import SEARCH_OPTIONS
from shoal.model.registry import Registry

_OUTSIDE: Registry[Any] = Registry("algorithm", "shoal.algorithms", {})
"""Those of other packages alone; `shoal.algorithms` has all of them."""


@cache
def outside_options() -> Mapping[str, PolicyKey]:
    """The options by name; one that several algorithms have takes what any of them takes."""
    found: dict[str, PolicyKey] = {}
    for name, algorithm in _OUTSIDE.items():
        hints = get_type_hints(algorithm)
        for key, words in parameters_of(algorithm).items():
            before = found[key].kinds if key in found else ()
            found[key] = PolicyKey(
                table="search",
                name=key,
                kinds=tuple(dict.fromkeys((*before, *_kinds(hints[key])))),
                words=words.hint or f"{words.label}.",
                heeded_by=(name,),
            )
    return found


def search_options() -> Mapping[str, tuple[type, ...]]:
    """Per option of any algorithm the kinds that its value may have."""
    return {**{name: key.kinds for name, key in outside_options().items()}, **SEARCH_OPTIONS}


def _kinds(hint: Any) -> tuple[type, ...]:
    """The kinds of a policy file that a type is written as."""
    origin = get_origin(hint)
    if origin is Literal:
        return (str,)
    if origin in (Union, UnionType):
        return tuple(kind for each in get_args(hint) if each is not type(None) for kind in _kinds(each))
    if origin in (tuple, list):
        return (list,)
    return (int, float) if hint is float else (hint,)
