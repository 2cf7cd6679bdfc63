"""How much of its detail a release keeps, and how much another could keep, in words.

Some costs are means over cells: 0 keeps everything, 1 nothing. A gap in per cent of such a cost misleads:
where a cell loses 3 % of its detail, a gap of 90 % is 2.7 points. So these costs are shown as the detail that
a cell keeps, and gaps as points of it. What is kept is rounded down and what could be kept is rounded up:
nothing is claimed by rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.formatting.numbers import MISSING, number, percent, percent_in_line

MEANS_OVER_CELLS = frozenset({"general-loss", "ncp", "precision"})
"""The costs that are means over cells, from 0 to 1, by the names that policies call them."""

Cost = float | Fraction

NOTHING = 0.001
"""A bound below this says next to nothing: everything but a trace could be kept."""

_EXACT = 1e-9
"""How far the double of a share can be from it, in parts of the last decimal place that is shown."""


def kept(cost: Cost) -> str:
    """The share of its detail that a cell keeps, rounded down."""
    tenths = math.floor(1000 * (1 - cost) + _EXACT)
    return "below 0.1 %" if tenths <= 0 and cost < 1 else f"{max(0, tenths) / 10:g} %"


def possible(bound: Cost) -> str:
    """The share of its detail that a cell could keep, rounded up; 100 % only if that is not excluded."""
    share = 100 * (1 - bound)
    for decimals in range(1, 7):
        rounded = math.ceil(share * 10**decimals - _EXACT) / 10**decimals
        if rounded < 100 or bound <= 0:
            return f"{min(100, rounded):.9g} %"
    return "all but a trace"


def points(cost: Cost, bound: Cost) -> str:
    """By how many points of detail another recoding could be better, rounded up."""
    tenths = math.ceil(1000 * (cost - bound) - _EXACT)
    if tenths <= 0:
        return "0"
    return "1 point" if tenths == 10 else f"{tenths / 10:g} points"


def gap_in_words(metric: str, cost: Cost | None, bound: Cost | None, gap: float | None) -> str:
    """A gap for a table: in points of detail if the cost is a mean over cells, else in per cent of the cost.

    Parameters
    ----------
    metric
        The cost that is meant, by its name.
    cost, bound, gap
        As a manifest has them.
    """
    if gap is None or cost is None or bound is None:
        return MISSING
    if metric not in MEANS_OVER_CELLS:
        return percent(gap)
    return points(cost, bound)


def figures(metric: str, cost: Cost | None, bound: Cost | None, gap: float | None) -> str:
    """Cost or loss, and what is known of a better one, in a line; parameters as in `gap_in_words`."""
    if metric not in MEANS_OVER_CELLS or cost is None:
        return f"cost {number(cost)}   bound {number(bound)}   gap {percent_in_line(gap)}"
    words = f"loss {number(cost)}   keeps {kept(cost)} of the detail"
    if bound is None or bound < NOTHING or bound >= cost:
        return words
    return f"{words}, at most {possible(bound)}"


def claim(
    metric: str, status: str, cost: Cost | None, bound: Cost | None, gap: float | None, kind: str
) -> str | None:
    """What a release keeps and what is proved about it, as a sentence without its end; `None` if nothing is.

    Parameters
    ----------
    metric, cost, bound, gap
        As in `gap_in_words`.
    status
        As a manifest has it.
    kind
        The kind of recodings that was searched, in the plural.
    """
    minimal = "no column can be released one step finer; costs were not compared"
    if metric not in MEANS_OVER_CELLS or cost is None:
        if status == "optimal":
            return f"proved: no other {kind} cost less under this policy"
        if status == "minimal":
            return f"proved: {minimal}"
        return None if gap is None else f"not proved: other {kind} could cost up to {percent(gap)} less"
    mean = f"a cell keeps {kept(cost)} of its detail on average"
    if status == "optimal":
        return f"{mean}; proved: no other {kind} keep more under this policy"
    if status == "minimal":
        return f"{mean}; proved: {minimal}"
    if bound is None or bound < NOTHING:
        return f"{mean}; how much more other {kind} could keep is not known"
    return f"{mean}; no other {kind} could keep more than {possible(bound)}"
