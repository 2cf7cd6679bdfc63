"""Charts: the same bytes twice, whole XML, and what they show."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from shoal.reports import charts

TRACE = [
    {"seconds": 0.1, "cost": 10.0, "bound": None},
    {"seconds": 0.4, "cost": 8.0, "bound": 2.0},
    {"seconds": 1.0, "cost": 6.0, "bound": 6.0},
]
DRAWN: dict[str, Callable[[], str]] = {
    "sizes": lambda: charts.group_sizes([[5, 2], [120, 1]], [[1, 40]], 5),
    "risk": lambda: charts.risk([("highest", 1.0, 0.2), ("average", None, 0.1)], 0.2),
    "rates": lambda: charts.rates([("linkage", 0.5, 0.1, False), ("homogeneity", 0.0, None, True)]),
    "loss": lambda: charts.loss([("age", 0.5), ("<b>", 0.0)]),
    "progress": lambda: charts.progress(TRACE),
    "distribution": lambda: charts.distribution("age", [{"label": "<i>", "share": 1.0}]),
}


def texts(chart: str) -> list[str]:
    """The words on a chart."""
    return [each.text or "" for each in ElementTree.fromstring(chart).iter("text")]


def bars(chart: str, kind: str) -> list[tuple[float, float]]:
    """Width and height of the bars of a kind; those of the legend are ten high."""
    found = [each for each in ElementTree.fromstring(chart).iter("rect") if each.get("class") == kind]
    return [(float(each.get("width", 0)), float(each.get("height", 0))) for each in found]


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_is_whole_named_and_the_same_twice(name: str) -> None:
    """It parses as XML, tells its name and its numbers in words, and depends on nothing but its data."""
    drawn = DRAWN[name]()
    root = ElementTree.fromstring(drawn)
    assert (root.get("role"), bool(root.get("aria-label"))) == ("img", True)
    assert all(root.find(each) is not None for each in ("title", "desc"))
    assert drawn == DRAWN[name]()
    assert "style=" not in drawn


def test_ranges_of_group_sizes_end_at_k() -> None:
    """Rows below k are of their own kind and left of the line."""
    chart = charts.group_sizes([[1, 10], [4, 5], [5, 14]], k=5)
    assert "k = 5 demanded" in texts(chart)
    assert {"1", "2 to 4", "5 to 9"} <= set(texts(chart))
    heights = [height for _, height in bars(chart, "bad")]
    assert heights[0] * 2 == pytest.approx(heights[1], abs=0.2)  # 10 of 100 rows, and 20


def test_before_is_an_outline_and_after_is_filled() -> None:
    """The two are told apart without colour."""
    chart = charts.risk([("highest", 1.0, 0.5)])
    (before,) = [width for width, height in bars(chart, "before") if height == 16]
    (after,) = [width for width, height in bars(chart, "after") if height == 16]
    assert before == pytest.approx(2 * after, abs=0.2)


def test_a_search_is_drawn_as_stairs() -> None:
    """What is known stays known until something better is."""
    chart = charts.progress(TRACE)
    assert chart.count('class="best" d="M') == 1
    assert "After 1 s: cost 6, bound 6." in chart


def test_an_attack_that_succeeds_says_so_in_words() -> None:
    """Not by colour alone."""
    assert "50 % fails" in texts(DRAWN["rates"]())
