"""The optimal groups of numbers on a line: Hansen and Mukherjee's shortest path.

Some best groups are runs of k to 2k - 1 neighbours in the order of the numbers, so a path over the ends of
runs finds them. Copies of one number may have to be divided between runs: docs/algorithms/microaggregate.md
has the example, and the proofs.

Whole numbers of any size, so that the least sum of squares is exact. Time O(n k) for n rows; for a number
with more than 5k - 4 copies only that many count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.algorithms._watch import BudgetEnded, Watch

_NODES_BETWEEN_LOOKS = 256


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Groups of numbers.

    Parameters
    ----------
    pieces
        Per number in order: its groups, each with the copies that it has.
    squares
        The least sum of squares within groups of at least k; `None` if the path was not walked to its end.
    interrupted
        Whether Ctrl-C ended it.
    """

    pieces: list[dict[int, int]]
    squares: Fraction | None
    interrupted: bool


def optimal_runs(numbers: Sequence[int], counts: Sequence[int], k: int, watch: Watch) -> Runs:
    """The groups of at least k numbers with the least sum of squares.

    Parameters
    ----------
    numbers, counts
        Increasing numbers, and how many copies of each there are; at least k in all.
    k
        Least size of a group.
    watch
        Counts ends of runs as nodes. When its budget ends, the remaining rows become runs of k.
    """
    most = 5 * k - 4
    line = [number for number, count in zip(numbers, counts, strict=True) for _ in range(min(count, most))]
    sizes, best, interrupted = _walked(line, k, watch)
    ends = _ends(sizes, len(line), k)
    squares = None
    if len(sizes) > len(line):
        common = math.lcm(*range(k, 2 * k))
        squares = sum(number * number for number in line) - Fraction(best, common)
    return Runs(pieces=_pieces(counts, ends, most), squares=squares, interrupted=interrupted)


def _walked(line: Sequence[int], k: int, watch: Watch) -> tuple[list[int], int, bool]:
    """Per number of rows, as far as the budget reached, the size of the last run of their best groups.

    Also the value of the groups of all rows: the sum of (sum of a run)^2 / size, which they maximize,
    in parts of the sizes' least common multiple.
    """
    common = math.lcm(*range(k, 2 * k))
    weights = [(size, common // size) for size in range(k, 2 * k)]
    sums, worth, sizes = [0], [0], [0]
    for number in line:
        sums.append(sums[-1] + number)
    try:
        for end in range(1, len(line) + 1):
            if end % _NODES_BETWEEN_LOOKS == 0:
                watch.look(_NODES_BETWEEN_LOOKS)
            here = sums[end]
            last, chosen = -1, 0
            for size, weight in weights:
                start = end - size
                if start < 0:
                    break
                if worth[start] >= 0 and (value := worth[start] + (here - sums[start]) ** 2 * weight) > last:
                    last, chosen = value, size
            worth.append(last)
            sizes.append(chosen)
    except (BudgetEnded, KeyboardInterrupt) as stopped:
        reached = min(len(worth), len(sizes))
        return sizes[:reached], 0, isinstance(stopped, KeyboardInterrupt)
    return sizes, worth[-1], False


def _ends(sizes: Sequence[int], rows: int, k: int) -> list[int]:
    """The ends of the runs: the best ones as far as they are known, then runs of k."""
    known = len(sizes) - 1
    if known < rows and (known < k or rows - known < k):
        known = 0
    ends = []
    end = known
    while end > 0:
        ends.append(end)
        end -= sizes[end]
    ends.reverse()
    if known < rows:
        ends += [*range(known + k, rows - k + 1, k), rows]
    return ends


def _pieces(counts: Sequence[int], ends: Sequence[int], most: int) -> list[dict[int, int]]:
    pieces: list[dict[int, int]] = []
    group = place = 0
    for count in counts:
        own: dict[int, int] = {}
        left = min(count, most)
        alone = None  # a run of this number alone; all these runs print alike
        while left:
            taken = min(left, ends[group] - place)
            whole = taken == ends[group] - (ends[group - 1] if group else 0)
            if whole:
                alone = group if alone is None else alone
            target = alone if whole and alone is not None else group
            own[target] = own.get(target, 0) + taken
            place += taken
            left -= taken
            group += place == ends[group]
        if count > most:
            assert alone is not None  # fewer than 2k - 1 copies go to either side
            own[alone] += count - most
        pieces.append(own)
    return pieces
