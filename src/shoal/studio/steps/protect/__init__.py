"""Protect: what each column is, what must hold of a release, and what it may lose."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import heading, notice
from shoal.studio.redraw import Redraw
from shoal.studio.steps.protect import models, objective, roles, summary
from shoal.studio.steps.protect.fields import ChangeListener
from shoal.studio.workspace import Workspace

__all__ = ["build"]


def build(workspace: Workspace) -> None:
    """Show the step; again if another table is opened."""

    def draw() -> None:
        if workspace.table is None:
            notice("The table was closed. Open another one first.")
            ui.link("Go to Open", "/").classes("button primary")
            return
        listener = ChangeListener(workspace)
        with ui.element("div").classes("protect"):
            with ui.element("div").classes("protect-main"):
                table = roles.show(workspace, listener)
                models.show(workspace, listener)
                objective.show(workspace, listener)
            summary.show(workspace, listener, table.refuse)

    heading(
        "Protect", "Choose which columns identify people, how well everybody must hide, and what may be lost."
    )
    Redraw(lambda: id(workspace.table), draw)
