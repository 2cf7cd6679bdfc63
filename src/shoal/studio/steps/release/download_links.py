"""Files to download through the browser."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.parts import card, notice, secondary, text
from shoal.studio.publish import make_reports
from shoal.studio.redraw import INTERVAL
from shoal.studio.spreadsheet import ENDINGS
from shoal.studio.steps.release.downloads import address
from shoal.studio.steps.release.state import REPORTING, ReleaseState, report_order, state_of
from shoal.studio.workspace import Run, Workspace

SPREADSHEETS = (
    "Excel and others run a cell that begins with = + - or @ as a formula. In this copy such cells begin "
    "with an apostrophe and are shown as text; negative numbers stay as they are."
)
NOT_THE_RELEASE = "It is for looking at. It is not the release: its bytes differ from what was audited."


def anchor(words: str, href: str, *, new_tab: bool = False) -> ui.element:
    """A link to a file to keep, or to a page to read."""
    link = text("a", words)
    link.props["href"] = href
    if new_tab:
        link.props["target"], link.props["rel"] = "_blank", "noopener"
    else:
        link.props["download"] = ""
    return link


def take(workspace: Workspace, run: Run) -> None:
    """The downloads."""
    state = workspace.state(ReleaseState)
    with card("Take it along", "Through the browser, into its own folder for downloads."):
        with ui.element("ul").classes("takings"):
            _taking("release", "the table, as it was audited", address(run, "release"))
            _taking("manifest", "what was done and proved, for programs", address(run, "manifest"))
            several = bool(run.draft.used_files())
            words = "with its hierarchies, as a .zip" if several else "as policy.toml"
            _taking("policy", words, address(run, "policy"))
            if run.number in state.reports:
                for kind in state.reports[run.number]:
                    name = f"report ({kind.upper()})"
                    _taking(name, "for the signatory", address(run, f"report.{kind}"))
        _report(workspace, run)
    if run.release_path.suffix in ENDINGS:
        with card("A copy for spreadsheets"):
            ui.label(SPREADSHEETS).classes("hint")
            ui.label(NOT_THE_RELEASE).classes("hint strong")
            anchor("Download the copy for spreadsheets", address(run, "spreadsheet")).classes("button")


def _taking(name: str, words: str, href: str) -> None:
    with ui.element("li"):
        link = anchor(f"Download the {name}", href)
        link.classes("taking")
        ui.label(words).classes("hint")


def _report(workspace: Workspace, run: Run) -> None:
    state = workspace.state(ReleaseState)
    place = ui.element("div").props("aria-live=polite")
    with ui.element("div").classes("row"):
        if run.number in state.reports:
            anchor("Open the report", address(run, "report"), new_tab=True).classes("button")
        words = "Make the report again" if run.number in state.reports else "Make the report"
        button = secondary(words, lambda: _begin(workspace, run), icon="description")
    seen: list[object] = [None]

    def look() -> None:
        state_of(workspace)
        shown = (state.report_order is not None, state.errors.get(REPORTING))
        button.set_enabled(state.report_order is None)
        if shown == seen[0]:
            return
        seen[0] = shown
        place.clear()
        with place:
            if state.report_order is not None:
                notice("The report is being made: risk, attacks and utility are measured. It takes a while.")
            elif REPORTING in state.errors:
                notice(state.errors[REPORTING], "bad")

    look()
    ui.timer(INTERVAL, look)


def _begin(workspace: Workspace, run: Run) -> None:
    state = workspace.state(ReleaseState)
    state.errors.pop(REPORTING, None)
    state.report_order = report_order(workspace, run)
    workspace.jobs[REPORTING] = workspace.workers.start("The report", make_reports, state.report_order)
    workspace.touch()
