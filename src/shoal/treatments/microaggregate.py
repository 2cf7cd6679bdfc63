"""Microaggregate: numbers as the means of groups of similar rows, while other columns are generalized."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from shoal.algorithms.rows.similar_rows import similar_rows
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import number, number_of, number_text
from shoal.treatments._base import Cells, Treatment
from shoal.treatments._decimals import decimals_of, rounded_to

MORE_DECIMALS = 2
"""Decimals that a mean has in addition to those of the column."""


@dataclass(frozen=True, kw_only=True)
class Microaggregate(Treatment):
    """One column by itself, or several together.

    Parameters
    ----------
    k
        Least rows of a group.
    group
        A name: columns with the same name form groups of rows together.
    """

    name = "microaggregate"
    description = Description(
        title="Microaggregate",
        short="Numbers as means of groups of similar rows",
        meaning="Rows that are similar in this column form groups of at least k rows, and each row gets the "
        "mean of its group. One column by itself has the groups with the least sum of squares (Hansen and "
        "Mukherjee); columns with the same `group` have common groups (MDAV).",
        when="Numbers that stay numbers, with the same mean, while no value is that of fewer than k rows.",
        limits="No number is true of its row, and variances become smaller. These groups have nothing to do "
        "with those of the quasi-identifiers.",
        example="With k = 3, 10, 11, 15, 40, 44, 48 becomes 12, 12, 12, 44, 44, 44.",
    )
    meant = "number"
    checked_by = "original"

    k: int = field(metadata=parameter("k", "Least rows of a group.", start=5))
    group: str | None = field(
        default=None, metadata=parameter("Together with", "Columns of one name have common groups.")
    )

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise self.wrong("k", "a whole number of at least 2")
        if self.group is not None and (not isinstance(self.group, str) or not self.group):
            raise self.wrong("group", "a text")

    @property
    def truthful(self) -> bool:
        return False

    @property
    def family(self) -> object:
        return None if self.group is None else (self.name, self.k, self.group)

    def treated(self, cells: Cells) -> NewCells:
        cells.numbers(self.name)
        names = cells.together or (cells.column,)
        columns = {name: self._numbers(cells, name) for name in names}
        own = columns[cells.column]
        known = np.flatnonzero([each is not None for each in own])
        if len(names) > 1 and any(None in each for each in columns.values()):
            raise PolicyError(
                f"treatment 'microaggregate' of column {cells.column!r}: the columns of the group "
                f"{self.group!r} have missing cells, so their rows cannot be compared; leave out group"
            )
        if len(known) < self.k:
            raise PolicyError(
                f"treatment 'microaggregate' of column {cells.column!r}: it has {len(known):,} known cells, "
                f"and a group needs k = {self.k}; drop the column, or take a smaller k"
            )
        groups = similar_rows(
            [[_known(each[row]) for row in known.tolist()] for each in columns.values()], self.k
        )
        return self._means(cells, own, known, groups)

    def _numbers(self, cells: Cells, name: str) -> list[Fraction | None]:
        texts = cells.table.texts(name)
        numbers = [None if text is None else number_of(text) for text in texts]
        return [numbers[code] for code in cells.table.column(name).tolist()]

    def _means(
        self, cells: Cells, own: list[Fraction | None], known: np.ndarray, groups: np.ndarray
    ) -> NewCells:
        decimals = decimals_of(cells.used_texts) + MORE_DECIMALS
        sums = [Fraction(0)] * (int(groups.max()) + 1)
        for row, group in zip(known.tolist(), groups.tolist(), strict=True):
            sums[group] += _known(own[row])
        sizes = np.bincount(groups, minlength=len(sums)).tolist()
        means = [
            number_text(number(rounded_to(total / size, decimals))) if size else None
            for total, size in zip(sums, sizes, strict=True)
        ]
        choices = np.full(len(own), len(means), np.int64)
        choices[known] = groups
        return NewCells(texts=(*means, None), choices=choices, kind="number")

    def words(self) -> str:
        together = "" if self.group is None else f", together with the other columns of {self.group!r}"
        return f"has means of groups of at least {self.k} similar rows{together}"


def _known(value: Fraction | None) -> Fraction:
    assert value is not None
    return value
