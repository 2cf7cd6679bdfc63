"""How many rows hide in groups of which size, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.reports.charts._svg import WIDTH, bar, label, legend, line, svg, ticks
from shoal.reports.numbers import number, share

_LEFT, _TOP, _HEIGHT = 52, 34, 190

Sizes = Sequence[Sequence[int]]
"""Pairs of a size and how many groups have it."""


def group_sizes(after: Sizes, before: Sizes | None = None, k: int = 1) -> str:
    """The share of rows in groups of several ranges of sizes.

    Parameters
    ----------
    after, before
        Of the release, and of the original if it is known.
    k
        The size that is demanded; ranges end there.
    """
    ranges = _ranges(k)
    tables = [("before", before), ("after", after)] if before else [("after", after)]
    shares = {kind: _shares(sizes or (), ranges) for kind, sizes in tables}
    grid = ticks(max([0.01, *(value for each in shares.values() for value in each)]), 4)
    bottom = _TOP + _HEIGHT
    wide = (WIDTH - _LEFT - 8) / len(ranges)
    parts = []
    for value in grid:
        y = bottom - _HEIGHT * value / grid[-1]
        parts.append(line(_LEFT, y, WIDTH - 8, y, "grid"))
        parts.append(label(_LEFT - 8, y + 4, f"{100 * value:.4g} %", anchor="end"))
    thick = min(46.0, wide * 0.7 / len(tables))
    for index, (low, high) in enumerate(ranges):
        middle = _LEFT + wide * (index + 0.5)
        x = middle - thick * len(tables) / 2
        for kind, _ in tables:
            value = shares[kind][index]
            tall = _HEIGHT * value / grid[-1]
            style = "before" if kind == "before" else "after" if low >= k else "bad"
            words = f"{kind}: {share(value)} of rows in groups of {_named(low, high)}"
            # A share that can be seen: a line, where there is one row among millions.
            parts.append(
                bar(x + 2, bottom - max(tall, 1.0 if value > 0 else 0), thick - 4, tall, style, words)
            )
            x += thick
        parts.append(label(middle, bottom + 17, _named(low, high), anchor="middle"))
    if k > 1:
        x = _LEFT + wide * next(index for index, (low, _) in enumerate(ranges) if low >= k)
        parts.append(line(x, _TOP - 8, x, bottom, "limit"))
        parts.append(label(x + 5, _TOP - 2, f"k = {k:,} demanded", kind="limit-name"))
    parts.append(line(_LEFT, bottom, WIDTH - 8, bottom, "axis"))
    parts.append(label((WIDTH + _LEFT) / 2, bottom + 38, "rows in the group", kind="name", anchor="middle"))
    entries = [("before", "original"), ("after", "release")] if before else [("after", "release")]
    parts.append(legend(_LEFT, 14, entries))
    values = "; ".join(
        f"{_named(*ranges[index])} rows: {share(value)}" for index, value in enumerate(shares["after"])
    )
    return svg(bottom + 46, "Share of rows by the size of their group", f"Release: {values}.", parts)


def _ranges(k: int) -> list[tuple[int, int | None]]:
    edges = sorted({1, 2, k, 2 * k, 5 * k, 10 * k, 100 * k} if k > 1 else {1, 2, 5, 10, 50, 100, 1000})
    return [(low, high - 1) for low, high in pairwise(edges)] + [(edges[-1], None)]


def _named(low: int, high: int | None) -> str:
    if high is None:
        return f"{number(low)} or more"
    return number(low) if high == low else f"{number(low)} to {number(high)}"


def _shares(sizes: Sizes, ranges: Sequence[tuple[int, int | None]]) -> list[float]:
    rows = sum(size * groups for size, groups in sizes)
    return [
        sum(size * groups for size, groups in sizes if size >= low and (high is None or size <= high)) / rows
        if rows
        else 0.0
        for low, high in ranges
    ]
