"""How histories are released: which rows of which persons are released alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.local_recoding import LocalRecoding, Vocabulary
from shoal.model.table.frequency_table import FrequencyTable

SUPPRESSED_ROW = -1
"""In place of a place: the row is not released."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Placement:
    """The place of each row of each history.

    Rows with the same place are released with the same values: the least that cover all of them, or, with
    `levels`, those of the levels.

    Parameters
    ----------
    place_of
        For each row of a history its place, numbered from 0, or `SUPPRESSED_ROW`. Rows of one place are rows
        of one table.
    levels
        For each table the level of each quasi-identifier, if equal values are released alike everywhere.
    once
        Columns that are released alike in all rows of a class, whatever their places: those that never change
        within a person. Of histories in one table.
    class_of
        With `once`, for each history its class. Rows of one place are rows of one class.
    """

    place_of: NDArray[np.int64]
    levels: tuple[tuple[int, ...], ...] | None = None
    once: tuple[int, ...] = ()
    class_of: NDArray[np.int64] | None = None

    def recode(
        self,
        table: FrequencyTable,
        vocabulary: Sequence[Vocabulary],
        places: NDArray[np.int64],
        history_of: NDArray[np.int64],
    ) -> LocalRecoding:
        """The least released values that cover the rows of each place, and of each class.

        Parameters
        ----------
        table, vocabulary
            Some rows of the histories, and for each column what its values may be released as.
        places, history_of
            For each of the rows its place, and a history that it is of.
        """
        recoding = LocalRecoding.from_groups(table, places, vocabulary)
        if self.class_of is None or not self.once:
            return recoding
        classes = np.where(places == SUPPRESSED_ROW, SUPPRESSED_ROW, self.class_of[history_of])
        by_class = LocalRecoding.from_groups(table, classes, vocabulary)
        values, nodes = recoding.values.copy(), list(recoding.nodes)
        for column in self.once:
            values[:, column], nodes[column] = by_class.values[:, column], by_class.nodes[column]
        return replace(recoding, values=values, nodes=tuple(nodes))
