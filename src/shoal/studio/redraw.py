"""Parts of the page that are drawn again when what they show changes, and only then."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

INTERVAL = 0.4
"""Seconds between two checks for a change."""


class Watch:
    """Calls a function when a value changes, for as long as the current part of the page exists.

    Parameters
    ----------
    read
        Returns the value. It must not be changed in place: return a copy if it could be.
    call
        Is called after a change.
    seconds
        Between two checks.
    """

    def __init__(
        self, read: Callable[[], object], call: Callable[[], object], *, seconds: float = INTERVAL
    ) -> None:
        self._read = read
        self._call = call
        self._last = read()
        ui.timer(seconds, self.look)

    def look(self) -> None:
        """Check now."""
        now = self._read()
        if now != self._last:
            self._last = now
            self._call()

    def accept(self) -> None:
        """Take the current value as known: the page shows it already."""
        self._last = self._read()


class Redraw:
    """A part of the page that is drawn again when a value changes, also from another tab.

    Parameters
    ----------
    read
        Returns what the part shows, to be compared. Whoever scrolls or types in the part is not interrupted
        by a change elsewhere.
    draw
        Puts the part's elements onto the page.
    comes_into_view
        Whether the page scrolls to the part when it changes.
    seconds
        Between two checks for a change.

    Attributes
    ----------
    box
        Where it is drawn.
    """

    def __init__(
        self,
        read: Callable[[], object],
        draw: Callable[[], object],
        *,
        comes_into_view: bool = False,
        seconds: float = INTERVAL,
    ) -> None:
        self._draw = draw
        self._comes_into_view = comes_into_view
        self.box = ui.element("div").classes("watched")
        self._watch = Watch(read, self._changed, seconds=seconds)
        with self.box:
            draw()

    def redraw(self) -> None:
        """Draw it again now."""
        self._watch.accept()
        self.box.clear()
        with self.box:
            self._draw()

    def look(self) -> None:
        """Check now, because something was done here that may have changed it."""
        self._watch.look()

    def accept(self) -> None:
        """Take the current value as shown: it was entered here."""
        self._watch.accept()

    def _changed(self) -> None:
        self.redraw()
        if self._comes_into_view:
            ui.run_javascript(f"getHtmlElement({self.box.id})?.scrollIntoView({{block: 'nearest'}})")
