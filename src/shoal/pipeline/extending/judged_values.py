"""The values that models examine in two versions, numbered alike, and whether models admit groups of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People, SensitiveColumn
from shoal.pipeline.extending.held_back import Admits
from shoal.privacy import GroupModel


class JudgedValues:
    """Columns of several tables whose values have common numbers.

    Parameters
    ----------
    columns
        The columns.
    tables
        The tables, row by row.
    models
        What a group must satisfy.
    """

    def __init__(
        self, columns: Sequence[str], tables: Sequence[CodedCells], models: Sequence[GroupModel]
    ) -> None:
        self._models = models
        texts = [sorted({text or "" for each in tables for text in each.texts(name)}) for name in columns]
        self._people = People(
            columns=tuple(
                SensitiveColumn(name=name, counts=(1,) * len(own), values=tuple(own))
                for name, own in zip(columns, texts, strict=True)
            )
        )
        numbers = [{text: number for number, text in enumerate(own)} for own in texts]
        self.values = [_values(each, columns, numbers) for each in tables]

    def admits(self, table: int) -> Admits:
        """Whether the models admit groups of rows of one of the tables."""

        def admitted(rows: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
            count = int(numbers.max()) + 1 if len(numbers) else 0
            good = np.ones(count, np.bool_)
            if not self._models or not count:
                return good
            order = np.argsort(numbers, kind="stable")
            groups = MeasuredGroups(
                people=self._people,
                rows=np.bincount(numbers, minlength=count).astype(np.int64),
                of_entry=numbers[order],
                codes=self.values[table][rows[order]].astype(np.int32),
                counts=np.ones(len(order), np.int64),
            )
            for model in self._models:
                columns = groups.columns_of(model)
                different, of_group = groups.alike(columns)
                people = groups.of(columns)
                good &= np.array([model.admits(each, people) for each in different], np.bool_)[of_group]
            return good

        return admitted


def _values(
    table: CodedCells, columns: Sequence[str], numbers: Sequence[dict[str, int]]
) -> NDArray[np.int64]:
    """One line per row, one number per column."""
    found = [
        np.array([own[text or ""] for text in table.texts(name)], np.int64)[table.column(name)]
        for name, own in zip(columns, numbers, strict=True)
    ]
    return np.column_stack(found) if found else np.zeros((len(table.codes), 0), np.int64)
