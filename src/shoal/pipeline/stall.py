"""Ends a search that gains nothing more, before its time is over.

What counts is the gap, which closes when the incumbent or the bound improves. Where it has hardly moved for
a sixth of the search's time, the rest would hardly move it either. That is judged only of the time that is
assumed where the policy states none: a limit that somebody stated is used up.
"""

from __future__ import annotations

from shoal.model.policy.budget import Budget, Progress, ProgressCallback

PATIENCE = 1 / 6
"""The share of its seconds that a search may go on without closing its gap by `STEP`."""

STEP = 0.005
"""Of the cost."""


class Stall:
    """Hands on the progress of a search, and ends it like Ctrl-C does once it stalls.

    Parameters
    ----------
    budget
        Of the search.
    on_progress
        What progress is handed to.
    """

    def __init__(self, budget: Budget, on_progress: ProgressCallback | None) -> None:
        limit = budget.seconds if budget.assumed else None
        self._patience = None if limit is None else PATIENCE * limit
        self._on_progress = on_progress
        self._gap, self._cost, self._since = 1.0, float("inf"), 0.0
        self.ended = False
        """Whether the search was ended here."""

    def __call__(self, progress: Progress) -> None:
        if self._on_progress is not None:
            self._on_progress(progress)
        if self._moves(progress):
            self._since = progress.seconds
        elif self._patience is not None and progress.seconds - self._since >= self._patience:
            self.ended = True
            raise KeyboardInterrupt  # the one way to end a search of the core with what it has

    def _moves(self, progress: Progress) -> bool:
        """Whether cost or gap fell noticeably since they last did, or there is no incumbent yet."""
        if progress.cost is None or progress.gap is None:
            return True
        if progress.cost < (1 - STEP) * self._cost or progress.gap < self._gap - STEP:
            self._gap, self._cost = progress.gap, progress.cost
            return True
        return False
