"""The values of a column before and after, by the labels that the release prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.reports.charts._svg import bar, label, legend, line, percent_axis, svg, ticks
from shoal.reports.numbers import share
from shoal.reports.texts import cut

MOST_LABELS = 20
_WIDTH, _LEFT, _RIGHT, _TOP, _LINE = 420, 2, 356, 32, 42
_LONGEST = 52


def distribution(
    name: str,
    after: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]] = (),
    more: int = 0,
) -> str:
    """Two bars per label: the outlined one is the original, the filled one the release.

    Parameters
    ----------
    name
        The column.
    after, before
        Labels with their shares of the rows. A label that only `before` has was not released.
    more
        How many further labels there are.
    """
    old = {str(label["label"]): float(label["share"]) for label in before}
    new = {str(label["label"]): float(label["share"]) for label in after}
    shown, left = _shown(old, new)
    left += more
    grid = ticks(max([0.01, *(max(old.get(each, 0), new.get(each, 0)) for each in shown)]), 4)
    line_height = _LINE if old else _LINE - 8
    bottom = _TOP + line_height * len(shown)

    def at(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * value / grid[-1]

    parts = percent_axis(at, grid[1:], _TOP - 4, bottom)
    for index, item in enumerate(shown):
        y = _TOP + line_height * index
        parts.append(label(_LEFT + 5, y + 12, cut(item, _LONGEST) or "(empty)", kind="name"))
        for shares, kind, lower in ((old, "before", 17), (new, "after", 26 if old else 17)):
            value = shares.get(item, 0.0)
            if value:
                tooltip = f"{item}, {kind}: {share(value)}"
                parts.append(bar(_LEFT, y + lower, at(value) - _LEFT, 8 if old else 10, kind, tooltip))
        ends = at(max(new.get(item, 0.0), old.get(item, 0.0)))
        printed = share(new.get(item, 0.0)) if item in new else share(old[item])
        parts.append(label(ends + 6, y + 30 if old else y + 26, printed, kind="value"))
    parts.append(line(_LEFT, _TOP - 4, _LEFT, bottom, "axis"))
    if left:
        parts.append(label(_LEFT, bottom + 34, f"and {left:,} more labels"))
    entries = [("before", "original"), ("after", "release")] if old else [("after", "release")]
    parts.append(legend(0, 14, entries))
    values = "; ".join(f"{name}: {share(new.get(name, 0.0))}" for name in shown)
    return svg(
        bottom + (42 if left else 24), f"Values of {cut(name)}", f"In the release: {values}.", parts, _WIDTH
    )


def _shown(old: Mapping[str, float], new: Mapping[str, float]) -> tuple[list[str], int]:
    """The labels to show, and how many are left out: the most frequent ones, in their order."""
    every = [*new, *(label for label in old if label not in new)]
    if len(every) <= MOST_LABELS:
        return every, 0
    frequent = sorted(every, key=lambda each: -max(old.get(each, 0), new.get(each, 0)))[:MOST_LABELS]
    return [label for label in every if label in set(frequent)], len(every) - MOST_LABELS
