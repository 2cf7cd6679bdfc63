"""Time that a search row by row keeps for what follows it: labels for its groups, their price, and a check.

It grows with the cells of the table, and somebody waits for it as for the search itself. On a busy machine
all of it takes longer than on an idle one; how much longer is seen in similar work that was done before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from shoal.algorithms import clock
from shoal.model.policy.budget import Budget
from shoal.model.table.frequency_table import FrequencyTable

SECONDS_PER_CELL = 0.4e-6
"""For each cell of the distinct rows, on a machine that has nothing else to do."""

MOST, MOST_ON_BUSY_MACHINES = 0.1, 0.4
"""The most of the time that is kept."""

_LEAST = 0.005
"""Seconds of work that say something about the machine."""


class Pace:
    """How long the work of this thread takes, compared with what its processor does for it."""

    def __init__(self) -> None:
        self._waited = self._worked = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measures what is done within; it must not leave work to other threads."""
        waited, worked = clock.now(), time.thread_time()
        yield
        self._waited += clock.now() - waited
        self._worked += time.thread_time() - worked

    @property
    def slowness(self) -> float:
        """1 on an idle machine, 2 where the thread gets every other moment; 1 if too little is known."""
        return 1.0 if self._worked < _LEAST else max(1.0, self._waited / self._worked)


def searching(budget: Budget, table: FrequencyTable, pace: Pace | None = None) -> Budget:
    """The budget without the time that the answer takes to be labelled, priced and checked.

    Parameters
    ----------
    budget
        For everything.
    table
        What is searched.
    pace
        What is known about the machine.
    """
    if budget.seconds is None:
        return budget
    slowness = 1.0 if pace is None else pace.slowness
    most = MOST if slowness == 1.0 else MOST_ON_BUSY_MACHINES
    kept = min(most * budget.seconds, slowness * SECONDS_PER_CELL * table.codes.size)
    return replace(budget, seconds=budget.seconds - kept)
