"""Hierarchies and orders whose values are spelled as in the file, with their values in plain form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.model.cells.cell_form import CellForm, read_in_form
from shoal.model.cells.values import UnreadableError, comparable, text_of
from shoal.model.hierarchy.hierarchy import Hierarchy

if TYPE_CHECKING:
    from shoal.model.table.domain import Value


def plain_texts(texts: Sequence[str], form: CellForm | None) -> list[str]:
    """Texts in plain form: those that are values in a form, as a release prints them; others unchanged."""
    if form is None:
        return list(texts)
    values: dict[int, Value] = {}
    for at, text in enumerate(texts):
        try:
            values[at] = read_in_form(text, form)
        except UnreadableError:
            continue
    if form.kind == "date":
        try:
            values = dict(zip(values, comparable(list(values.values())), strict=True))  # type: ignore[arg-type]
        except UnreadableError:
            return list(texts)
    return [text_of(values[at]) if at in values else text for at, text in enumerate(texts)]


def respelled(hierarchy: Hierarchy, form: CellForm | None) -> Hierarchy:
    """A hierarchy whose leaves are spelled as in the file, with its leaves in plain form."""
    if form is None:
        return hierarchy
    leaves = plain_texts([row[0] for row in hierarchy.rows], form)
    return Hierarchy(tuple((leaf, *row[1:]) for leaf, row in zip(leaves, hierarchy.rows, strict=True)))
