"""What an anonymizer is told once: where users are, how many hide each other, what is kept in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.errors import PolicyError
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.lbqid import Lbqid
from shoal.location.cloaking.messages import GREATEST_K
from shoal.location.cloaking.square import Square

Pseudonyms = Literal["request", "user"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an anonymizer.

    Parameters
    ----------
    square
        Where users can be.
    ks
        How many users hide each other: the usual number first, then others that users may choose.
    pseudonyms
        A fresh pseudonym for each request, or one for all requests of a user.
    seed
        Makes pseudonyms repeatable; the system's randomness when absent.
    forget
        A user who reports no position for longer is forgotten; never when absent.
    most_users, most_waiting
        How many users and waiting requests are kept in memory.
    tolerance
        dx, dy and dt of requests that do not state them.
    cell
        The side of the fixed cells of `quadtree-time`: a power of two.
    lbqids
        The sequences that `historical` protects.
    mix_zones
        Where `historical` may change a pseudonym.
    most_points
        How many points of a user `historical` keeps at least; at most twice as many.
    """

    square: Square
    ks: tuple[int, ...]
    pseudonyms: Pseudonyms = "request"
    seed: int | None = None
    forget: int | None = None
    most_users: int = 2_000_000
    most_waiting: int = 100_000
    tolerance: tuple[int, int, int] | None = None
    cell: int | None = None
    lbqids: tuple[Lbqid, ...] = ()
    mix_zones: tuple[Box, ...] = ()
    most_points: int = 500

    def __post_init__(self) -> None:
        if not self.ks or not all(2 <= k <= GREATEST_K for k in self.ks):
            raise PolicyError(f"k must be from 2 to {GREATEST_K:,}")
        if len(set(self.ks)) < len(self.ks) or len(self.ks) > 20:
            raise PolicyError("at most 20 values of k, each once: -k 5,10,50")
        if self.forget is not None and self.forget < 1:
            raise PolicyError("users can be forgotten after 1 second or more, not before")
        if min(self.most_users, self.most_waiting, self.most_points) < 1:
            raise PolicyError("room for users, waiting requests and points must be at least 1")
        if self.tolerance is not None and min(self.tolerance) < 0:
            raise PolicyError("a tolerance is three numbers of at least 0: dx,dy,dt")
        if self.cell is not None and not self._divides(self.cell):
            raise PolicyError("the side of a cell must be a power of two, at most that of the square")

    def _divides(self, side: int) -> bool:
        return 1 <= side <= self.square.side and side & (side - 1) == 0
