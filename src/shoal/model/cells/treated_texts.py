"""The cells of a treated column as its treatment means them: numbers and dates in plain form.

A column that is treated is read as a quasi-identifier is: with the missing markers and the format that the
policy states, or that all of its cells together show. Its new cells are written in plain form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from shoal.errors import PolicyError
from shoal.model.cells.column_texts import ColumnTexts
from shoal.model.cells.missing_markers import StatedMarkers
from shoal.model.policy.attribute import Attribute
from shoal.model.table.coded_cells import CodedCells

Meant = Literal["number", "date", "value", "text"]
"""What a treatment needs: numbers, dates, either of them, or cells as they are written."""


def treated_texts(
    table: CodedCells, meant: Mapping[str, Meant], attributes: Mapping[str, Attribute]
) -> dict[str, ColumnTexts]:
    """How treated columns read in plain form; `PolicyError` if one can be read in two ways.

    Parameters
    ----------
    table
        All rows of the source.
    meant
        What the treatment of each column needs.
    attributes
        What the policy states of columns.
    """
    return {name: _texts(table, attributes[name], each) for name, each in meant.items() if name in attributes}


def _texts(table: CodedCells, attribute: Attribute, meant: Meant) -> ColumnTexts:
    texts, name = table.texts(attribute.name), attribute.name
    used = {texts[code] for code in np.unique(table.column(name)).tolist()}
    if meant == "text":
        markers = StatedMarkers(attribute.missing or ())
        missing: dict[str, str | None] = {text: None for text in used if text is not None and text in markers}
        return ColumnTexts(kind="category", form=None, plain=missing, labelled=False)
    found = ColumnTexts.of(attribute, used, None if meant == "value" else meant)
    if found.ambiguous:
        choices = " or ".join(f'format = "{each}"' for each in found.ambiguous)
        raise PolicyError(
            f"the {meant}s of column {name!r}, which is treated, can be read in {len(found.ambiguous)} ways; "
            f"state {choices} under [attributes.{name}] (Python: formats; flag: --format)"
        )
    return found
