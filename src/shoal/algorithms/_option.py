"""The words of an algorithm's option, which its policy key has."""

from __future__ import annotations

from typing import Any

from shoal.errors import InternalError
from shoal.model.parameter import Parameter, parameter
from shoal.model.policy.keys.options import OPTIONS


def option(algorithm: str, name: str, *, start: Any = None) -> dict[str, Parameter]:
    """Metadata for a field that is an option.

    Parameters
    ----------
    algorithm, name
        The algorithm and its option, which `shoal.model.policy.keys.options` describes.
    start
        What a form begins with, if that is not the default.
    """
    for key in OPTIONS:
        if key.name == name and algorithm in key.heeded_by and key.label:
            return parameter(key.label, key.words, start=start, choices=key.choices)
    raise InternalError(f"no policy key describes the option {name!r} of {algorithm!r}")
