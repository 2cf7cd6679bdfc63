"""The arguments that a call may have next to a policy; any other is refused, because it would be ignored.

A policy is the whole request: an argument that it silently overrides may be the one that names an
identifier. Every function that takes a policy lists the arguments that it accepts with one, and refuses the
others. What counts is what the call passes, not whether it differs from a default: `seed=0` next to a policy
with another seed would be dropped, too. Only `None` and an empty list or dictionary say nothing, so that
callers can hand on what they lack.

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
    """A decorator: with a policy, the function accepts these arguments and refuses all others.

    Parameters
    ----------
    names
        The parameters that apply with a policy, in addition to those that name the table.
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
                refuse_alongside_policy(
                    {name: value for name, value in kwargs.items() if name not in allowed}
                )
            return door(*args, **kwargs)

        checked.allowed_alongside_policy = allowed & set(parameters)  # type: ignore[attr-defined]
        return cast("Callable[P, R]", checked)

    return of


def refuse_alongside_policy(arguments: Mapping[str, Any]) -> None:
    """Raise `PolicyError` if an argument is passed that only a policy may state.

    Parameters
    ----------
    arguments
        Arguments or flags by their names, with their values.
    """
    extra = [name for name, value in arguments.items() if not _is_empty(value)]
    if extra:
        raise PolicyError(f"a policy is complete; leave out {', '.join(extra)}, or change the policy")


def _is_empty(value: object) -> bool:
    collection = isinstance(value, Sequence | Mapping | AbstractSet) and not isinstance(value, str | bytes)
    return value is None or (collection and not value)
