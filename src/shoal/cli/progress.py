"""The line that shows the progress of a command: live on a terminal, now and then in a log."""

from __future__ import annotations

from shoal.api._progress import ProgressLine as Line
from shoal.api._progress import place_of


class ProgressLine(Line):
    """Shows incumbent, bound, gap, nodes and time. Use it in a `with` statement.

    Parameters
    ----------
    quiet
        Whether to show nothing.
    cost
        The name of the cost that is minimized; it decides how a bound is shown.
    """

    def __init__(self, *, quiet: bool, cost: str = "") -> None:
        super().__init__(place_of(not quiet), cost)
