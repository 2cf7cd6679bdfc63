"""The line that shows how a search goes: live on a terminal or in a notebook, now and then in a log."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from shoal.formatting.detail import figures
from shoal.model.policy.budget import Progress, ProgressCallback
from shoal.model.result.phases import AUDIT, COUNT, SEARCH, WRITE

Place = Literal["terminal", "notebook", "log", "nowhere"]

LOG_EVERY = 10.0
"""Seconds between two lines in a log."""

_OTHER_PHASES = {
    COUNT: "counting the rows",
    WRITE: "writing the release",
    AUDIT: "auditing what was written",
}
"""What is shown while a run does not search."""

NOTEBOOK_EVERY = 0.25
"""Seconds between two changes of a notebook's line: each is a message to the browser."""


class ProgressLine:
    """Shows incumbent, bound, gap, nodes and time. Use it in a `with` statement.

    Parameters
    ----------
    place
        Where to show it.
    cost
        The name of the cost that is minimized: it decides how a bound is shown.
    """

    def __init__(self, place: Place, cost: str = "") -> None:
        self._place = place
        self._cost = cost
        self._live: Live | None = None
        self._handle: Any = None
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        if self._place == "terminal":
            self._live = Live(console=Console(stderr=True), transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        if self._handle is not None:
            self._handle.update(_plain(""), raw=True)

    def __call__(self, progress: Progress) -> None:
        if self._live is not None:
            self._live.update(Text(line(progress, self._cost), no_wrap=True))
        elif self._place == "notebook" and self._is_time(0 if self._handle is None else NOTEBOOK_EVERY):
            self._show(_plain(line(progress, self._cost)))
        elif self._place == "log" and _says_something(progress) and self._is_time(LOG_EVERY):
            print(line(progress, self._cost), file=sys.stderr, flush=True)

    def _is_time(self, every: float) -> bool:
        if time.monotonic() - self._last < every:
            return False
        self._last = time.monotonic()
        return True

    def _show(self, shown: dict[str, str]) -> None:
        if self._handle is None:
            display = importlib.import_module("IPython.display").display
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def _says_something(progress: Progress) -> bool:
    """Whether a moment is worth a line that stays: not that at which a search begins."""
    return progress.phase != SEARCH or progress.nodes > 0 or progress.cost is not None


def place_of(wanted: bool | None) -> Place:
    """Where to show progress in this process.

    Parameters
    ----------
    wanted
        Whether it is wanted; `None` for where somebody watches.
    """
    if wanted is False:
        return "nowhere"
    if _in_notebook():
        return "notebook"
    if sys.stderr is not None and sys.stderr.isatty():
        return "terminal"
    return "log" if wanted else "nowhere"


@contextmanager
def shown(
    wanted: bool | None, on_progress: ProgressCallback | None, cost: str = ""
) -> Iterator[ProgressCallback | None]:
    """What a search shall call: a line, if progress is to be shown, and what the caller gave.

    Parameters
    ----------
    wanted
        Whether to show a line; `None` for where somebody watches and the caller gave no callback.
    on_progress
        The caller's callback.
    cost
        As in `ProgressLine`.
    """
    place = place_of(False if wanted is None and on_progress is not None else wanted)
    if place == "nowhere":
        yield on_progress
        return
    with ProgressLine(place, cost) as line_shown:

        def both(progress: Progress) -> None:
            line_shown(progress)
            if on_progress is not None:
                on_progress(progress)

        yield both


def line(progress: Progress, cost: str = "") -> str:
    """A moment of a search in a line.

    Parameters
    ----------
    progress
        The moment.
    cost
        The name of the cost that is minimized, if it is known.
    """
    if progress.phase in _OTHER_PHASES:
        return _OTHER_PHASES[progress.phase]
    found = figures(cost, progress.cost, progress.bound, progress.gap)
    return f"searching   {found}   nodes {progress.nodes:,}   {progress.seconds:.0f} s"


def _plain(text: str) -> dict[str, str]:
    return {"text/plain": text}


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython on a terminal is none."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
