"""Similarity: different values that mean nearly the same reveal as much as one value.

Values are alike if one label of their hierarchy below its top covers them all (gastric ulcer and gastritis
are diseases of the stomach), numbers if they lie within a small share of the column's range.

Paper: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks._spread import Learned, Spread, SpreadAttack
from shoal.model.cells.column_texts import ColumnTexts
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.number_text import number_of

_SENSITIVE = Attribute(name="sensitive", role=Role.SENSITIVE)


class Similarity(SpreadAttack):
    """Rows of groups whose sensitive values are all alike."""

    name = "similarity"

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is None and not self.columns(target):
            return "no sensitive column has a hierarchy or is of numbers"
        return absent

    def columns(self, target: Target) -> Sequence[str]:
        return [name for name in target.sensitive if name in target.hierarchies or _numbers(target, name)]

    def learned(self, by_group: Spread, target: Target) -> Learned:
        hierarchy = target.hierarchies.get(by_group.column)
        alike = _within(by_group, target.near) if hierarchy is None else _under_one_label(by_group, hierarchy)
        # Rows with a hidden value may have any value; a group with one reveals only who has the others.
        alike &= by_group.per_group(~by_group.visible) == 0
        facts = {
            "rows_of_different_values": int(by_group.rows[alike & (by_group.distinct > 1)].sum()),
            "by": "range" if hierarchy is None else "hierarchy",
        }
        return alike[by_group.of_entry], facts

    def words(self, target: Target) -> str:  # noqa: ARG002
        return "in groups of values that mean nearly the same"

    def stated(self, target: Target) -> Mapping[str, object]:
        return {"near": target.near}


def _numbers(target: Target, name: str) -> bool:
    texts = _plain(target.release.texts(name))
    known = [text for text in texts if text not in (None, SUPPRESSED)]
    return bool(known) and all(text is not None and number_of(text) is not None for text in known)


def _plain(texts: Sequence[str | None]) -> list[str | None]:
    """Sensitive values, which are released as they were, in plain form."""
    read = ColumnTexts.of(_SENSITIVE, {text for text in texts if text != SUPPRESSED})
    return [read.value(text) for text in texts]


def _under_one_label(by_group: Spread, hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """Per group whether a label below the top covers all its values; a value covers itself."""
    rows = {row[0]: row for row in hierarchy.rows}
    alike = by_group.distinct == 1
    for level in range(1, hierarchy.height):
        if len({row[level] for row in hierarchy.rows}) == 1:
            break  # from here on labels say nothing
        # A value that the hierarchy does not know is similar to no other.
        labels = [rows[text][level] if text in rows else (text,) for text in by_group.texts]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        of_entry = np.array([numbers[label] for label in labels], np.int64)[by_group.values]
        most = by_group.greatest(of_entry.astype(float))
        least = len(numbers) - by_group.greatest(len(numbers) - of_entry.astype(float))
        alike = alike | (most == least)
    return np.asarray(alike)


def _within(by_group: Spread, near: float) -> NDArray[np.bool_]:
    """Per group whether its numbers lie within a share of the range; the missing value is no number."""
    texts = _plain(by_group.texts)
    read = [None if text is None or text == SUPPRESSED else number_of(text) for text in texts]
    numbers = np.array([np.nan if each is None else float(each) for each in read])
    if np.isnan(numbers).all():
        return np.zeros(by_group.groups, np.bool_)
    lowest, highest = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    # Measured from both ends, so that nothing is below 0.
    above, below = (np.nan_to_num(each)[by_group.values] for each in (numbers - lowest, highest - numbers))
    width = by_group.greatest(above) + by_group.greatest(below) - (highest - lowest)
    whole = by_group.per_group(np.isnan(numbers)[by_group.values]) == 0
    return np.asarray((whole & (width <= near * (highest - lowest) + 1e-9)) | (by_group.distinct == 1))
