"""How long a search may go on. Running out is an answer, not an error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from shoal.errors import PolicyError


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A moment of a running search: best cost so far, proved bound, work done.

    `cost` and `bound` are `None` until known, and in the metric's reported unit.
    """

    cost: float | None
    bound: float | None
    nodes: int
    seconds: float

    @property
    def gap(self) -> float | None:
        """Share of the cost that is not yet proved necessary: (cost - bound) / cost."""
        if self.cost is None or self.bound is None:
            return None
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost


_MOST_NODES = 2**62  # the core counts in 64 bits

ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits of a search; `None` means no limit.

    Parameters
    ----------
    seconds
        Wall time.
    nodes
        Search nodes: unlike seconds the same on every machine.
    gap
        Stop once (cost - bound) / cost is at most this.
    """

    seconds: float | None = None
    nodes: int | None = None
    gap: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("seconds", self.seconds), ("nodes", self.nodes), ("gap", self.gap)):
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, int if name == "nodes" else int | float):
                words = "a whole number" if name == "nodes" else "a number"
                raise PolicyError(f"the budget's {name} must be {words}; it is {limit!r}")
            if not limit >= 0:  # so that NaN is refused too
                raise PolicyError(f"the budget's {name} must not be negative; it is {limit}")
            if isinstance(limit, int) and limit > sys.float_info.max:
                raise PolicyError(f"the budget's {name} must be smaller; leave it out for no limit")
        if self.nodes is not None and self.nodes > _MOST_NODES:
            raise PolicyError("the budget's nodes must be at most 2^62; leave it out for no limit")
