"""The one kind of chart that all steps draw: ECharts in an element that may be deleted at any moment."""

from __future__ import annotations

from nicegui.elements.echart import EChart


class Chart(EChart, component="chart.js"):
    """A chart. Its options are data alone: nothing in them is run as a script, whatever its name.

    Parameters
    ----------
    options
        What ECharts draws.
    on_point_click
        Is called when a point is clicked.
    """
