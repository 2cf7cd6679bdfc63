"""Budget and progress of the searches that look at nodes from Python."""

from __future__ import annotations

from shoal.algorithms import clock
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.result.result import Cost

SECONDS_BETWEEN_REPORTS = 0.1


class BudgetEnded(Exception):  # noqa: N818  an answer, not an error
    """The budget has ended; the search says what it has."""


class Watch:
    """Counts the nodes of a search, reports on it now and then, and ends it with its budget.

    Parameters
    ----------
    budget
        How long the search may go on. Its gap is not looked at: these searches prove all or nothing.
    on_progress
        Called now and then.
    """

    def __init__(self, budget: Budget | None = None, on_progress: ProgressCallback | None = None) -> None:
        self.nodes = 0
        self.cost: Cost | None = None
        self._budget = budget or Budget()
        self._on_progress = on_progress
        self._started = self._reported = clock.now()

    @property
    def seconds(self) -> float:
        """Wall time since the search began."""
        return clock.now() - self._started

    def look(self, nodes: int = 1) -> None:
        """Say that nodes are about to be looked at; raises `BudgetEnded` if they may not be."""
        budget = self._budget
        if (budget.nodes is not None and self.nodes >= budget.nodes) or (
            budget.seconds is not None and self.seconds >= budget.seconds
        ):
            raise BudgetEnded
        self.nodes += nodes
        if self._on_progress is not None and clock.now() - self._reported >= SECONDS_BETWEEN_REPORTS:
            self._reported = clock.now()
            cost = None if self.cost is None else float(self.cost)
            self._on_progress(Progress(cost=cost, bound=None, nodes=self.nodes, seconds=self.seconds))
