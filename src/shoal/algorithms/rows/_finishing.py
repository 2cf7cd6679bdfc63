"""Time that a search row by row keeps for what follows it: labels for its groups, and their price.

Both grow with the cells of the table, and somebody waits for them as for the search itself.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.model.policy.budget import Budget
from shoal.model.table.frequency_table import FrequencyTable

SECONDS_PER_CELL = 0.5e-6
"""For each cell of the distinct rows; on an idle machine a third of it."""

MOST = 0.1
"""The most of the time that is kept."""


def searching(budget: Budget, table: FrequencyTable) -> Budget:
    """The budget without the time that the answer takes to be labelled and priced.

    Parameters
    ----------
    budget
        For everything.
    table
        What is searched.
    """
    if budget.seconds is None:
        return budget
    kept = min(MOST * budget.seconds, SECONDS_PER_CELL * table.codes.size)
    return replace(budget, seconds=budget.seconds - kept)
