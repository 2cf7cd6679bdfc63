"""The domain of a quasi-identifier, and the code that each distinct cell of its column gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shoal.engines.leaves import Leaves, read_leaves
from shoal.engines.values import UnreadableError, binned, guess, natural_key, number, read, text_of
from shoal.errors import PolicyError
from shoal.model.attribute import Attribute
from shoal.model.domain import SUPPRESSED, Domain, Kind, Value

Locate = Callable[[Sequence[int]], str]
"""From indices of distinct cells to words for where they are: how many rows, and the first row's number."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Coding:
    """How the distinct cells of one column are coded.

    Parameters
    ----------
    domain
        The ordered domain.
    codes
        The code of each distinct cell; one more entry at the end for the missing cell, -1 if none is missing.
    faithful
        Whether each code stands for exactly one distinct cell, and none of them reads like a suppressed one.
        Only then may a column be released as it was; "1" and "1.0" side by side would tell rows of one
        group apart.
    """

    domain: Domain
    codes: NDArray[np.int32]
    faithful: bool


def code_cells(
    attribute: Attribute, cells: Sequence[object], *, missing: bool, kind: Kind | None, locate: Locate
) -> Coding:
    """Derive the domain from the distinct cells of a column.

    Parameters
    ----------
    attribute
        What the policy says of the column.
    cells
        The distinct cells; `None` for those that mean "missing".
    missing
        Whether the column has missing cells besides.
    kind
        The kind that the column's own type implies, if it implies one.
    locate
        Words for the rows in which distinct cells occur, for messages that must not quote them.
    """
    kind = "number" if attribute.bin is not None else attribute.type or kind or guess(cells)
    values = _read(attribute.name, cells, kind, locate)
    integral = all(isinstance(value, int) for value in values if value is not None)
    width = attribute.bin
    if width is not None:
        # A float would round the ends of bins of large numbers.
        width = int(width) if float(width).is_integer() else width
        integral = integral and isinstance(width, int)
        values = [None if value is None else binned(cast(int | float, value), width) for value in values]
    leaves = read_leaves(attribute.hierarchy) if attribute.hierarchy else None
    kind, ordered = _ordered(attribute, values, kind, leaves, locate)
    with_missing = missing or None in values
    domain = Domain(
        name=attribute.name,
        kind=kind,
        values=(*ordered, None) if with_missing else tuple(ordered),
        bin=width,
        integral=integral,
        names=_names(ordered, leaves) if leaves and kind == "category" else (),
        places=_places(ordered, leaves) if leaves and width is None else (),
        leaves=len(leaves.order) if leaves else 0,
    )
    code_of: dict[object, int] = {value: code for code, value in enumerate(domain.values)}
    codes = [code_of[value] for value in values] + [code_of[None] if with_missing else -1]
    one_to_one = attribute.bin is None and len(cells) + missing == len(domain)
    stars = any(isinstance(value, str) and value == SUPPRESSED for value in ordered)
    return Coding(domain=domain, codes=np.array(codes, np.int32), faithful=one_to_one and not stars)


def _read(name: str, cells: Sequence[object], kind: Kind, locate: Locate) -> list[Value]:
    try:
        return read(cells, kind)
    except UnreadableError:
        strange = [index for index, cell in enumerate(cells) if not _readable(cell, kind)]
        where = locate(strange) if strange else "some with a time zone and some without"
        raise PolicyError(
            f"column {name!r} is to be read as type '{kind}', but {len(strange) or 'its'} distinct value(s) "
            f'cannot be: {where}; correct them, or say type = "category"'
        ) from None


def _readable(cell: object, kind: Kind) -> bool:
    try:
        read([cell], kind)
    except UnreadableError:
        return False
    return True


def _ordered(
    attribute: Attribute, values: Sequence[Value], kind: Kind, leaves: Leaves | None, locate: Locate
) -> tuple[Kind, list[Value]]:
    """The distinct known values in the domain's order, and the kind, which an order can change."""
    natural = _natural(values, kind)
    if attribute.order is not None:
        ordered = _arranged(attribute.name, "`order`", attribute.order, values, natural, locate)
        if kind != "category" and ordered != natural:
            raise PolicyError(
                f"the `order` of column {attribute.name!r} is not increasing, but its type is '{kind}'; "
                'sort it, or say type = "category" if they are codes'
            )
        return kind, ordered
    if leaves is not None:
        ordered = _arranged(attribute.name, "its hierarchy", leaves.order, values, natural, locate)
        return (kind if ordered == natural else "category"), ordered
    return kind, natural


def _natural(values: Sequence[Value], kind: Kind) -> list[Value]:
    known = {value for value in values if value is not None}
    if kind == "category":
        return sorted(known, key=natural_key)
    return sorted(known, key=cast(Any, lambda value: value))  # values of one kind compare


def _arranged(
    name: str,
    what: str,
    order: Sequence[Value],
    values: Sequence[Value],
    known: Sequence[Value],
    locate: Locate,
) -> list[Value]:
    """The known values in the given order; a number and its text are the same value."""
    by_text = {text_of(value): value for value in known}
    by_number = {key: value for value in known if (key := _number(value)) is not None}
    ordered: list[Value] = []
    for entry in order:
        if text_of(entry) in by_text:
            ordered.append(by_text[text_of(entry)])
        elif (key := _number(entry)) is not None and key in by_number:
            ordered.append(by_number[key])
    if len(set(ordered)) < len(ordered):
        raise PolicyError(f"{what} of column {name!r} names a value twice; a number and its text are one")
    absent = set(known) - set(ordered)
    if absent:
        where = locate([index for index, value in enumerate(values) if value in absent])
        raise PolicyError(
            f"{len(absent):,} distinct value(s) of column {name!r} are missing from {what}: {where}; add them"
        )
    return ordered


def _number(value: Value) -> int | float | None:
    if isinstance(value, bool):
        return None
    try:
        return number(value)
    except UnreadableError:
        return None


def _places(ordered: Sequence[Value], leaves: Leaves) -> tuple[int, ...]:
    """Where the values stand among the leaves; a number and its text are the same leaf."""
    by_text = {leaf: place for place, leaf in enumerate(leaves.order)}
    by_number = {_number(leaf): place for place, leaf in enumerate(leaves.order)}
    return tuple(by_text.get(text_of(value), by_number.get(_number(value), -1)) for value in ordered)


def _names(ordered: Sequence[Value], leaves: Leaves) -> tuple[tuple[int, int, str], ...]:
    """The hierarchy's labels that cover neighbouring values; of values that are absent nothing is asked."""
    texts = [text_of(value) for value in ordered]
    names = []
    for label, below in leaves.labels:
        codes = [code for code, text in enumerate(texts) if text in below]
        if len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1:
            names.append((codes[0], codes[-1], label))
    return tuple(names)
