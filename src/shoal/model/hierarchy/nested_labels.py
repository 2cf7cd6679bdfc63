"""Labels above labels, as nested dictionaries: `{"*": {"Higher": ["Bachelors", "Masters"], ...}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from shoal.errors import PolicyError
from shoal.model.table.domain import Domain, Value
from shoal.model.table.number_text import NoNumberError


def nested_rows(labels: Mapping[Any, object], where: str) -> list[tuple[str, ...]]:
    """One row per leaf, from the leaf upward, in the order of the dictionary.

    A dictionary contains the branches of a label, a list its leaves. Branches may differ in depth: a leaf of
    a short branch is repeated upward until all rows are equally long.

    Parameters
    ----------
    labels
        Each label with what is under it.
    where
        What to call the dictionary in messages.
    """
    try:
        paths = list(_paths(labels, (), where))
    except RecursionError:
        raise PolicyError(f"{where}: the labels are nested too deep") from None
    if not paths:
        raise PolicyError(f'{where} has no values; write them as lists: {{ Higher = ["Bachelors"] }}')
    longest = max(len(path) for path in paths)
    return [(path[0],) * (longest - len(path)) + path for path in paths]


def _paths(node: object, above: tuple[str, ...], where: str) -> Iterator[tuple[str, ...]]:
    if isinstance(node, Mapping):
        for label, below in node.items():
            yield from _paths(below, (printed(label, where), *above), where)
    elif isinstance(node, list | tuple | set | frozenset):
        leaves = [printed(leaf, where) for leaf in node]
        # A set has no order, and the rows must not depend on how it is stored.
        for leaf in sorted(leaves) if isinstance(node, set | frozenset) else leaves:
            yield (leaf, *above)
    else:
        yield (printed(node, where), *above)


def printed(value: object, where: str) -> str:
    """A value or label as a release prints it."""
    if value is None or isinstance(value, list | tuple | dict | set):
        raise PolicyError(f"{where}: a label needs a dictionary of labels or a list of values under it")
    try:
        return Domain(name="", kind="category", values=(cast(Value, value),)).text(0)
    except NoNumberError:
        raise PolicyError(f"{where}: a number is not finite, or out of range; write it as text") from None
