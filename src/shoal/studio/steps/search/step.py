"""The step as a whole."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import heading
from shoal.studio.steps.search.look_panel import LookPanel
from shoal.studio.steps.search.run_list import Listing
from shoal.studio.steps.search.run_panel import RunPanel
from shoal.studio.steps.search.start_panel import StartPanel
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading(
        "Search",
        "Shoal looks for the release that keeps every promise of the policy and loses the least detail, and "
        "proves how close to the best it is.",
    )
    with ui.element("div").classes("search-columns"):
        StartPanel(workspace)
        with ui.element("div"):
            RunPanel(workspace)
            LookPanel(workspace)
    Listing(workspace)
