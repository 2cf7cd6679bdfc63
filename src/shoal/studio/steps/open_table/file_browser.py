"""A file on this machine: a browser of the opened folders, and an input for a path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import ui

from shoal import EngineError, PolicyError
from shoal.studio.parts import card, in_background, notice, primary, secondary, sentence, text
from shoal.studio.steps.open_table.opening import fail, open_folder, open_path
from shoal.studio.steps.open_table.paths import (
    Entry,
    Listing,
    found_file,
    kind_of,
    listed,
    parent,
    place,
    short,
    size_words,
)
from shoal.studio.steps.open_table.pending import Opening
from shoal.studio.workspace import Workspace

Going = Callable[[Path | None], Awaitable[None]]
"""Shows another folder."""

ICONS = {"folder": "folder", "table": "table_chart", "database": "storage", "policy": "description"}
WORDS = {"folder": "Folder", "table": "Table", "database": "Database", "policy": "Policy"}
HINT = "Read in place, however large. The studio sees only the folders that it was started with."

NOTHING = "Nothing here that can be opened: no table, policy, database or folder."


def browser(workspace: Workspace, on_database: Callable[[Path], None]) -> None:
    """Show it.

    Parameters
    ----------
    workspace
        Where what is chosen is opened.
    on_database
        Called with the file of a database: its table must still be named.
    """
    opening, folders = workspace.state(Opening), workspace.folders
    if opening.folder is None and len(folders.opened) == 1:
        opening.folder = folders.opened[0]
    with card("A file on this machine", HINT):
        box = ui.element("div").classes("open-browser")
        with ui.element("form").classes("row open-path").on("submit.prevent", lambda: typed()):
            path = ui.input("Path", placeholder="stays.csv or /data/stays.parquet").classes("open-path-field")
            path.props("outlined dense autocomplete=off spellcheck=false")
            secondary("Open the path", lambda: typed())

    def choose(stated: str | Path) -> None:
        try:
            if kind_of(str(stated)) == "database":
                on_database(found_file(folders, stated))
            else:
                open_path(workspace, stated)
        except (PolicyError, EngineError) as error:
            fail(workspace, sentence(error))

    async def typed() -> None:
        stated = path.value or ""
        try:
            inside = place(folders, stated)
        except PolicyError as error:
            fail(workspace, sentence(error))
            return
        if inside.is_dir():
            await go(inside)
        else:
            choose(inside)

    async def go(folder: Path | None) -> None:
        try:
            listing = await in_background(listed, folders, folder)
        except (PolicyError, EngineError) as error:
            fail(workspace, sentence(error))
            return
        if not box.is_deleted:
            workspace.state(Opening).folder = folder
            draw(listing)

    def draw(listing: Listing) -> None:
        box.clear()
        with box:
            _where(workspace, listing, go)
            if listing.opens_as and listing.folder is not None:
                _whole(workspace, listing.folder, listing.opens_as)
            with ui.element("ul").classes("open-list"):
                for entry in listing.entries:
                    _line(entry, go, choose, listing.folder is None)
            if not listing.entries:
                ui.label(NOTHING).classes("hint")
            if listing.left_out:
                notice(f"{listing.left_out:,} more are not listed; type the path of the one you want.")

    ui.timer(0.05, lambda: go(workspace.state(Opening).folder), once=True)


def _where(workspace: Workspace, listing: Listing, go: Going) -> None:
    with ui.element("div").classes("row open-where"):
        if listing.folder is None:
            ui.label("The opened folders").classes("soft")
            return
        above = parent(workspace.folders, listing.folder)
        if above is not None or len(workspace.folders.opened) > 1:
            ui.button(icon="arrow_upward", on_click=lambda: go(above)).props(
                'flat round dense aria-label="To the folder above"'
            )
        text("span", short(str(listing.folder), 90)).classes("code")


def _whole(workspace: Workspace, folder: Path, kind: str) -> None:
    """The folder itself can be opened."""

    def open_it() -> None:
        try:
            open_folder(workspace, folder)
        except (PolicyError, EngineError) as error:
            fail(workspace, sentence(error))

    label = "Open this project" if kind == "project" else "Open this folder as one table"
    with ui.element("div").classes("row open-answer"):
        primary(label, open_it)


def _line(entry: Entry, go: Going, choose: Callable[[Path], None], whole: bool) -> None:
    name = str(entry.path) if whole else entry.path.name

    async def open_it() -> None:
        if entry.kind == "folder":
            await go(entry.path)
        else:
            choose(entry.path)

    with ui.element("li"), ui.element("button").props("type=button").classes("open-entry") as line:
        line.on("click", open_it)
        ui.icon(ICONS[entry.kind]).props("aria-hidden=true")
        text("span", short(name, 80)).classes("open-entry-name")
        text("span", WORDS[entry.kind]).classes("soft open-entry-kind")
        text("span", "" if entry.kind == "folder" else size_words(entry.size)).classes("soft n")
        text("span", entry.changed).classes("soft n")
