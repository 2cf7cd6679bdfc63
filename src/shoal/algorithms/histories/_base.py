"""What an algorithm for histories is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from shoal.algorithms.cells._cells import vocabulary
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.local_recoding import Vocabulary
from shoal.model.result.result import Status
from shoal.model.suggestion import suggestion


@dataclass(frozen=True, kw_only=True)
class HistoryAlgorithm(ABC):
    """A way to solve a `HistoryProblem`; like `Algorithm`, it holds no state, and its fields are its options.

    An answer is a claim: it is priced and judged again by the definitions before it is used.
    """

    name: ClassVar[str]
    description: ClassVar[Description]
    searches: ClassVar[str]
    guarantee: ClassVar[Status]

    needs_hierarchies: ClassVar[bool] = False
    """Whether it climbs hierarchies; those that the policy does not give are built then."""

    is_consistent: ClassVar[bool] = False
    """Whether equal values of a column are released alike in all rows that are not suppressed."""

    @classmethod
    def with_options(cls, stated: Any) -> Self:
        """The algorithm with some options; `PolicyError` if it does not have them."""
        known = [field.name for field in fields(cls)]
        for name in stated:
            if name not in known:
                raise PolicyError(f"algorithm {cls.name!r} has no option {name!r}.{suggestion(name, known)}")
        return cls(**stated)

    def supports(self, problem: HistoryProblem) -> str | None:  # noqa: ARG002
        """Why this algorithm cannot solve the problem, as the end of a sentence; `None` if it can."""
        return None

    def words(self, problem: HistoryProblem) -> list[list[Vocabulary]]:
        """For each table and column what its values are released as, if a placement has no levels."""
        return [vocabulary(table.domains, "given") for table in problem.histories.tables]

    @abstractmethod
    def solve(
        self,
        problem: HistoryProblem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> HistoryResult:
        """Solve within the budget. Ctrl-C ends the search early with the best so far."""
