"""Open: a file, a table of a database, the bundled example, or a policy to go on from."""

from __future__ import annotations

from shoal.studio.parts import heading
from shoal.studio.redraw import Redraw
from shoal.studio.steps.open_table.opening_panel import way_in
from shoal.studio.steps.open_table.pending import Opening
from shoal.studio.steps.open_table.source_choice import choices
from shoal.studio.steps.open_table.table_panel import table_shown
from shoal.studio.workspace import Workspace

LEAD = "Your data stays on this machine: the studio sends nothing out, and reads only what you open here."


def build(workspace: Workspace) -> None:
    """Show the step."""

    def draw_head() -> None:
        if workspace.table is None:
            heading("Open a table", LEAD)
        else:
            heading("Your table", "What it holds, and what in it could point to a person.")

    Redraw(lambda: workspace.table, draw_head, comes_into_view=True)
    Redraw(lambda: _on_the_way(workspace), lambda: way_in(workspace), comes_into_view=True)
    Redraw(lambda: workspace.table, lambda: table_shown(workspace))
    Redraw(lambda: workspace.table, lambda: choices(workspace))


def _on_the_way(workspace: Workspace) -> tuple[object, ...]:
    opening = workspace.state(Opening)
    unconfirmed = opening.pending is not None and opening.pending.unconfirmed
    return opening.pending, unconfirmed, opening.failure, opening.policy
