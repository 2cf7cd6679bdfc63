"""Protect."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import heading
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Protect")
    ui.label(f"{len(workspace.runs)} runs")
