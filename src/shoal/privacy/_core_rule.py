"""How the compiled core judges a group, as plain data. `shoal.algorithms` translates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "size",
    "distinct",
    "entropy",
    "recursive",
    "equal",
    "ordered",
    "hierarchical",
    "shares",
    "population",
    "presence",
    "average-risk",
    "rows-at-risk",
]

ANY_SHARE = 2.0
"""A cap that no share reaches."""


@dataclass(frozen=True, kw_only=True)
class CoreRule:
    """A rule of the core with its thresholds, slack included.

    Parameters
    ----------
    kind
        What is compared:

        - size: nothing but the rows of a group, which are at least the model's `least_rows`;
        - distinct: the number of different values, which is at least `least`;
        - entropy: the number of equally frequent values that are as diverse, which is at least `least`;
        - recursive: the largest count over the sum of the counts from number `from_` on, which is below
          `most`;
        - equal, ordered, hierarchical: the earth mover's distance from the shares in `table`, by this ground
          distance, which is at most `most`; `distance` is the least distance between two values, and `tree`
          has per level the part of each value;
        - shares: the share of each value, which lies between its floor and its cap; with `from_`, the group
          has at least so many values;
        - population: the people of the population, in millionths, which are at least `least`;
        - presence: rows over people of the population, which lie between `least` and `most`;
        - average-risk: groups over rows of the whole release, which are at most `most`;
        - rows-at-risk: rows in groups of fewer than `from_` rows over rows of the whole release, which are at
          most `most`; searches over levels weigh it, others meet it by the size of every group.
    """

    kind: Kind
    least: float = 0.0
    most: float = 0.0
    from_: int = 0
    distance: float = 1.0
    table: Sequence[float] = ()
    floors: Sequence[float] = ()
    caps: Sequence[float] = ()
    tree: Sequence[Sequence[int]] = ()
