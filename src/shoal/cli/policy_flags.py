"""The flags of policy keys, made from the description of the keys."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from shoal.cli import arguments
from shoal.model.policy.keys import FILE_ARGUMENTS, POLICY_ARGUMENTS
from shoal.model.policy.keys.key import PANELS, Argument
from shoal.model.policy.suppression import Suppression

F = TypeVar("F", bound=Callable[..., None])

_TYPES: Mapping[str, type] = {"int": int, "float": float, "bool": bool, "Any": Path}
"""What typer reads for annotations of one value; text for others."""


def flag(keyword: str) -> Any:
    """The flag of an argument."""
    argument = POLICY_ARGUMENTS[keyword]
    return typer.Option(
        *argument.flags, rich_help_panel=argument.panel, help=argument.help, metavar=argument.metavar
    )


def with_policy_flags(command: F) -> F:
    """A decorator: a command takes every policy flag, by its keyword, as one of its `**stated`."""
    signature = inspect.signature(command, eval_str=True)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    place = next(at for at, each in enumerate(own) if each.name == "table") + 1
    with_flags = [each for each in POLICY_ARGUMENTS.values() if each.flags]
    with_flags.sort(key=lambda argument: PANELS.index(argument.panel))
    parameters = [_parameter(argument) for argument in with_flags]
    every = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in (*own[:place], *parameters, *own[place:])
    ]
    command.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    return command


def with_file_flags(command: F) -> F:
    """A decorator: a command takes the flags that say how a file is written, as its `**file`."""
    signature = inspect.signature(command, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    every = [*own, *map(_parameter, FILE_ARGUMENTS.values())]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def cell_arguments(missing: list[str] | None, formats: list[str] | None) -> dict[str, Any]:
    """What --missing and --format state about cells, as `inspect` and `init` take it."""
    return policy_arguments({"missing": missing or None, "formats": formats or None})


def _parameter(argument: Argument) -> inspect.Parameter:
    several = argument.annotation.startswith(("Sequence[", "Mapping["))
    kind: Any = list[str] if several else _TYPES.get(argument.annotation, str)
    is_switch = _is_switch(argument)
    return inspect.Parameter(
        argument.keyword,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch else None,
        annotation=Annotated[kind if is_switch else kind | None, flag(argument.keyword)],
    )


def _is_switch(argument: Argument) -> bool:
    """Whether a flag is there or not there; one with two names may be neither."""
    return argument.annotation == "bool" and "/" not in argument.flags[0]


def shaping(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that make a policy, and so do not go with a policy file: flag -> value."""
    return {
        POLICY_ARGUMENTS[keyword].flags[0]: value
        for keyword, value in stated.items()
        if not POLICY_ARGUMENTS[keyword].overrides
        and not (value is False and _is_switch(POLICY_ARGUMENTS[keyword]))
    }


def overriding(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that go with a policy file, by their keywords."""
    return {keyword: value for keyword, value in stated.items() if POLICY_ARGUMENTS[keyword].overrides}


def policy_arguments(stated: Mapping[str, Any]) -> dict[str, Any]:
    """What the flags state, as `policy_of` takes it."""
    return {keyword: _read(keyword, value) for keyword, value in stated.items() if value is not None}


def _read(keyword: str, value: Any) -> Any:
    argument = POLICY_ARGUMENTS[keyword]
    if keyword in _READERS:
        return _READERS[keyword](value)
    if argument.annotation == "Sequence[str]":
        return arguments.names(value)
    if argument.annotation.startswith("Mapping["):
        name = argument.flags[0]
        return arguments.pairs(name, value, _ENTRIES.get(keyword, partial(arguments.number, name)))
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "missing": arguments.markers,
    "models": lambda given: [arguments.model(each) for each in given],
    "options": arguments.options,
    "seconds": arguments.seconds,
    "sets": lambda given: [arguments.column_set(each) for each in given],
    "suppression": lambda given: Suppression.parse(given).stated,
    "known_events": lambda given: int(given) if given.isdecimal() else given,
}
_ENTRIES: Mapping[str, Callable[[str], Any]] = {
    "formats": str,
    "hierarchies": Path,
    "levels": arguments.levels,
    "orders": arguments.order,
    "points": arguments.point,
    "slots": arguments.values,
    "treatments": arguments.treatment,
    "types": str,
}
"""What is read behind COLUMN=; a number for the others."""
