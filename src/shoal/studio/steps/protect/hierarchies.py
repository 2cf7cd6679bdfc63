"""The hierarchy of a column."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import Following
from shoal.studio.workspace import Workspace


def show(workspace: Workspace, column: str, following: Following) -> None:  # noqa: ARG001
    """Name the hierarchy of a column."""
    said = workspace.draft.attributes.get(column, {}).get("hierarchy")
    ui.label("Built from the data" if said is None else "As the policy states it").classes("soft")
