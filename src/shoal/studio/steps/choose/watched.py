"""Parts of the page that follow one fact, and buttons that say why nothing came of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from nicegui import ui

from shoal import InternalError, ShoalError
from shoal.studio.parts import sentence


class Watched:
    """Draws a part anew when its key changes; a chart or a list that somebody walks through is not disturbed.

    Parameters
    ----------
    key
        What the part depends on.
    draw
        Puts the part's elements onto the page.
    seconds
        Between two looks.
    """

    def __init__(
        self, key: Callable[[], Hashable], draw: Callable[[], object], *, seconds: float = 0.3
    ) -> None:
        self._key = key
        self._draw = draw
        self.box = ui.element("div")
        self._seen: Hashable = object()
        self.look()
        ui.timer(seconds, self.look)

    def look(self) -> None:
        """Draw, if the key is another one than before."""
        key = self._key()
        if key != self._seen:
            self._seen = key
            self.box.clear()
            with self.box:
                self._draw()


def tried(action: Callable[[], object]) -> Callable[[], None]:
    """What a button does; if it cannot be done, the page says why."""

    def attempt() -> None:
        try:
            action()
        except (ShoalError, InternalError) as error:
            ui.notify(sentence(error), type="negative", timeout=10_000, close_button="Close")

    return attempt
