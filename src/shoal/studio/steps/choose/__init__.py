"""Choose: weigh privacy against detail on a front, or algorithms against each other."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import heading, notice
from shoal.studio.redraw import Redraw
from shoal.studio.steps.choose import comparison, front_panel
from shoal.studio.steps.choose.requests import Choosing
from shoal.studio.workspace import Workspace

_LEAD = (
    "More privacy costs detail. The front shows every trade that is worth making, and you pick one. If you "
    "would rather keep your k, compare what different ways of searching make of it."
)


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Choose", _LEAD)
    # Another tab may open another table: then nothing that is shown here holds.
    Redraw(lambda: None if workspace.table is None else workspace.state(Choosing), lambda: _panels(workspace))


def _panels(workspace: Workspace) -> None:
    if workspace.table is None:
        notice("The table was closed. Open a table first.")
        ui.link("Go to Open", "/").classes("button primary")
        return
    choosing = workspace.state(Choosing)
    with ui.tabs().props("align=left no-caps").classes("choose-tabs") as tabs:
        ui.tab("front", "Privacy against detail")
        ui.tab("algorithms", "Compare algorithms")
    tabs.on_value_change(lambda event: setattr(choosing, "tab", event.value))
    with ui.tab_panels(tabs, value=choosing.tab, animated=False).classes("choose-panels"):
        with ui.tab_panel("front"):
            front_panel.build(workspace, choosing)
        with ui.tab_panel("algorithms"):
            comparison.build(workspace, choosing)
