"""How the search closed in on the least cost: the best recoding so far from above, the bound from below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal.reports.charts._svg import WIDTH, label, line, place, svg, ticks
from shoal.reports.numbers import number, seconds

_LEFT, _TOP, _HEIGHT = 84, 34, 200
_RIGHT = WIDTH - 16


def progress(trace: Sequence[Mapping[str, Any]]) -> str:
    """Cost and bound over time.

    Parameters
    ----------
    trace
        Moments with `seconds`, `cost` and `bound`, as a manifest has them.
    """
    values = [
        float(moment[key]) for moment in trace for key in ("cost", "bound") if moment.get(key) is not None
    ]
    ends = [float(moment["seconds"]) for moment in trace]
    last = max([0.001, *ends])
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or abs(high) * 0.05 or 1.0
    low, high = max(0.0, low - room) if low >= 0 else low - room, high + room
    bottom = _TOP + _HEIGHT

    def x(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * value / last

    def y(value: float) -> float:
        return bottom - _HEIGHT * (value - low) / (high - low)

    parts = []
    for index in range(5):
        value = low + (high - low) * index / 4
        parts.append(line(_LEFT, y(value), _RIGHT, y(value), "grid"))
        parts.append(label(_LEFT - 8, y(value) + 4, _short(value), anchor="end"))
    parts += [
        label(x(value), bottom + 17, f"{value:.4g}", anchor="middle")
        for value in ticks(last, 5)
        if value <= last * 1.0001
    ]
    parts.append(line(_LEFT, bottom, _RIGHT, bottom, "axis"))
    for key, kind in (("cost", "best"), ("bound", "bound")):
        parts.append(_steps(trace, key, kind, x, y, last))
    parts.append(label((_LEFT + _RIGHT) / 2, bottom + 38, "seconds", kind="name", anchor="middle"))
    for at, kind, words in (
        (_LEFT, "best", "cost of the best so far"),
        (_LEFT + 200, "bound", "proved bound"),
    ):
        parts.append(line(at, 11, at + 26, 11, kind))
        parts.append(label(at + 33, 15, words))
    end = trace[-1]
    summary = f"After {seconds(last)}: cost {number(end.get('cost'))}, bound {number(end.get('bound'))}."
    return svg(bottom + 46, "Search progress: cost and bound over time", summary, parts)


def _steps(
    trace: Sequence[Mapping[str, Any]],
    key: str,
    kind: str,
    x: Callable[[float], float],
    y: Callable[[float], float],
    last: float,
) -> str:
    """A staircase: what is known stays known until something better is."""
    path, known = "", None
    for moment in trace:
        value = moment.get(key)
        if value is None:
            continue
        across, up = place(x(float(moment["seconds"]))), place(y(float(value)))
        path += f"M{across} {up}" if known is None else f"H{across}V{up}"
        known = value
    return f'<path class="{kind}" d="{path}H{place(x(last))}"/>' if path else ""


def _short(value: float) -> str:
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if sign == 'k' else size):.4g}{sign}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
