"""What `auto` chose, and why: part of an answer, and of a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from shoal.model.result.result import Result

ROW_BY_ROW = "row by row"
PER_COLUMN = "one recoding per column"
OTHER = "another kind"
"""Of the algorithms that are used where neither of the usual kinds will do."""

KINDS = (ROW_BY_ROW, PER_COLUMN, OTHER)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A search that ran, and what it answered.

    Parameters
    ----------
    algorithm, status
        Its name, and how much its answer promises.
    cost, bound
        Its cost, and what is proved of its own kind of recodings.
    suppressed
        The rows that its answer suppresses.
    """

    algorithm: str
    status: str
    cost: int | Fraction | None = None
    bound: int | Fraction | None = None
    suppressed: int = 0

    @classmethod
    def of(cls, result: Result) -> Self:
        """What is kept of an answer."""
        return cls(
            algorithm=result.algorithm,
            status=result.status.value,
            cost=result.cost,
            bound=result.bound,
            suppressed=result.suppressed,
        )

    def to_dict(self) -> dict[str, object]:
        """For a manifest."""
        return {
            "algorithm": self.algorithm,
            "status": self.status,
            "cost": _plain(self.cost),
            "bound": _plain(self.bound),
        }


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The choice of `auto`.

    Parameters
    ----------
    kind
        One of `KINDS`.
    reason
        Why it is this kind, as a sentence without its full stop.
    tried
        The searches that ran, in order; the release is by one of them.
    clocked
        Whether a clock ended one of them, so that another run can end elsewhere.
    """

    kind: str
    reason: str
    tried: tuple[Tried, ...]
    clocked: bool = False

    def to_dict(self) -> Mapping[str, object]:
        """For a manifest."""
        return {
            "kind": self.kind,
            "reason": self.reason,
            "tried": [each.to_dict() for each in self.tried],
        }


def _plain(cost: int | Fraction | None) -> int | float | None:
    return cost if cost is None or isinstance(cost, int) else float(cost)
