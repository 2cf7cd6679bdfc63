"""What may be said beside a policy; anything else is refused, for it would be dropped.

A policy is the whole request: an argument that it silently overrides may be the one that names an
identifier. Every door that takes a policy states what goes with one, and refuses the rest of its parameters.
What counts is what the call says, not how it differs from a default: `seed=0` beside a policy with another
seed would be dropped, too. Only `None` and an empty list or dictionary say nothing, so that callers can hand
on what they lack.

Assumes that all parameters but source and policy are given by keyword.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ParamSpec, TypeVar, cast

from shoal.errors import PolicyError

P = ParamSpec("P")
R = TypeVar("R")

_ALWAYS = frozenset({"source", "release", "original", "policy", "table"})
"""Which rows, and which policy: never the policy's own matter."""


def alongside_policy(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for a door: beside a policy it takes these arguments, and refuses all others.

    Parameters
    ----------
    names
        The parameters that are heeded beside a policy, besides those that say which rows are meant.
    """

    def of(door: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(door).parameters
        unknown = set(names) - set(parameters)
        assert not unknown, f"{door.__name__} has no parameter {sorted(unknown)}"
        allowed = _ALWAYS | set(names)
        place = list(parameters).index("policy")
        by_position = parameters["policy"].kind is not inspect.Parameter.KEYWORD_ONLY

        @functools.wraps(door)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            policy = args[place] if by_position and len(args) > place else kwargs.get("policy")
            if policy is not None:
                refuse_alongside_policy({name: said for name, said in kwargs.items() if name not in allowed})
            return door(*args, **kwargs)

        checked.heeded_alongside_policy = allowed & set(parameters)  # type: ignore[attr-defined]
        return cast("Callable[P, R]", checked)

    return of


def refuse_alongside_policy(said: Mapping[str, Any]) -> None:
    """Raise `PolicyError` if anything is said that only a policy may say.

    Parameters
    ----------
    said
        Arguments or flags by their names, with their values.
    """
    beside = [name for name, value in said.items() if not _says_nothing(value)]
    if beside:
        raise PolicyError(f"a policy says everything; leave out {', '.join(beside)}, or change the policy")


def _says_nothing(value: object) -> bool:
    collection = isinstance(value, Sequence | Mapping | AbstractSet) and not isinstance(value, str | bytes)
    return value is None or (collection and not value)
