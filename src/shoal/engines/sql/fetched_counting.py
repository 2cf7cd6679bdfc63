"""Counting for engines behind a connection: the combinations are fetched once, and summed up here.

A statement costs Spark jobs and planning whatever it reads, and PostgreSQL a pass over the combinations for
each pair of columns; the search needs them here anyway. If they are too many for it, they stay in the engine,
and only sums are fetched.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines._base import HashedRows
from shoal.engines.sql.coding import Coding
from shoal.engines.sql.counting import Counting
from shoal.engines.sql.table import Cells
from shoal.engines.sql.tally import FetchedTally, Tally
from shoal.model.table.frequency_table import FrequencyTable


class FetchedCounting(Counting):
    """One count of a table, for a search in this process."""

    def _tally(self, combinations: exp.Table, number: int, cells: Sequence[Cells]) -> Tally:
        if not self._memory.allows(number, len(cells)):
            return super()._tally(combinations, number, cells)
        hashed = range(len(self._coded) if self._table.session.finds_by_hash else 0)
        return FetchedTally.fetched(
            self._table,
            combinations,
            cells,
            weighs=self._evidence.survey_weight is not None,
            hashed=[exp.column(f"x{at}", combinations.alias_or_name) for at in hashed],
        )

    def _hashed(
        self, tally: Tally, codings: Sequence[Coding], frequencies: FrequencyTable
    ) -> HashedRows | None:
        if not isinstance(tally, FetchedTally):
            return None
        return tally.hashed_rows(codings, frequencies.codes)
