"""The values of a column before and after, by the labels that the release prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.report.charts._svg import WIDTH, bar, label, legend, line, percent_axis, svg, ticks
from shoal.report.numbers import share
from shoal.report.texts import cut

MOST_LABELS = 20
_LEFT, _TOP, _LINE = 218, 30, 26


def distribution(
    name: str, after: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]] = ()
) -> str:
    """A line per label: the outlined bar is the original, the filled one the release.

    Parameters
    ----------
    name
        The column.
    after, before
        Labels with their shares of the rows. A label that only `before` has was not released.
    """
    old = {str(each["label"]): float(each["share"]) for each in before}
    new = {str(each["label"]): float(each["share"]) for each in after}
    every = [*new, *(each for each in old if each not in new)]
    shown, left = every, 0
    if len(every) > MOST_LABELS:
        most = sorted(every, key=lambda each: -max(old.get(each, 0), new.get(each, 0)))[:MOST_LABELS]
        shown, left = [each for each in every if each in set(most)], len(every) - MOST_LABELS
    grid = ticks(max([0.01, *(max(old.get(each, 0), new.get(each, 0)) for each in shown)]), 4)
    right, bottom = WIDTH - 70, _TOP + _LINE * len(shown)

    def at(value: float) -> float:
        return _LEFT + (right - _LEFT) * value / grid[-1]

    parts = percent_axis(at, grid, _TOP - 4, bottom)
    for index, each in enumerate(shown):
        y = _TOP + _LINE * index
        parts.append(label(_LEFT - 12, y + 17, cut(each, 30) or "(empty)", anchor="end"))
        for shares, kind, lower in ((old, "before", 3), (new, "after", 13 if old else 5)):
            if shares:
                value = shares.get(each, 0.0)
                told = f"{each}, {kind}: {share(value)}"
                parts.append(bar(_LEFT, y + lower, at(value) - _LEFT, 9 if old else 15, kind, told))
        value = new.get(each, 0.0)
        parts.append(label(at(max(value, old.get(each, 0.0))) + 6, y + 17, share(value), kind="value"))
    parts.append(line(_LEFT, _TOP - 4, _LEFT, bottom, "axis"))
    if left:
        parts.append(label(_LEFT - 12, bottom + 16, f"and {left:,} more", anchor="end"))
    entries = [("before", "original"), ("after", "release")] if old else [("after", "release")]
    parts.append(legend(0, 14, entries))
    told = "; ".join(f"{each}: {share(new.get(each, 0.0))}" for each in shown)
    return svg(bottom + 26, f"Values of {name}", f"In the release: {told}.", parts)
