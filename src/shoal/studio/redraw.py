"""A part of the page that is drawn anew when one thing changes, and stays as it is when others do."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

LOOK = 0.3
"""Seconds between two looks."""


class Redraw:
    """Like `parts.WorkspaceRedraw`, for a part that is scrolled, walked through or typed into.

    Parameters
    ----------
    thing
        What the part depends on.
    draw
        Puts the part's elements onto the page.
    comes_into_view
        Whether the page scrolls to it when it changes.
    seconds
        Between two looks.
    """

    def __init__(
        self,
        thing: Callable[[], object],
        draw: Callable[[], object],
        *,
        comes_into_view: bool = False,
        seconds: float = LOOK,
    ) -> None:
        self._thing = thing
        self._draw = draw
        self._comes_into_view = comes_into_view
        self._box = ui.element("div").classes("watched")
        self._seen: object = None
        self._show(thing())
        ui.timer(seconds, self._look)

    def _look(self) -> None:
        found = self._thing()
        if found != self._seen:
            self._show(found)
            if self._comes_into_view:
                ui.run_javascript(f"getHtmlElement({self._box.id})?.scrollIntoView({{block: 'nearest'}})")

    def _show(self, found: object) -> None:
        self._seen = found
        self._box.clear()
        with self._box:
            self._draw()
