"""Doors: the public functions. Every error that leaves one says what to do.

Decided: the annotation alone defines what an argument may be, and is read only after a call failed.
Whatever works by duck typing stays allowed, a call that succeeds pays nothing, a message written for a
particular mistake comes first, and a failure although every argument fits is our bug and stays as it is.

Assumes annotations as text (`from __future__ import annotations`).
"""

from __future__ import annotations

import ast
import functools
import inspect
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import ParamSpec, TypeVar, cast

from shoal.errors import InternalError, PolicyError, ShoalError
from shoal.model.suggestion import suggestion
from shoal.model.table.half_character import has_half_character

P = ParamSpec("P")
R = TypeVar("R")

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "str": str,
    "bool": bool,
    "int": numbers.Integral,
    "float": numbers.Real,
    "Path": os.PathLike,
    **dict.fromkeys(("Attacker", "Form", "Kind", "RecodingKind", "SuppressedCells"), str),
}
"""The meaning of the plain names in annotations."""


def door(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: where a call fails on an argument of a wrong kind, `PolicyError` names the argument."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (ShoalError, InternalError, OSError):
            raise
        except Exception:
            unknown = _unknown(signature, kwargs)
            if unknown is not None:
                raise TypeError(f"{function.__name__}() got {unknown}") from None
            refused = _refused(signature, args, kwargs)
            if refused is None:
                raise
            raise PolicyError(refused) from None

    return cast("Callable[P, R]", called)


def _unknown(signature: inspect.Signature, kwargs: Mapping[str, object]) -> str | None:
    """What to say of a keyword that does not exist: as Python does, with the nearest that does."""
    parameters = signature.parameters
    name = next((each for each in kwargs if each not in parameters), None)
    if name is None:
        return None
    return f"an unexpected keyword argument {name!r}.{suggestion(name, parameters)}"


def _refused(
    signature: inspect.Signature, args: Iterable[object], kwargs: Mapping[str, object]
) -> str | None:
    """What to say of the first argument that cannot be meant; no value is quoted."""
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:  # no such parameter: Python has said so
        return None
    for name, value in arguments.items():
        if _has_half_a_character(value):
            return f"{name} has half a character in it (a lone surrogate), which is no text; correct it"
        annotation = str(signature.parameters[name].annotation)
        if not _fits(value, ast.parse(annotation, mode="eval").body):
            return f"{name} takes {annotation}; given was something else, of type {type(value).__name__}"
    return None


def _fits(value: object, kind: ast.expr) -> bool:
    """Whether a value is of the kind that an annotation names."""
    match kind:
        case ast.BinOp(left=left, right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Constant():
            return value is None
        case ast.Name(id="Explanation" | "Ledger" | "Policy" as name):
            return name in (each.__name__ for each in type(value).__mro__)
        case ast.Name(id="SqlEngine"):
            return hasattr(value, "open")
        case ast.Name(id=name):
            return isinstance(value, _KINDS.get(name, object))  # what has no rule is not judged
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=each):
            return (
                isinstance(value, Iterable)
                and not isinstance(value, str | bytes | Mapping)
                and all(_fits(part, each) for part in _parts(value))
            )
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[key, each])):
            return isinstance(value, Mapping) and all(
                _fits(name, key) and _fits(part, each) for name, part in value.items()
            )
        case ast.Subscript(value=ast.Name(id="Callable")):
            return callable(value)
    return True


def _has_half_a_character(value: object) -> bool:
    if isinstance(value, str):
        return has_half_character(value)
    if isinstance(value, Mapping):
        return any(map(_has_half_a_character, (*value.keys(), *value.values())))
    return any(map(_has_half_a_character, _parts(value)))


def _parts(value: object) -> Iterable[object]:
    """What a collection holds; nothing of one that a look would use up, or that is a table."""
    return value if isinstance(value, list | tuple | AbstractSet) else ()
