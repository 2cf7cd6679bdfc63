"""The policy's arguments of a public function: its signature and docstring list each key that it takes.

A function declares `**values: Unpack[...]`, which type checkers and editors read. At run time the same
arguments come from the description of the keys, so that `help` and `inspect.signature` show them one by one.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from shoal.api.read_policy import read_policy
from shoal.model.policy.keys import FILE_ARGUMENTS
from shoal.model.policy.keys.key import Argument
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of, said_arguments

F = TypeVar("F", bound=Callable[..., Any])

WIDTH = 100
EXAMPLES = "\nExamples\n--------\n"
"""The section that comes after all arguments."""


def with_policy_arguments(arguments: Mapping[str, Argument]) -> Callable[[F], F]:
    """A decorator: list these arguments in place of `**values`."""

    def listed(function: F) -> F:
        signature = inspect.signature(function)
        own = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        parameters = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=argument.default, annotation=argument.type
            )
            for name, argument in arguments.items()
        ]
        function.__signature__ = signature.replace(parameters=[*own, *parameters])  # type: ignore[attr-defined]
        documented = inspect.getdoc(function) or ""
        # The function's own description of an argument comes before that of the key.
        missing = [argument for name, argument in arguments.items() if f"\n{name}\n" not in documented]
        described, heading, examples = documented.partition(EXAMPLES)
        function.__doc__ = f"{described.rstrip()}\n{_paragraphs(missing)}\n{heading}{examples}\n"
        return function

    return listed


def with_file_arguments(function: F) -> F:
    """A decorator: list the arguments that say how a file is written, and refuse all that are not listed."""
    listed = with_policy_arguments(FILE_ARGUMENTS)(function)
    signature = inspect.signature(listed)

    @functools.wraps(listed)
    def called(*args: Any, **kwargs: Any) -> Any:
        signature.bind(*args, **kwargs)  # `**file` would take a mistyped name, and nobody would miss it
        return listed(*args, **kwargs)

    return cast("F", called)


def stated_policy(
    policy: Policy | str | Path | None, values: Mapping[str, Any], arguments: Mapping[str, Argument]
) -> Policy:
    """The policy that was given, or that its file states, or that the arguments make."""
    if policy is None:
        return policy_of(**said_arguments(values, arguments))
    return policy if isinstance(policy, Policy) else read_policy(policy)


def _wrapped(words: str) -> str:
    return textwrap.fill(words, WIDTH, break_on_hyphens=False)


def _paragraphs(arguments: Iterable[Argument]) -> str:
    return "\n".join(
        f"{argument.keyword}\n{textwrap.indent(_wrapped(argument.docstring), '    ')}"
        for argument in arguments
    )
