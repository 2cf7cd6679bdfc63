"""Coarser released values that reveal less about the rows of a group.

A label becomes the next coarser one of its hierarchy. The ends of an interval move outwards to the borders of
a block, and a member of a set brings its neighbour along. Blocks are fixed for a column: runs of 2, 4, 8, ...
values in its order. What is released is true as before, and an end or a member need no longer be any row's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from shoal.auditor.attacks.chance import LIKELY, likely
from shoal.model.recoding.local_recoding import Node, Span
from shoal.model.table.domain import SUPPRESSED, Domain

Margin = Callable[[int, int], int]
"""Gives the rows of the table whose codes are in a range, from the first to before the last."""


def lifted(domain: Domain, label: Node, most: int | None = None) -> Node | None:
    """The next coarser label; the label itself at the top, or if it would be above the highest level allowed.

    Parameters
    ----------
    domain, label
        The column and its label.
    most
        The highest level that is allowed, if not all are.
    """
    tree = domain.hierarchy
    level, part = label
    code = tree.members(level)[part][0]
    for above in range(level + 1, (tree.height if most is None else most) + 1):
        parent = tree.parts[above][code]
        if tree.leaves[above][parent] > tree.leaves[level][part]:
            top = above == tree.height and tree.labels[above] == (SUPPRESSED,)
            return None if top else (above, parent)
    return label


def widened(domain: Domain, span: Span, size: int, rows: Margin, threshold: float = LIKELY) -> Span:
    """An interval with ends that are not certain to be a row's value, unless they are likely to be.

    Parameters
    ----------
    domain, span
        The column and the interval; the missing value can be in it, too.
    size
        The rows of the group.
    rows
        The rows of the whole table by code.
    threshold
        How likely is likely.
    """
    present = len(domain) - domain.has_missing
    absent = tuple(code for code in span.codes[-1:] if code >= present)
    first, last = span.codes[0], span.codes[-1 - len(absent)]
    if first >= last:
        return span
    # The chance that some row is within the block at an end: it grows with the block.
    low = next(
        begin
        for begin, end in _blocks(first, present)
        if likely(1, size, _share(rows, begin, min(end, last + 1), begin, last + 1)) >= threshold
        or end - begin >= present
    )
    high = next(
        end
        for begin, end in _blocks(last, present)
        if likely(1, size, _share(rows, max(low, begin), end, low, end)) >= threshold
        or end - begin >= present
    )
    interval = range(low, high)
    return Span((*interval, *absent) if absent else interval)


def paired(domain: Domain, span: Span, unlikely: Collection[int]) -> Span:
    """A set in which no unlikely member is certain to be a row's value: each has its neighbour with it.

    Parameters
    ----------
    domain, span
        The column and the set.
    unlikely
        The members that are news.
    """
    present = len(domain) - domain.has_missing
    partners = {_partner(code, present) for code in unlikely if code < present}
    return Span(tuple(sorted({*span.codes, *partners})))


def _partner(code: int, present: int) -> int:
    """The other value of a block of two; an odd one at the end takes the last before it."""
    other = code ^ 1
    return other if other < present else max(0, code - 1)


def _blocks(code: int, present: int) -> list[tuple[int, int]]:
    """The blocks around a code, ever larger, each from its first code to before its last."""
    return [
        (code >> power << power, min((code >> power << power) + (1 << power), present))
        for power in range(present.bit_length() + 1)
    ]


def _share(rows: Margin, first: int, last: int, begin: int, end: int) -> float:
    """The share of a range of codes in the rows of another."""
    together = rows(begin, end)
    return rows(first, last) / together if together else 0.0
