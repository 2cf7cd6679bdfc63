"""Buttons that show why they failed."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from shoal import InternalError, ShoalError
from shoal.studio.parts import sentence


def tried(action: Callable[[], object]) -> Callable[[], None]:
    """What a button does; if it fails, the page shows the reason."""

    def attempt() -> None:
        try:
            action()
        except (ShoalError, InternalError) as error:
            ui.notify(sentence(error), type="negative", timeout=10_000, close_button="Close")

    return attempt
