"""Warnings about hierarchies whose labels do not cover their values."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model.cells.column_texts import plain_hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.result.coded_warning import CodedWarning

CODE = "untrue-labels"


def untrue_labels(attributes: Sequence[Attribute]) -> tuple[CodedWarning, ...]:
    """One warning per attribute whose hierarchy would make a release untrue."""
    warnings = []
    for attribute in attributes:
        hierarchy = None if CODE in attribute.acknowledge else plain_hierarchy(attribute)
        wrong = () if hierarchy is None else hierarchy.untrue()
        if wrong:
            leaves = len({each.leaf for each in wrong})
            warnings.append(
                CodedWarning(
                    f"the hierarchy of {attribute.name!r} has {leaves:,} value(s) under labels that do not "
                    f"cover them, the first in line {wrong[0].line}. Released rows with these labels are "
                    "untrue; correct the hierarchy",
                    code=CODE,
                    columns=[attribute.name],
                )
            )
    return tuple(warnings)
