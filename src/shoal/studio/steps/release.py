"""Release."""

from __future__ import annotations

from fastapi import FastAPI
from nicegui import ui

from shoal.studio.parts import heading
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Release")
    ui.label(f"{len(workspace.runs)} runs")


def add_downloads(served: FastAPI, workspace: Workspace) -> None:
    """The addresses from which files are fetched."""
