"""Protect."""

from __future__ import annotations

from nicegui import ui

from shoal import Role
from shoal.studio.parts import Following, card, heading, secondary
from shoal.studio.steps.protect import hierarchies
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Protect")
    for column in workspace.draft.columns(Role.QUASI_IDENTIFIER):
        with card(column):
            opened = ui.element("div")

            def reveal(opened: ui.element = opened, column: str = column) -> None:
                opened.clear()
                with opened:
                    _Hierarchy(workspace, column)

            secondary("Settings", reveal).props["aria-label"] = f"Settings of {column}"


class _Hierarchy(Following):
    def __init__(self, workspace: Workspace, column: str) -> None:
        super().__init__(workspace, lambda: hierarchies.show(workspace, column, self))
