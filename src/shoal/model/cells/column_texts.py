"""The texts of a column in plain form, as a release prints its values: for whoever compares the two.

A release prints numbers and dates plainly, whatever form its source has. An auditor or attacker who has the
source reads its cells as the release was made: with the same markers and the same form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.model.cells.cell_form import CellForm
from shoal.model.cells.recognise import Stated, recognise
from shoal.model.cells.respelled import respelled
from shoal.model.cells.values import text_of
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.number_text import number_of

if TYPE_CHECKING:
    from shoal.model.hierarchy.hierarchy import Hierarchy
    from shoal.model.table.domain import Kind


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnTexts:
    """How the texts of a column of the source read in plain form.

    Parameters
    ----------
    kind, form
        What the values are, and how the source writes them; `None` for plainly.
    plain
        Text of the source -> its plain form, `None` for missing; only those that differ.
    labelled
        Whether a release has labels in this column, which are plain, and not the source's own cells.
    ambiguous
        Formats that read every text, but differently; the texts are then left as they are.
    unread
        How many texts are not of the kind that is stated; the texts are then left as they are, too.
    """

    kind: Kind
    form: CellForm | None
    plain: dict[str, str | None]
    labelled: bool
    ambiguous: tuple[str, ...] = ()
    unread: int = 0

    @classmethod
    def of(cls, attribute: Attribute, texts: Collection[str | None], kind: Kind | None = None) -> ColumnTexts:
        """How the distinct texts of a column are read, by a policy's attribute.

        Parameters
        ----------
        attribute
            What the policy states of the column.
        texts
            Its texts.
        kind
            What its values must be, where the policy does not state it.
        """
        hierarchy = attribute.given_hierarchy()
        stated = Stated.of(attribute, leaves=() if hierarchy is None else hierarchy.leaves)
        if stated.type is None:
            stated = replace(stated, type=kind)
        known = [text for text in texts if text is not None]
        found = recognise(known, stated)
        if found.ambiguous or found.values is None:  # the search refuses such a column
            return cls(
                kind=stated.type or "category",
                form=None,
                plain={},
                labelled=attribute.role is Role.QUASI_IDENTIFIER,
                ambiguous=found.ambiguous,
                unread=len(found.unread),
            )
        plain: dict[str, str | None] = {known[at]: None for at in found.markers}
        if found.form is not None:
            for text, value in zip(known, found.values, strict=True):
                plain.setdefault(text, None if value is None else text_of(value))
        return cls(
            kind=found.kind,
            form=found.form,
            plain=plain,
            labelled=attribute.role is Role.QUASI_IDENTIFIER,
        )

    def value(self, text: str | None) -> str | None:
        """A text of the source in plain form."""
        return None if text is None else self.plain.get(text, text)

    def label(self, text: str | None) -> str | None:
        """A text of a release in plain form: its labels are plain, but another tool may keep cells."""
        if self.labelled and text is not None and number_of(text) is not None:
            return text
        return self.value(text)


def column_texts(table: CodedCells, attributes: Iterable[Attribute]) -> dict[str, ColumnTexts]:
    """How the quasi-identifiers of a source's rows read in plain form; columns that are plain are left out.

    Parameters
    ----------
    table
        The rows.
    attributes
        What the policy states of the columns.
    """
    found = {}
    for attribute in attributes:
        if attribute.role is not Role.QUASI_IDENTIFIER or attribute.name not in table.columns:
            continue
        used = np.unique(table.column(attribute.name)).tolist()
        texts = table.texts(attribute.name)
        found[attribute.name] = ColumnTexts.of(attribute, {texts[code] for code in used})
    return {name: texts for name, texts in found.items() if texts.plain}


def in_plain_form(
    table: CodedCells, texts: Mapping[str, ColumnTexts], *, released: bool = False
) -> CodedCells:
    """Rows with some columns in plain form; equal texts get one code.

    Parameters
    ----------
    table
        The rows.
    texts
        How columns read in plain form.
    released
        Whether the rows are a release, whose cells are labels.
    """
    cells, codes = list(table.cells), table.codes
    for name in table.columns:
        if name not in texts:
            continue
        at = table.position(name)
        read = texts[name].label if released else texts[name].value
        plain = [read(text) for text in cells[at]]
        if plain == list(cells[at]):
            continue
        number = {text: place for place, text in enumerate(dict.fromkeys(plain))}
        codes = codes.copy()
        codes[:, at] = np.array([number[text] for text in plain], np.int32)[codes[:, at]]
        cells[at] = tuple(number)
    return replace(table, cells=tuple(cells), codes=codes)


def plain_hierarchy(attribute: Attribute) -> Hierarchy | None:
    """The given hierarchy with its leaves in plain form, for whoever reads a release without its source.

    A column that is not recoded has the source's own cells, so its leaves stay as they are.
    """
    hierarchy = attribute.given_hierarchy()
    plain = attribute.kind == "category" or attribute.role is not Role.QUASI_IDENTIFIER
    if hierarchy is None or plain:
        return hierarchy
    return respelled(hierarchy, ColumnTexts.of(attribute, hierarchy.leaves).form)
