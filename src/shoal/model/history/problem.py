"""The problem of releasing histories, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.errors import PolicyError
from shoal.model.history.histories import Histories
from shoal.model.history.placement import Placement
from shoal.model.history.promise import Promise
from shoal.model.policy.budget import Progress
from shoal.model.result.result import Cost, Status

if TYPE_CHECKING:
    from shoal.cost import CellMetric
    from shoal.privacy import GroupModel


@dataclass(frozen=True, kw_only=True, eq=False)
class HistoryProblem:
    """Find the placement of `histories` of least `cost` that keeps `promise` with `k`.

    Parameters
    ----------
    histories
        The data.
    promise, k
        What must hold of every released person.
    costs
        For each table the metric; the cost is the mean over all cells of all tables, and a row that is not
        released loses everything.
    limit
        Most rows that may be suppressed, in all tables together; `None` for any number.
    levels
        For each table and quasi-identifier the least and the greatest level allowed; all when empty.
    models
        What the sensitive values of persons who cannot be told apart must satisfy.
    """

    histories: Histories
    promise: Promise
    k: int
    costs: tuple[CellMetric, ...]
    limit: int | None = None
    levels: tuple[tuple[tuple[int, int], ...], ...] = ()
    models: tuple[GroupModel, ...] = ()

    def __post_init__(self) -> None:
        persons = self.histories.persons
        if self.k > persons:
            many = {"person": "persons", "household": "households"}[self.promise.unit]
            raise PolicyError(
                f"k = {self.k:,} is larger than the table ({persons:,} {many}); choose a smaller k"
            )

    @property
    def most_suppressed(self) -> int:
        """Rows that may be suppressed."""
        return self.histories.rows if self.limit is None else self.limit


@dataclass(frozen=True, kw_only=True)
class HistoryResult:
    """The answer of an algorithm for histories; its fields are those of `Result`."""

    status: Status
    algorithm: str
    placement: Placement | None = None
    cost: Cost | None = None
    bound: Cost | None = None
    nodes: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    trace: tuple[Progress, ...] = field(default=(), repr=False)
    reason: str = field(default="", repr=False)
