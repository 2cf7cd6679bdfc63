"""What an algorithm is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.model.budget import Budget, ProgressCallback
from shoal.model.problem import Problem
from shoal.model.result import Result, Status


class Algorithm(ABC):
    """A way to solve a `Problem`.

    An algorithm holds no state between calls: two calls with the same arguments give the same result.
    """

    name: ClassVar[str]
    guarantee: ClassVar[Status]
    """The status that a run with an unlimited budget reaches."""

    def supports(self, problem: Problem) -> str | None:  # noqa: ARG002
        """Why this algorithm cannot solve the problem, as the end of a sentence; `None` if it can."""
        return None

    @abstractmethod
    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        """Solve within the budget. Ctrl-C ends the search early with the best so far."""
