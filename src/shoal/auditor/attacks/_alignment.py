"""Which event of a person each of their released rows may be."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray


def matched(fits: NDArray[np.bool_]) -> list[int] | None:
    """For each line another column that fits it; `None` if there are not enough.

    A maximum matching: each line is placed along an augmenting path, the shortest (Kuhn).
    """
    choices = [np.flatnonzero(own).tolist() for own in fits]
    column_of = [-1] * len(choices)
    line_of: dict[int, int] = {}
    for line in range(len(choices)):
        reached_from: dict[int, int] = {}
        waiting, free = deque([line]), -1
        while waiting and free < 0:
            here = waiting.popleft()
            for column in choices[here]:
                if column not in reached_from:
                    reached_from[column] = here
                    if column not in line_of:
                        free = column
                        break
                    waiting.append(line_of[column])
        if free < 0:
            return None
        while free >= 0:
            here = reached_from[free]
            line_of[free], column_of[here], free = here, free, column_of[here]
    return column_of


def matched_in_order(fits: NDArray[np.bool_]) -> list[int] | None:
    """For each line the first column that fits it after that of the line before; `None` if there is none."""
    columns: list[int] = []
    for own in fits:
        first = columns[-1] + 1 if columns else 0
        later = np.flatnonzero(own[first:])
        if not len(later):
            return None
        columns.append(first + int(later[0]))
    return columns
