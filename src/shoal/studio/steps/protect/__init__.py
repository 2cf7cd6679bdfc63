"""Protect."""

from __future__ import annotations

from nicegui import ui

from shoal import Role
from shoal.studio.parts import Following, card, heading
from shoal.studio.steps.protect import hierarchies
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Protect")

    def draw() -> None:
        for column in workspace.draft.columns(Role.QUASI_IDENTIFIER):
            with card(), ui.expansion(column) as opened:
                box = ui.element("div")

                def reveal(
                    opened: ui.expansion = opened, box: ui.element = box, column: str = column
                ) -> None:
                    if opened.value and not box.default_slot.children:
                        with box:
                            hierarchies.show(workspace, column, following)

                opened.on_value_change(reveal)

    following: Following
    with ui.element("div"):
        following = Following(workspace, draw)
