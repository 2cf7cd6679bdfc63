"""Lifts all columns together, a level at a time, until the release is admissible."""

from dataclasses import dataclass, field

from shoal.algorithms import (
    Algorithm,
    Budget,
    Description,
    Problem,
    ProgressCallback,
    Result,
    Status,
    admissible,
    cost_of,
    made_by,
    parameter,
)
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.searched_kind import LEVELS


@dataclass(frozen=True, kw_only=True)
class AllTogether(Algorithm):
    """The lowest common level.

    Parameters
    ----------
    first
        The level to begin with.
    """

    name = "all-together"
    description = Description(
        title="All together",
        short="One common level for all columns",
        meaning="Lifts all columns by one level at a time until the release is admissible. Proves nothing.",
        when="When all columns should be equally coarse.",
    )
    searches = LEVELS
    guarantee = Status.FEASIBLE
    needs_hierarchies = True

    first: int = field(default=0, metadata=parameter("Level to begin with", least=0))

    def supports(self, problem: Problem) -> str | None:
        heights = [domain.hierarchy.height for domain in problem.table.domains]
        top = made_by(problem, LevelRecoding(tuple(heights)))
        return None if admissible(problem, top) else "even the top of all hierarchies is not admissible"

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        heights = [domain.hierarchy.height for domain in problem.table.domains]
        for level in range(self.first, max(heights) + 1):
            recoding = LevelRecoding(tuple(min(level, height) for height in heights))
            made = made_by(problem, recoding)
            if admissible(problem, made) and made.kept.any():
                return Result(
                    status=Status.FEASIBLE,
                    algorithm=self.name,
                    recoding=recoding,
                    cost=cost_of(problem, recoding, made),
                    suppressed=made.suppressed,
                    nodes=level + 1,
                )
        return Result(status=Status.UNKNOWN, algorithm=self.name)
