"""The same run by the command line: what to type, and a look whether it really is the same."""

from __future__ import annotations

from nicegui import ui

from shoal import InternalError, ShoalError
from shoal.studio.file_transaction import new_token
from shoal.studio.parts import card, notice, secondary, sentence
from shoal.studio.policy_export import commands, rerun_of, same_by_command_line
from shoal.studio.redraw import INTERVAL
from shoal.studio.reproducibility import reproducible
from shoal.studio.steps.release.state import CHECKING, ReleaseState, safe_name, state_of
from shoal.studio.workspace import Run, Workspace


def command_line(workspace: Workspace, run: Run) -> None:
    """The commands, and the button that tries them."""
    state, table = workspace.state(ReleaseState), workspace.needed_table()
    with card("The same by the command line", "With the policy from above, in its folder:"):
        typed = "\n".join(commands(run, safe_name(state, table, run)))
        block = ui.element("pre").classes("code-block")
        block._text = typed
        with ui.element("div").classes("row"):
            secondary("Copy", lambda: _copy(typed), icon="content_copy")
            button = secondary("Check it now", lambda: _begin(workspace, run), icon="rule")
        if table.uploaded:
            ui.label("Put the uploaded table next to the policy, under its own name.").classes("hint")
        same, why = reproducible(run)
        ui.label(why).classes("hint")
        place = ui.element("div").props("aria-live=polite")
        seen: list[object] = [None]

        def look() -> None:
            state_of(workspace)
            running = state.check_number is not None
            shown = (state.check_number, state.checks.get(run.number), state.errors.get(CHECKING))
            button.set_enabled(not running)
            if shown == seen[0]:
                return
            seen[0] = shown
            place.clear()
            with place:
                _answer(state, run, same=same, why=why)

        look()
        ui.timer(INTERVAL, look)


def _copy(typed: str) -> None:
    ui.clipboard.write(typed)
    ui.notify("Copied", type="positive")


def _begin(workspace: Workspace, run: Run) -> None:
    state, table = workspace.state(ReleaseState), workspace.needed_table()
    state.errors.pop(CHECKING, None)
    state.checks.pop(run.number, None)
    try:
        folder = run.folder / f"check-{new_token()}"
        rerun = rerun_of(run, table, workspace.folders, folder, safe_name(state, table, run))
    except (ShoalError, InternalError) as error:
        state.errors[CHECKING] = sentence(error)
        return
    state.check_number = run.number
    workspace.jobs[CHECKING] = workspace.workers.start(
        "The command line, checked", same_by_command_line, rerun
    )
    workspace.touch()


def _answer(state: ReleaseState, run: Run, *, same: bool, why: str) -> None:
    if state.check_number is not None:
        notice("The command line is running the same policy in a separate folder …")
    elif CHECKING in state.errors:
        notice(state.errors[CHECKING], "bad")
    elif run.number in state.checks:
        equal, words = state.checks[run.number]
        if equal:
            notice(words, "good")
        else:
            notice(words if same else f"{words} {why}", "bad" if same else "warn")
