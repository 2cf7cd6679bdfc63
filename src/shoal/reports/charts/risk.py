"""The risk that a person is found, before and after, against the threshold."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.reports.charts._svg import WIDTH, bar, label, legend, line, percent_axis, svg
from shoal.reports.numbers import share

_LEFT, _TOP, _LINE = 210, 40, 52

Measure = tuple[str, float | None, float | None]
"""A name, its value before and after."""


def risk(measures: Sequence[Measure], threshold: float | None = None) -> str:
    """Bars from 0 to 100 %, an outlined one before and a filled one after.

    Parameters
    ----------
    measures
        What is shown, each with its values before (`None` if the original is not known) and after.
    threshold
        What the highest risk may be.
    """
    right = WIDTH - 70
    bottom = _TOP + _LINE * len(measures)

    def at(value: float) -> float:
        return _LEFT + (right - _LEFT) * value

    parts = percent_axis(at, [0, 0.25, 0.5, 0.75, 1], _TOP - 6, bottom)
    if threshold is not None:
        parts.append(line(at(threshold), _TOP - 12, at(threshold), bottom, "limit"))
        parts.append(label(at(threshold) + 5, _TOP - 10, f"threshold {share(threshold)}", kind="limit-name"))
    for index, (name, before, after) in enumerate(measures):
        y = _TOP + _LINE * index
        parts.append(label(_LEFT - 12, y + 24, name, anchor="end", kind="name"))
        both = before is not None and after is not None
        for value, kind, lower in ((before, "before", 3), (after, "after", 23 if both else 12)):
            if value is None:
                continue
            parts.append(
                bar(_LEFT, y + lower, at(value) - _LEFT, 16, kind, f"{name}, {kind}: {share(value)}")
            )
            parts.append(label(at(value) + 6, y + lower + 12, share(value), kind="value"))
    parts.append(line(_LEFT, _TOP - 6, _LEFT, bottom, "axis"))
    known = any(before is not None for _, before, _ in measures)
    entries = [("before", "original"), ("after", "release")] if known else [("after", "release")]
    parts.append(legend(0, 14, entries))
    values = "; ".join(
        f"{name}: {'' if before is None else share(before) + ' before, '}{share(after)} after"
        for name, before, after in measures
    )
    return svg(bottom + 26, "Risk of re-identification before and after", f"{values}.", parts)
