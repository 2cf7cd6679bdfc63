"""Open: a file, a table of a database, or the bundled example."""

from __future__ import annotations

from nicegui import ui

import shoal
from shoal.studio.parts import card, grid, heading, in_background, primary
from shoal.studio.workspace import Opened, Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Open a table", "Nothing leaves this machine.")
    with card("The bundled example", "30,162 people of the 1994 census."):

        async def example() -> None:
            path = shoal.datasets.adult_path()
            names = shoal.datasets.ADULT_QUASI_IDENTIFIERS
            workspace.open(
                Opened(
                    source=path,
                    name="adult.csv.gz",
                    inspected=await in_background(shoal.inspect, path),
                    hierarchies={name: shoal.datasets.adult_hierarchy_path(name) for name in names},
                )
            )
            ui.navigate.reload()

        primary("Open the example", example)
    if workspace.table is not None:
        with card("Rows"):
            grid(shoal.preview(workspace.table.source), label="The first rows of the table")
