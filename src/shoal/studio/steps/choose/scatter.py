"""The front as a chart: what the policy allows, what is below it, the suggestion, the selected point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal import Front, FrontPoint
from shoal.studio.steps.choose import wording

GREY, ACCENT, MARK = "#7a8a90", "#2f8582", "#c2712f"
MOST_DRAWN = 1_000
"""Points that are drawn; of more, some are left out evenly, and the list still has all."""

SELECTED = "selected"


def options(front: Front, selected: FrontPoint | None) -> dict[str, Any]:
    """The options of the chart."""
    points = drawn(front.points)
    k = front.policy.k
    suggested = front.suggested
    allowed = [point for point in points if point.k >= k]
    below = [point for point in points if point.k < k]
    series = [
        _line(front, points) if len(front.names) == 2 else _line(front, []),
        _scatter(f"Allowed (k ≥ {k:,})", front, allowed, color=ACCENT, size=9, z=3),
        _scatter(f"Below k = {k:,}", front, below, color=GREY, size=8, z=2, hollow=True),
        _scatter(
            "Suggested", front, [suggested] if suggested else [], color=MARK, size=17, z=4, symbol="diamond"
        ),
        chosen(front, selected),
    ]
    series[1]["markLine"] = _demanded(k)
    legend = [line["name"] for line in series[1:] if line["data"] or line.get("id") == SELECTED]
    return {
        "animation": False,
        "textStyle": {"fontFamily": "system-ui, sans-serif"},
        "grid": {"left": 62, "right": 32, "top": 58, "bottom": 50},
        "legend": {"top": 0, "left": 0, "itemGap": 16, "textStyle": {"color": GREY}, "data": legend},
        "tooltip": {"trigger": "item", "renderMode": "richText", "formatter": "{b}"},
        "xAxis": _axis("log", "k, the rows that look alike: more is safer →", gap=30),
        "yAxis": _axis("value", f"{wording.loss_words(front)}: less is better ↓", gap=44),
        "series": series,
    }


def drawn(points: Sequence[FrontPoint]) -> list[FrontPoint]:
    """So many points, evenly chosen, that the page stays quick."""
    if len(points) <= MOST_DRAWN:
        return list(points)
    step = (len(points) - 1) / (MOST_DRAWN - 1)
    return [points[round(place * step)] for place in range(MOST_DRAWN)]


def chosen(front: Front, point: FrontPoint | None) -> dict[str, Any]:
    """The ring around the selected point; it lets clicks through to what is under it."""
    ring = _scatter("Selected", front, [point] if point else [], color=MARK, size=24, z=6, hollow=True)
    return {**ring, "id": SELECTED, "silent": True}


def _demanded(k: int) -> dict[str, Any]:
    return {
        "silent": True,
        "symbol": "none",
        "lineStyle": {"type": "dashed", "color": GREY},
        "label": {"formatter": f"k = {k:,}", "color": GREY, "fontSize": 12},
        "data": [{"xAxis": k}],
    }


def _axis(kind: str, name: str, *, gap: int) -> dict[str, Any]:
    return {
        "type": kind,
        "name": name,
        "nameLocation": "middle",
        "nameGap": gap,
        "nameTextStyle": {"color": GREY, "fontSize": 12.5},
        "axisLabel": {"color": GREY},
        "axisLine": {"show": True, "lineStyle": {"color": GREY}},
        "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.18}},
    }


def _place(front: Front, point: FrontPoint) -> list[float]:
    name = front.names[-1]
    value = float(point.values[name])
    return [max(point.k, 1), round(100 * value, 3) if wording.is_share(front) else value]


def _line(front: Front, points: Sequence[FrontPoint]) -> dict[str, Any]:
    return {
        "type": "line",
        "name": "front",
        "data": [_place(front, point) for point in points],
        "showSymbol": False,
        "silent": True,
        "z": 1,
        "tooltip": {"show": False},
        "lineStyle": {"color": GREY, "width": 1, "opacity": 0.45},
    }


def _scatter(
    name: str,
    front: Front,
    points: Sequence[FrontPoint],
    *,
    color: str,
    size: int,
    z: int,
    symbol: str = "circle",
    hollow: bool = False,
) -> dict[str, Any]:
    style: dict[str, Any] = {"color": color}
    if hollow:
        style = {"color": "transparent", "borderColor": color, "borderWidth": 1.8}
    return {
        "type": "scatter",
        "name": name,
        "symbol": symbol,
        "symbolSize": size,
        "z": z,
        "itemStyle": style,
        "data": [
            {"value": _place(front, point), "name": wording.summary(front, point), "number": point.number}
            for point in points
        ],
    }
