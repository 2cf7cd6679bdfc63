"""Charts as SVG text: data in, the same bytes out every time.

What is *before* is an outline and what is *after* is filled, so that neither colour nor a screen is needed to
distinguish them. Colours are names of styles that the page defines, for light, dark and paper.
"""

from shoal.reports.charts.cell_map import cell_map
from shoal.reports.charts.distribution import distribution
from shoal.reports.charts.group_sizes import group_sizes
from shoal.reports.charts.loss import loss
from shoal.reports.charts.progress import progress
from shoal.reports.charts.rates import rates
from shoal.reports.charts.risk import risk

__all__ = ["cell_map", "distribution", "group_sizes", "loss", "progress", "rates", "risk"]
