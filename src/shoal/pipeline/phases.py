"""The phases of a run, one after the other, and how long each takes.

They leave nothing out: a phase ends where the next one begins, so that their sum is what somebody waits for
until the release is audited. The search is everything from the end of counting to the beginning of writing.
"""

from __future__ import annotations

from typing import Self

from shoal.algorithms import clock
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.result.phases import COUNT, PHASES, SEARCH


class Phases:
    """How long each phase of one run takes.

    Parameters
    ----------
    on_progress
        Told when a phase begins.
    """

    def __init__(self, on_progress: ProgressCallback | None = None) -> None:
        self._on_progress = on_progress
        self._began: dict[str, float] = {}

    @classmethod
    def counting(cls, on_progress: ProgressCallback | None = None) -> Self:
        """The phases of a run that begins to count."""
        phases = cls(on_progress)
        phases.begin(COUNT)
        return phases

    def begin(self, phase: str) -> None:
        """End the present phase, and begin the next one."""
        assert PHASES.index(phase) == len(self._began), "the phases follow each other"
        self._began[phase] = clock.now()
        if self._on_progress is not None:
            self._on_progress(Progress(cost=None, bound=None, nodes=0, seconds=0.0, phase=phase))

    @property
    def seconds(self) -> dict[str, float]:
        """What each phase has taken, the present one up to now."""
        ends = [*list(self._began.values())[1:], clock.now()]
        return {phase: end - began for (phase, began), end in zip(self._began.items(), ends, strict=True)}

    def left(self, budget: Budget) -> float | None:
        """The seconds of a budget that the search has not used yet; `None` without a limit."""
        if budget.seconds is None:
            return None
        return max(0.0, budget.seconds - self.seconds.get(SEARCH, 0.0))
