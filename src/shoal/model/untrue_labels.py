"""Warnings about hierarchies whose labels do not hold their values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.model.attribute import Attribute
from shoal.model.hierarchy import Hierarchy


def untrue_labels(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """A sentence per attribute whose hierarchy would make a release untrue."""
    found = []
    for attribute in attributes:
        hierarchy = attribute.hierarchy
        hierarchy = Hierarchy.read(hierarchy) if isinstance(hierarchy, Path) else hierarchy
        wrong = hierarchy.untrue() if isinstance(hierarchy, Hierarchy) else ()
        if wrong:
            leaves = len({each.leaf for each in wrong})
            found.append(
                f"the hierarchy of {attribute.name!r} has {leaves:,} value(s) under labels that do not hold "
                f"them, the first in line {wrong[0].line}: {wrong[0].leaf!r} under {wrong[0].label!r}. "
                "Released rows with such a label are untrue; correct the hierarchy"
            )
    return tuple(found)
