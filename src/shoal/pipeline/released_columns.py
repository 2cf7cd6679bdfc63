"""What became of each quasi-identifier: its loss, its values and labels, and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.recoding.recoding import Recoding, plain_value
from shoal.model.result.released_column import ReleasedColumn
from shoal.model.table.domain import MISSING, SUPPRESSED, Domain

if TYPE_CHECKING:
    from shoal.pipeline.draft import Draft

Ints = NDArray[np.int64]


def released_columns(draft: Draft) -> tuple[ReleasedColumn, ...]:
    """The quasi-identifiers of a release, in the order of the policy.

    Parameters
    ----------
    draft
        What is released.
    """
    return tuple(_Column(draft, attribute).described for attribute in range(len(draft.problem.table.domains)))


class _Column:
    """One quasi-identifier of a draft."""

    def __init__(self, draft: Draft, attribute: int) -> None:
        self._draft, self._attribute = draft, attribute
        self._recoding = draft.recoding
        self._domain: Domain = draft.problem.table.domains[attribute]
        released = draft.solution.released_codes[attribute]
        self._labels = self._recoding.labels(attribute, self._domain, released)
        self._members = self._recoding.members(attribute, self._domain)
        self._rows = rows_of_values(draft, attribute, len(self._labels))

    @property
    def described(self) -> ReleasedColumn:
        used = np.flatnonzero(self._rows).tolist()
        labels = {self._labels[number] for number in used}
        number = self._example(used)
        label = None if number is None else self._labels[number]
        return ReleasedColumn(
            name=self._domain.name,
            loss=self._loss(),
            values=len(self._domain),
            labels=len(labels),
            value=None if number is None else self._value(number),
            label=MISSING if number is not None and label is None else label,
            joined=len(labels) == 1 and len(self._domain) > 1,
        )

    def _loss(self) -> float | None:
        losses = _losses(self._recoding, self._attribute, self._domain, self._draft.policy.cost)
        if losses is None:
            return None
        shown = int(self._rows.sum())
        lost = sum(
            (loss * rows for loss, rows in zip(losses, self._rows.tolist(), strict=True) if rows), Fraction(0)
        )
        total = self._draft.problem.table.rows
        return float((lost + total - shown) / total)

    def _example(self, used: Sequence[int]) -> int | None:
        """The released value with the most rows among those that cover several values; or among all."""
        wide = [
            number for number in used if len(self._members[number]) > 1 and self._labels[number] != SUPPRESSED
        ]
        chosen = wide or used
        return max(chosen, key=lambda number: (int(self._rows[number]), -number)) if chosen else None

    def _value(self, number: int) -> str | None:
        """The most frequent of the values that are published for a released value."""
        codes, label = self._published(number), self._labels[number]
        if len(codes) == 0 or label == SUPPRESSED:
            return None
        if len(codes) == 1:
            return self._text(codes[0])
        rows = self._rows_of_codes(number)
        return self._text(max(codes, key=lambda code: (int(rows[code]), -code)))

    def _text(self, code: int) -> str:
        return self._domain.label(code, code) or MISSING

    def _published(self, number: int) -> list[int]:
        """The codes that the manifest lists for a released value, or the user's hierarchy has under it."""
        described: Any = self._draft.described[self._domain.name]
        members, tree = self._members[number], self._domain.tree
        if not self._recoding.truthful:
            return []
        if isinstance(described, Mapping):
            own = len(members) == 1 and self._labels[number] == self._domain.label(members[0], members[0])
            return list(members) if own or (tree is not None and tree.given) else []
        entries = [entry["values"] for entry in described if entry["label"] == self._labels[number]]
        listed = {(type(value), value) for values in entries for value in values}
        plain = {code: plain_value(self._domain, code) for code in members}
        return [code for code, value in plain.items() if (type(value), value) in listed]

    def _rows_of_codes(self, number: int) -> Ints:
        """Released rows of each code that are released as a value; of all rows where an engine has them."""
        if isinstance(self._recoding, DistributedRecoding):
            return self._draft.problem.table.margin(self._attribute)
        table, made = self._recoding.refined(self._draft.problem.table), self._draft.solution.groups
        chosen = made.kept[made.of_row] & (made.values[made.of_row, self._attribute] == number)
        codes, counts = table.codes[chosen, self._attribute], table.counts[chosen]
        return np.bincount(codes, counts, len(self._domain)).astype(np.int64)


def rows_of_values(draft: Draft, attribute: int, size: int) -> Ints:
    """Released rows of each released value of a column."""
    if isinstance(draft.recoding, DistributedRecoding):
        return draft.recoding.groups.rows_of_value[attribute]
    made = draft.solution.groups
    numbers, sizes = made.values[made.kept, attribute], made.sizes[made.kept]
    return np.bincount(numbers, sizes, size).astype(np.int64)


def _losses(recoding: Recoding, attribute: int, domain: Domain, cost: str) -> Sequence[Fraction] | None:
    """What each released value of a column loses."""
    measure = {"ncp": recoding.shares, "precision": recoding.steps}.get(cost, recoding.losses)
    try:
        return measure(attribute, domain)
    except PolicyError:
        return None
