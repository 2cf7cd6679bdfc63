"""How often attacks succeeded, against what is allowed."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.reports.charts._svg import WIDTH, bar, label, line, percent_axis, svg
from shoal.reports.numbers import share

_LEFT, _TOP, _LINE = 210, 14, 30

Rate = tuple[str, float, float | None, bool]
"""An attack, its success rate, the highest allowed one, and whether it holds."""


def rates(attacks: Sequence[Rate]) -> str:
    """A bar per attack, with a mark at the rate that is allowed.

    Parameters
    ----------
    attacks
        In the order of the page.
    """
    right, bottom = WIDTH - 70, _TOP + _LINE * len(attacks)

    def at(value: float) -> float:
        return _LEFT + (right - _LEFT) * value

    parts = percent_axis(at, [0, 0.25, 0.5, 0.75, 1], _TOP - 4, bottom)
    for index, (name, rate, threshold, holds) in enumerate(attacks):
        y = _TOP + _LINE * index
        parts.append(label(_LEFT - 12, y + 18, name, anchor="end", kind="name"))
        allowed = "no threshold" if threshold is None else f"allowed {share(threshold)}"
        kind = "bad" if not holds else "after" if threshold is not None else "plain"
        parts.append(bar(_LEFT, y + 6, at(rate) - _LEFT, 17, kind, f"{name}: {share(rate)}, {allowed}"))
        if threshold is not None:
            parts.append(line(at(threshold), y + 2, at(threshold), y + 27, "limit"))
        words = share(rate) if holds else f"{share(rate)} fails"
        beyond = max(rate, threshold or 0) if (threshold or 0) - rate < 0.12 else rate
        parts.append(label(at(beyond) + 6, y + 19, words, kind="value"))
    parts.append(line(_LEFT, _TOP - 4, _LEFT, bottom, "axis"))
    values = "; ".join(f"{name}: {share(rate)}" for name, rate, _, _ in attacks)
    return svg(bottom + 26, "Success rates of attacks", f"{values}.", parts)
