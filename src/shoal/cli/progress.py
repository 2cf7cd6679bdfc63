"""The line that shows the progress of a search: live on a terminal, now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from shoal.cli.console import say
from shoal.formatting.detail import figures
from shoal.model.policy.budget import Progress

PLAIN_EVERY = 10.0
"""Seconds between two lines in a log."""


class ProgressLine:
    """Shows incumbent, bound, gap, nodes and time. Use it in a `with` statement.

    Parameters
    ----------
    quiet
        Whether to show nothing.
    cost
        The name of the cost that is minimized; it decides how a gap is told.
    """

    def __init__(self, *, quiet: bool, cost: str = "") -> None:
        self._quiet = quiet
        self._cost = cost
        self._live: Live | None = None
        self._last = time.monotonic()

    def __enter__(self) -> ProgressLine:
        if not self._quiet and sys.stderr.isatty():
            self._live = Live(console=Console(stderr=True), transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        if self._live is not None:
            self._live.update(Text(self._line(progress), no_wrap=True))
        elif not self._quiet and time.monotonic() - self._last >= PLAIN_EVERY:
            self._last = time.monotonic()
            say(self._line(progress))

    def _line(self, progress: Progress) -> str:
        found = figures(self._cost, progress.cost, progress.bound, progress.gap)
        return f"searching   {found}   nodes {progress.nodes:,}   {progress.seconds:.0f} s"
