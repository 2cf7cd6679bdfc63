"""Choose a folder among those that were opened, and what is in them."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from shoal import PolicyError, ShoalError
from shoal.studio.folders import Folders
from shoal.studio.parts import in_background, notice, primary, secondary, sentence, text
from shoal.studio.steps.release.state import ReleaseState
from shoal.studio.workspace import Workspace

MOST = 300
"""Folders that are shown of one."""


def subfolders(folders: Folders, folder: Path) -> list[Path]:
    """The folders in a folder; hidden ones and links that lead out of what was opened are left out."""
    paths = []
    try:
        for path in sorted(folders.resolved(folder).iterdir(), key=lambda each: each.name.casefold()):
            if path.name.startswith(".") or not path.is_dir():
                continue
            try:
                folders.resolved(path)
            except PolicyError:
                continue
            paths.append(path)
    except OSError as error:
        raise PolicyError(f"that folder cannot be read: {error.strerror}") from None
    return paths[:MOST]


async def choose_folder(workspace: Workspace) -> None:
    """Choose a folder, and put it into the form."""
    state, folders = workspace.state(ReleaseState), workspace.folders
    try:
        here = folders.resolved(state.folder or folders.opened[0])
        here = here if here.is_dir() else folders.opened[0]
    except (ShoalError, IndexError):
        here = folders.opened[0] if folders.opened else Path()
    with ui.dialog() as dialog, ui.card().classes("ask folders"):
        text("h2", "Choose a folder").classes("card-title")
        place = ui.label().classes("code")
        listed = ui.element("div").classes("folder-list").props("role=group aria-label=Folders")
        with ui.element("div").classes("row end"):
            secondary("Cancel", lambda: dialog.submit(None))
            primary("Use this folder", lambda: dialog.submit(place.text))

    async def show(folder: Path) -> None:
        place.set_text(str(folder))
        listed.clear()
        try:
            paths = await in_background(subfolders, folders, folder)
        except ShoalError as error:
            if not listed.is_deleted:
                with listed:
                    notice(sentence(error), "bad")
            return
        if listed.is_deleted:
            return
        with listed:
            if folder in folders.opened:
                for other in folders.opened:
                    if other != folder:
                        _entry(str(other), "home", lambda other=other: show(other))
            else:
                _entry("Up", "arrow_upward", lambda: show(folder.parent))
            for path in paths:
                _entry(path.name, "folder", lambda path=path: show(folders.resolved(path)))
            if not paths:
                ui.label("No folders in it.").classes("hint")

    await show(here)
    chosen = await dialog
    if not dialog.is_deleted:
        dialog.delete()
    if chosen:
        state.folder = chosen


def _entry(name: str, icon: str, go: object) -> None:
    ui.button(name, icon=icon, on_click=go).props("flat no-caps align=left").classes("folder-entry")  # type: ignore[arg-type]
