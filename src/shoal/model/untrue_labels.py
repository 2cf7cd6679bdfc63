"""Warnings about hierarchies whose labels do not hold their values."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model.attribute import Attribute


def untrue_labels(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """A sentence per attribute whose hierarchy would make a release untrue."""
    found = []
    for attribute in attributes:
        hierarchy = attribute.given_hierarchy()
        wrong = () if hierarchy is None else hierarchy.untrue()
        if wrong:
            leaves = len({each.leaf for each in wrong})
            found.append(
                f"the hierarchy of {attribute.name!r} has {leaves:,} value(s) under labels that do not hold "
                f"them, the first in line {wrong[0].line}: {wrong[0].leaf!r} under {wrong[0].label!r}. "
                "Released rows with such a label are untrue; correct the hierarchy"
            )
    return tuple(found)
