"""How much detail each column lost."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.reports.charts._svg import WIDTH, bar, label, line, percent_axis, svg
from shoal.reports.numbers import share
from shoal.reports.texts import cut

_LEFT, _TOP, _LINE = 190, 12, 28


def loss(columns: Sequence[tuple[str, float]]) -> str:
    """A bar per column, from nothing lost to everything lost.

    Parameters
    ----------
    columns
        Names and losses from 0 to 1.
    """
    right, bottom = WIDTH - 70, _TOP + _LINE * len(columns)

    def at(value: float) -> float:
        return _LEFT + (right - _LEFT) * value

    parts = percent_axis(at, [0, 0.25, 0.5, 0.75, 1], _TOP - 4, bottom)
    for index, (name, value) in enumerate(columns):
        y = _TOP + _LINE * index
        parts.append(label(_LEFT - 12, y + 18, cut(name, 26), anchor="end", kind="name"))
        parts.append(bar(_LEFT, y + 5, at(value) - _LEFT, 17, "after", f"{name}: {share(value)}"))
        parts.append(label(at(value) + 6, y + 18, share(value), kind="value"))
    parts.append(line(_LEFT, _TOP - 4, _LEFT, bottom, "axis"))
    values = "; ".join(f"{name}: {share(value)}" for name, value in columns)
    return svg(bottom + 26, "Detail lost per column", f"{values}.", parts)
