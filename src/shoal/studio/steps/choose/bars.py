"""One measure of several algorithms as bars."""

from __future__ import annotations

from typing import Any

from shoal import Compared
from shoal.formatting.numbers import number
from shoal.studio.descriptions import algorithm_words, title
from shoal.studio.steps.choose.scatter import ACCENT, GREY

MEASURES = {
    "ncp": "Detail lost (NCP, per cent)",
    "discernibility": "Discernibility",
    "groups": "Groups (more are better)",
    "suppressed": "Rows left out",
    "seconds": "Seconds",
}
"""What all algorithms can be compared by. The costs that they minimized differ, and are not compared."""


def name_of(run: Compared) -> str:
    """What people call the algorithm of a run."""
    return title(algorithm_words(run.algorithm), run.algorithm)


def breaks_k(run: Compared) -> bool:
    """Whether a group of the release is smaller than demanded."""
    return run.smallest is not None and run.smallest < run.k


def _value(run: Compared, measure: str) -> float | None:
    value = getattr(run, measure)
    if value is None:
        return None
    return round(100 * value, 2) if measure == "ncp" else float(value)


def options(runs: list[Compared], measure: str) -> dict[str, Any]:
    """The options of the chart: a bar for each that keeps k, the best on top."""
    # A run that breaks k is only in the table; next to the others its bar would look like a better choice.
    known = [run for run in runs if _value(run, measure) is not None and not breaks_k(run)]
    shown = sorted(known, key=lambda run: _value(run, measure) or 0)
    if measure != "groups":
        shown.reverse()  # the best on top: a horizontal bar chart begins at the bottom
    return {
        "animation": False,
        "grid": {"left": 8, "right": 80, "top": 8, "bottom": 30, "containLabel": True},
        "tooltip": {"show": False},
        "xAxis": {
            "type": "value",
            "axisLabel": {"color": GREY, "hideOverlap": True},
            "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.18}},
        },
        "yAxis": {
            "type": "category",
            "data": [name_of(run) for run in shown],
            "axisLabel": {"color": GREY, "fontSize": 13},
            "axisLine": {"lineStyle": {"color": GREY}},
            "axisTick": {"show": False},
        },
        "series": [
            {
                "type": "bar",
                "data": [
                    {
                        "value": _value(run, measure),
                        "label": {"formatter": number(_value(run, measure))},
                    }
                    for run in shown
                ],
                "itemStyle": {"color": ACCENT, "borderRadius": [0, 3, 3, 0]},
                "barMaxWidth": 18,
                "label": {"show": True, "position": "right", "color": GREY},
            }
        ],
    }
