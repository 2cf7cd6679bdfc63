"""Words for a field of a dataclass: the parameter of a privacy model, or the option of an algorithm.

They are written next to the field, in its metadata:

    l: int = field(metadata=parameter("l", "Different values in each group.", start=3))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

_KEY = "shoal"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What a form shows for a field.

    Parameters
    ----------
    label, hint
        What the field is called, and what it does.
    start
        What a new form has there; `None` leaves the field out, so that its default applies.
    step
        How far an arrow key goes.
    least
        The least value that a form should offer; the class itself checks what it takes.
    choices
        The values that the field can have, and words for each.
    last
        Whether the field comes after all others: few people need it.
    in_form
        Whether a form shows it at all.
    """

    label: str
    hint: str = ""
    start: Any = None
    step: float = 1
    least: float = 1
    choices: Mapping[str, str] = field(default_factory=dict)
    last: bool = False
    in_form: bool = True


def parameter(
    label: str,
    hint: str = "",
    *,
    start: Any = None,
    step: float = 1,
    least: float = 1,
    choices: Mapping[str, str] | None = None,
    last: bool = False,
    in_form: bool = True,
) -> dict[str, Parameter]:
    """Metadata for a dataclass field; see `Parameter`."""
    words = Parameter(
        label=label,
        hint=hint,
        start=start,
        step=step,
        least=least,
        choices=choices or {},
        last=last,
        in_form=in_form,
    )
    return {_KEY: words}


def parameters_of(owner: type[Any]) -> dict[str, Parameter]:
    """The fields of a dataclass that have words, in the order of a form."""
    found = {each.name: each.metadata[_KEY] for each in fields(owner) if _KEY in each.metadata}
    return dict(sorted(found.items(), key=lambda item: item[1].last))
