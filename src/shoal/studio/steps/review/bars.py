"""Bars of plain elements, with their numbers next to them for readers who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal.formatting.numbers import percent
from shoal.studio.parts import text

Bar = tuple[str, str, float | None, float | None]
"""A name, what it means, and the shares before and after."""


def paired_bars(rows: Sequence[Bar], *, head: str, label: str) -> None:
    """A table of shares before and after, each with its bar."""
    largest = max((share for *_, one, other in rows for share in (one, other) if share), default=1.0)
    with ui.element("table").classes("plain bars") as table:
        table.props["aria-label"] = label
        with ui.element("thead"), ui.element("tr"):
            for words in (head, "Before", "After"):
                text("th", words).props("scope=col")
        with ui.element("tbody"):
            for name, meaning, before, after in rows:
                with ui.element("tr"):
                    with ui.element("td").classes("bar-name"):
                        ui.label(name)
                        if meaning:
                            ui.label(meaning).classes("soft")
                    _cell(before, "before", largest)
                    _cell(after, "after", largest)


def _cell(share: float | None, kind: str, largest: float) -> None:
    with ui.element("td"), ui.element("div").classes("bar-cell"):
        with ui.element("span").classes("bar-track").props("aria-hidden=true"):
            if share:  # not a trace of nothing
                width = 100 * max(0.0, min(1.0, share / largest))
                ui.element("span").classes(f"bar {kind}").style(f"width: {width:.2f}%")
        text("span", percent(share)).classes("bar-number")


def histogram(before: Sequence[float], after: Sequence[float]) -> None:
    """Many shares as thin columns, before next to after."""
    largest = max([*before, *after, 1e-12])
    with ui.element("div").classes("histogram").props("aria-hidden=true"):
        for one, other in zip(before, after, strict=True):
            with ui.element("span").classes("slot"):
                for share, kind in ((one, "before"), (other, "after")):
                    ui.element("span").classes(f"bar {kind}").style(f"height: {100 * share / largest:.2f}%")
