"""Review: the verdict, before and after, risks and attacks, what the release is still good for."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import heading, notice
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps.review import columns, measures, overview, risks, rows, verdict
from shoal.studio.workspace import Run, Workspace

LEAD = (
    "What was written, measured again from its bytes, and compared with your table. Nothing here leaves this "
    "machine."
)


def reviewed(workspace: Workspace) -> Run | None:
    """The selected run, or the newest with a release."""
    released = [run for run in workspace.runs if run.release is not None]
    if workspace.chosen in released:
        return workspace.chosen
    return released[-1] if released else None


def build(workspace: Workspace) -> None:
    """Show the step; it is redrawn when another run is chosen, in any tab."""
    heading("Review", LEAD)
    picker = ui.element("div").classes("review-top")
    box = ui.element("div")
    seen: list[object] = []

    def look() -> None:
        run = reviewed(workspace)
        released = [each.number for each in workspace.runs if each.release is not None]
        shown: list[object] = [run, released]
        if seen == shown:
            return
        if run is None:  # the table was closed in another tab
            seen[:] = shown
            picker.clear()
            box.clear()
            with box:
                notice("There is no release any more: the table was closed. Open one, and search.", "warn")
            return
        if seen[:1] != [run]:
            box.clear()
            with box:
                _draw(workspace, run)
        seen[:] = shown
        picker.clear()
        with picker:
            _pick(workspace, run)

    look()
    ui.timer(INTERVAL, look)


def _pick(workspace: Workspace, run: Run) -> None:
    """Which release is shown, if there are several."""
    released = [each for each in workspace.runs if each.release is not None]

    def choose(number: int) -> None:
        workspace.chosen = workspace.run(number)
        workspace.touch()

    names = [each.title for each in released]
    titles = {
        each.number: (each.title if names.count(each.title) == 1 else f"{each.title} (run {each.number})")[
            :90
        ]
        for each in released
    }
    if len(released) > 1:
        ui.select(
            titles, value=run.number, label="Release of", on_change=lambda event: choose(event.value)
        ).props("outlined dense options-dense").classes("review-pick")
    else:
        ui.label(titles[run.number]).classes("soft")
    with ui.element("nav").classes("review-links") as links:
        links.props["aria-label"] = "Other steps"
        ui.link("Back to Search", "/search")
        ui.link("Back to Choose", "/choose")
        ui.link("Next: Release", "/release").classes("button primary")


def _draw(workspace: Workspace, run: Run) -> None:
    measures.begin(workspace, run)
    verdict.build(workspace, run)
    overview.build(run)
    rows.build(workspace, run)
    risks.build(workspace, run)
    columns.build(workspace, run)
    with ui.element("div").classes("row end"):
        ui.link("Next: Release", "/release").classes("button primary")
