"""How long a search may go on. Running out is an answer, not an error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from shoal.errors import PolicyError


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A moment of a running search: best cost so far, proved bound, work done.

    `cost` and `bound` are `None` until known, and in the metric's reported unit. `phase` is "search", except
    at the moments when a run begins another phase: "count", "write" and "audit".
    """

    cost: float | None
    bound: float | None
    nodes: int
    seconds: float
    phase: str = "search"

    @property
    def gap(self) -> float | None:
        """Share of the cost that is not yet proved necessary: (cost - bound) / cost."""
        if self.cost is None or self.bound is None:
            return None
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost


_MOST_NODES = 2**62  # the core counts in 64 bits

ProgressCallback = Callable[[Progress], None]

DEFAULT_SECONDS = 30.0
"""How long a search may take where the policy states neither seconds nor nodes."""

UNLIMITED = "unlimited"
"""What a policy states for no limit of seconds."""


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
    assumed
        Whether nobody stated the seconds. Searches that would go on to their end, and never prove anything,
        then stop earlier.
    """

    seconds: float | None = None
    nodes: int | None = None
    gap: float | None = None
    assumed: bool = False

    @classmethod
    def stated(
        cls, *, seconds: float | str | None = None, nodes: int | None = None, gap: float | None = None
    ) -> Self:
        """The budget that a policy states: about half a minute where it limits neither seconds nor nodes.

        A limit of nodes alone gives the same release on every machine, so no clock is added to it.
        """
        if seconds is not None:
            return cls(seconds=stated_seconds(seconds), nodes=nodes, gap=gap)
        if nodes is not None:
            return cls(nodes=nodes, gap=gap)
        return cls(seconds=DEFAULT_SECONDS, gap=gap, assumed=True)

    @property
    def goes_on(self) -> bool:
        """Whether a limit of work was stated, which a search that never ends by itself should use up."""
        return self.nodes is not None or (self.seconds is not None and not self.assumed)

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


def stated_seconds(stated: float | str) -> float | None:
    """A number of seconds; `None` for "unlimited"."""
    if not isinstance(stated, str):
        return stated
    if stated != UNLIMITED:
        raise PolicyError(f'seconds must be a number, or "unlimited"; it is "{stated}"')
    return None
