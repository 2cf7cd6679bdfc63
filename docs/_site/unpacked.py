"""Show the keyword arguments behind `**arguments: Unpack[SomeArguments]`, with their words and defaults.

The signature is the one that Python itself reports; the words are those below each field of the `TypedDict`
and its bases. A parameter that the function's own docstring describes keeps that description.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import griffe


class Unpacked(griffe.Extension):
    """Rewrites each function of the package that takes `Unpack` of a `TypedDict`."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        for function, arguments in list(unpacking(pkg)):
            rewrite(function, words_of(pkg, arguments))


def unpacking(module: griffe.Module) -> Iterator[tuple[griffe.Function, str]]:
    """Functions with `**name: Unpack[X]`, and the path of X."""
    for function in module.functions.values():
        for parameter in () if function.is_alias else function.parameters:
            annotation = parameter.annotation
            if isinstance(annotation, griffe.ExprSubscript) and annotation.canonical_path.endswith(".Unpack"):
                assert isinstance(annotation.slice, griffe.Expr)
                yield function, annotation.slice.canonical_path
    for inner in module.modules.values():
        if not inner.is_alias:
            yield from unpacking(inner)


def words_of(package: griffe.Module, arguments: str) -> dict[str, str]:
    """The words below each field of a TypedDict, by name."""
    fields: griffe.Class = package.modules_collection[arguments]
    words: dict[str, str] = {}
    for each in [*reversed(fields.mro()), fields]:
        for name, attribute in each.attributes.items():
            words[name] = attribute.docstring.value if attribute.docstring else ""
    return words


def rewrite(function: griffe.Function, words: dict[str, str]) -> None:
    """Give a function its full signature, and its docstring a line for each parameter."""
    module = importlib.import_module(function.module.path)
    function.parameters = griffe.Parameters(
        *(
            griffe.Parameter(
                each.name,
                annotation=each.annotation,
                kind=getattr(griffe.ParameterKind, each.kind.name.lower()),
                default=None if each.default is each.empty else repr(each.default),
            )
            for each in inspect.signature(getattr(module, function.name)).parameters.values()
        )
    )
    sections = function.docstring.parse("numpy") if function.docstring else []
    for section in sections:
        if section.kind is griffe.DocstringSectionKind.parameters:
            own = {each.name: each for each in section.value}
            section.value = [
                own.get(each.name) or described(each, words.get(each.name, ""))
                for each in function.parameters
            ]
            function.docstring.parsed = sections


def described(parameter: griffe.Parameter, words: str) -> griffe.DocstringParameter:
    """A parameter as a docstring would describe it."""
    return griffe.DocstringParameter(
        parameter.name,
        description=words,
        annotation=parameter.annotation,
        value=None if parameter.default is None else str(parameter.default),
    )
