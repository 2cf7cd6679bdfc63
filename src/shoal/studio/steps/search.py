"""Search: start, watch, stop and keep the best."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import card, heading, number, percent, primary
from shoal.studio.workspace import Workspace


def build(workspace: Workspace) -> None:
    """Show the step."""
    heading("Search")
    primary("Start", lambda: workspace.search(f"Search {len(workspace.runs) + 1}"))
    with card("Runs"):
        words = ui.label()

        def look() -> None:
            lines = []
            for run in workspace.runs:
                last = run.job.reports[-1] if run.job.reports else None
                lines.append(
                    f"{run.title}: {run.job.state} {number(last and last.cost)} {percent(last and last.gap)} "
                    f"{run.job.error or ''}"
                )
            words.set_text("; ".join(lines))

        ui.timer(0.25, look)
