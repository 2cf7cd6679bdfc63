"""Actions on a run: repeat, prolong, rename, remove."""

from __future__ import annotations

import shutil

from nicegui import ui

from shoal import Status
from shoal.studio.draft import Draft
from shoal.studio.parts import primary, secondary
from shoal.studio.steps.search.selection import SearchSelection
from shoal.studio.workspace import Run, Workspace

LONGER = 4
"""How many times as long a search may take that was too short."""

LEAST_LONGER = 60


def choose(workspace: Workspace, run: Run) -> None:
    """Take a run's release to the review."""
    if run not in workspace.runs:  # another tab removed it, or opened another table
        return
    workspace.chosen = run
    workspace.touch()
    ui.navigate.to("/review")


def can_go_on(run: Run) -> bool:
    """Whether more time may give a better release, or a proof."""
    release = run.release
    return release is not None and release.result.status is Status.FEASIBLE


def longer(run: Run) -> int:
    """Seconds for a search that was too short; it starts again, so they are several times as many."""
    had = run.release.result.seconds if run.release is not None else run.job.seconds
    return max(LEAST_LONGER, round(LONGER * had / 30) * 30)


def longer_words(run: Run) -> str:
    """The same in words."""
    seconds = longer(run)
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{seconds / 60:g} minutes" if seconds < 7200 else f"{seconds / 3600:.2g} hours"


def search_on(workspace: Workspace, run: Run) -> None:
    """Search again by the same policy, with more time."""
    draft = run.draft.copy()
    draft.say("search", "seconds", longer(run))
    draft.say("search", "nodes", None)
    again(workspace, run, draft, "longer")


def again(workspace: Workspace, run: Run, draft: Draft, how: str) -> None:
    """Begin a run after another one, unless that is gone: its policy is for a table that is closed."""
    if run not in workspace.runs:
        return
    begun = workspace.search(f"{run.title[:60]}, {how}", draft)
    workspace.state(SearchSelection).selected = begun.number
    workspace.touch()


def take_policy(workspace: Workspace, run: Run) -> None:
    """Make a run's policy the one that is being written, to change something and search again."""
    if run not in workspace.runs:
        return
    workspace.draft = run.draft.copy()
    workspace.touch()
    ui.notify(f"The policy of {run.title} is now the one above: change it there or in Protect, then start.")


def remove(workspace: Workspace, run: Run) -> None:
    """Forget a run, its release included."""
    run.job.stop()
    run.job.stop()  # at once
    if run in workspace.runs:
        workspace.runs.remove(run)
    if workspace.chosen is run:
        workspace.chosen = None
    remembered = workspace.state(SearchSelection)
    remembered.compared = [number for number in remembered.compared if number != run.number]
    shutil.rmtree(run.folder, ignore_errors=True)
    workspace.touch()


def rename(workspace: Workspace, run: Run) -> None:
    """Request another name for a run."""
    with ui.dialog() as dialog, ui.card().classes("search-dialog"):
        name = ui.input("New name", value=run.title).props("outlined autofocus maxlength=80")

        def take() -> None:
            run.title = (name.value or "").strip()[:80] or run.title
            run.job.title = run.title
            dialog.close()
            workspace.touch()

        name.on("keydown.enter", take)
        with ui.element("div").classes("row end"):
            secondary("Leave it", dialog.close)
            primary("Rename", take)
    dialog.on("hide", dialog.delete)
    dialog.open()
