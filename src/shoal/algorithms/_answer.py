"""Reading the core's answers: costs in its integer units become the metric's exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from shoal import _core
from shoal.algorithms._base import ONE_SET
from shoal.model.policy.budget import Progress, ProgressCallback
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost, Result, Status


class Answer(Protocol):
    """What the answers of all the core's searches have."""

    @property
    def found(self) -> bool: ...
    @property
    def proved(self) -> bool: ...
    @property
    def cost(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def suppressed(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    @property
    def trace(self) -> list[_core.Progress]: ...


@dataclass(frozen=True)
class Reader:
    """Reads the answers of one search.

    Parameters
    ----------
    algorithm
        Its name.
    cost
        From units to the reported number; never falls as the units grow.
    """

    algorithm: str
    cost: Callable[[int], Cost]

    def moment(self, cost: int, bound: int, nodes: int, seconds: float) -> Progress:
        """A moment of the search, as the core tells it."""
        return Progress(
            cost=None if cost >= _core.INFINITE else float(self.cost(cost)),
            bound=None if bound >= _core.INFINITE else float(self.cost(bound)),
            nodes=nodes,
            seconds=seconds,
        )

    def callback(self, on_progress: ProgressCallback | None) -> Callable[[int, int, int, float], None] | None:
        """What the core shall call now and then."""
        if on_progress is None:
            return None
        return lambda cost, bound, nodes, seconds: on_progress(self.moment(cost, bound, nodes, seconds))

    def result(self, answer: Answer, recoding: Callable[[], Recoding]) -> Result:
        """The result that an answer is; `recoding` is called if one was found."""
        trace = tuple(self.moment(each.cost, each.bound, each.nodes, each.seconds) for each in answer.trace)
        if not answer.found:
            return Result(
                status=Status.INFEASIBLE if answer.proved else Status.UNKNOWN,
                algorithm=self.algorithm,
                nodes=answer.nodes,
                seconds=answer.seconds,
                interrupted=answer.interrupted,
                trace=trace,
            )
        cost, bound = self.cost(answer.cost), self.cost(answer.bound)
        return Result(
            status=Status.OPTIMAL if answer.proved or bound >= cost else Status.FEASIBLE,
            algorithm=self.algorithm,
            recoding=recoding(),
            cost=cost,
            bound=bound,
            suppressed=answer.suppressed,
            nodes=answer.nodes,
            seconds=answer.seconds,
            interrupted=answer.interrupted,
            trace=trace,
        )


def beyond_the_core(rows: int, sets: int) -> str | None:
    """Why no search of the core can solve a problem of so many rows and quasi-identifiers, if none can."""
    if rows > _core.MOST_ROWS:
        return f"it counts at most {_core.MOST_ROWS:,} rows; the source has {rows:,}"
    if sets > 1:
        return ONE_SET
    return None
