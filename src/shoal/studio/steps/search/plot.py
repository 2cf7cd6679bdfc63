"""The moving plot of a search: what the best release so far loses, and what none can go below, over time.

New moments are added to the chart in the page; what it has is not sent again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from shoal import Progress
from shoal.studio.charts import Chart

Point = tuple[float, float | None, float | None]
"""Seconds, cost, bound."""

GREY, FAINT, ACCENT, MARK, THIRD = "#7a8a90", "rgba(122,138,144,.22)", "#2f8582", "#c2712f", "#7b6bb2"
COLOURS = (ACCENT, MARK, THIRD)
AXIS_ENDS = (5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600)
MOST_POINTS = 400
SECONDS_BETWEEN_MOVES = 1.0

# In the page: the last point moves on, so it is taken away before new ones come.
_EXTEND = """
const element = getElement(%d);
if (element && element.chart) {
  const drawn = element.chart.getOption(), more = %s;
  drawn.series.forEach((each, at) => each.data.splice(each.data.length - %d, %d, ...more[at]));
  element.chart.setOption({xAxis: {max: %s}, series: drawn.series.map(each => ({data: each.data}))});
}
"""


def moments(reports: Sequence[Progress]) -> list[Point]:
    """The moments at which something changed, and the last one; of very many some."""
    reports = [each for each in reports if each.phase == "search"]
    kept: list[Point] = []
    for report in reports:
        point = (round(report.seconds, 3), report.cost, report.bound)
        if not kept or kept[-1][1:] != point[1:]:
            kept.append(point)
    step = max(1, -(-len(kept) // MOST_POINTS))
    kept = kept[::step]
    if reports:
        end = reports[-1]
        kept.append((round(end.seconds, 3), end.cost, end.bound))
    return kept


def axis_end(seconds: float) -> float:
    """Where the axis of time ends: seldom moved, and never far beyond what is there."""
    hours = 3600 * (int(seconds // 3600) + 1)
    return next((end for end in AXIS_ENDS if seconds <= end), hours)


def series_data(points: Sequence[Point]) -> list[list[list[float | None]]]:
    """What the chart of one run draws: the bound, the gap on top of it, the cost, and the bound as a line."""
    return [
        [[s, b if c is not None else None] for s, c, b in points],
        [[s, None if c is None or b is None else max(0.0, c - b)] for s, c, b in points],
        [[s, c] for s, c, _ in points],
        [[s, b] for s, _, b in points],
    ]


class Plot:
    """The plot of one run, which grows.

    Parameters
    ----------
    points
        What is known already.
    label
        Its description for screen readers.
    """

    def __init__(self, points: Sequence[Point], label: str) -> None:
        self._end = axis_end(points[-1][0] if points else 0)
        self._sent = list(points)
        self.chart = Chart(_options(_lines(points), self._end)).classes("search-plot")
        self.chart.props["role"] = "img"
        self.chart.props["aria-label"] = label

    def extend(self, points: Sequence[Point]) -> None:
        """Send what is new."""
        if not points or list(points) == self._sent:
            return
        same = 0
        while same < min(len(points), len(self._sent)) and points[same] == self._sent[same]:
            same += 1
        drop = len(self._sent) - same
        more = series_data(points[same:])
        self._end = axis_end(points[-1][0])
        self._sent = list(points)
        # Numbers alone, so nothing of the table can get into the script.
        ui.run_javascript(_EXTEND % (self.chart.id, json.dumps(more), drop, drop, json.dumps(self._end)))


class Compared:
    """The plot of several runs whose costs are counted alike: solid what was found, dashed the bound.

    Parameters
    ----------
    label
        Its description for screen readers.
    """

    def __init__(self, label: str) -> None:
        self._moved = 0.0
        self._sent: object = None
        self.chart = Chart(_options([], 5, legend=[])).classes("search-plot")
        self.chart.props["role"] = "img"
        self.chart.props["aria-label"] = label

    def move(self, runs: Sequence[tuple[str, Sequence[Point]]]) -> None:
        """Show the runs as they are now, not more often than can be followed."""
        if runs == self._sent or time.monotonic() - self._moved < SECONDS_BETWEEN_MOVES:
            return
        self._sent, self._moved = runs, time.monotonic()
        lines = []
        for at, (name, points) in enumerate(runs):
            colour = COLOURS[at % len(COLOURS)]
            lines.append(_line(name, [[s, c] for s, c, _ in points], colour))
            lines.append(_line(f"{name}: bound", [[s, b] for s, _, b in points], colour, dashed=True))
        end = axis_end(max((points[-1][0] for _, points in runs if points), default=0))
        self.chart.options.update(_options(lines, end, legend=[name for name, _ in runs]))
        self.chart.update()


def _lines(points: Sequence[Point]) -> list[dict[str, Any]]:
    base, gap, cost, bound = series_data(points)
    hidden = {"lineStyle": {"opacity": 0}, "stack": "gap", "tooltip": {"show": False}}
    return [
        {**_line("base", base, GREY), **hidden},
        {**_line("gap", gap, ACCENT), **hidden, "areaStyle": {"color": ACCENT, "opacity": 0.16}},
        _line("Best found", cost, ACCENT),
        _line("Proved bound", bound, MARK, dashed=True),
    ]


def _line(name: str, data: Any, colour: str, *, dashed: bool = False) -> dict[str, Any]:
    return {
        "type": "line",
        "name": name,
        "data": data,
        "step": "end",
        "symbol": "none",
        "silent": True,
        "animation": False,
        "itemStyle": {"color": colour},
        "lineStyle": {"color": colour, "width": 2, "type": "dashed" if dashed else "solid"},
    }


def _options(
    lines: list[dict[str, Any]], end: float, legend: Sequence[str] = ("Best found", "Proved bound")
) -> dict[str, Any]:
    axis = {
        "nameTextStyle": {"color": GREY},
        "axisLabel": {"color": GREY, "hideOverlap": True},
        "axisLine": {"lineStyle": {"color": GREY}},
        "splitLine": {"lineStyle": {"color": FAINT}},
    }
    return {
        "animation": False,
        "grid": {"left": 12, "right": 24, "top": 40, "bottom": 34, "containLabel": True},
        "legend": {
            "data": list(legend),
            "top": 2,
            "left": 8,
            "icon": "rect",
            "itemWidth": 18,
            "itemHeight": 3,
            "textStyle": {"color": GREY},
        },
        "tooltip": {
            "trigger": "axis",
            "renderMode": "richText",
            "axisPointer": {"type": "line", "lineStyle": {"color": GREY}},
        },
        "xAxis": {
            **axis,
            "type": "value",
            "min": 0,
            "max": end,
            "name": "seconds",
            "nameLocation": "middle",
            "nameGap": 28,
            "splitLine": {"show": False},
        },
        "yAxis": {**axis, "type": "value", "min": 0},
        "series": lines,
    }
