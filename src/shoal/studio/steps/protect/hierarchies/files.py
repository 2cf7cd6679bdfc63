"""Hierarchies from files and to files, in ARX's layout."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import events, ui

from shoal import Hierarchy, InternalError, PolicyError, ShoalError
from shoal.studio.draft import file_name
from shoal.studio.parts import in_background, notice, secondary, sentence, text
from shoal.studio.steps.protect.hierarchies.state import HierarchyState, Shaped, read, said_of
from shoal.studio.tree import Tree
from shoal.studio.tree_edits import Edits
from shoal.studio.workspace import Workspace

MOST_BYTES = 64 * 2**20


class Importer:
    """Takes a hierarchy from an upload, or from a file in an opened folder.

    Parameters
    ----------
    workspace, column
        Who gets it.
    take
        Writes a hierarchy into the policy; an error message, or empty text.
    edit
        Opens the tree editor.
    """

    def __init__(
        self,
        workspace: Workspace,
        column: str,
        take: Callable[[Hierarchy], Awaitable[str]],
        edit: Callable[[], Awaitable[None]],
    ) -> None:
        self._workspace = workspace
        self._column = column
        self._take = take
        self._edit = edit
        stated = said_of(workspace, column).get("hierarchy")
        if isinstance(stated, str):
            with ui.element("div").classes("row"):
                text("span", "In use:").classes("soft")
                text("code", stated)
        with ui.element("div").classes("halves"):
            self._upload()
            if workspace.folders.opened:
                self._path()
        self._said = ui.element("div").classes("import-said")

    def _upload(self) -> None:
        upload = ui.upload(
            label="Drop a CSV file here, or choose one with +",
            auto_upload=True,
            max_files=1,
            max_file_size=MOST_BYTES,
            on_upload=self._uploaded,
            on_rejected=lambda: self._show("That is no file of up to 64 MB.", "bad"),
        )
        upload.props("flat").props["accept"] = ".csv,.txt,.tsv"
        upload.props["aria-label"] = "Upload a hierarchy"

    def _path(self) -> None:
        with ui.element("div").classes("stack"):
            path = ui.input("Or its path in an opened folder").props("outlined dense").classes("field")

            async def load() -> None:
                await self._read(lambda: _of_path(self._workspace, str(path.value or "")))

            path.on("keydown.enter", load)
            with ui.element("div").classes("row"):
                secondary("Import", load)

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        content = await event.file.read()
        await self._read(lambda: _of_bytes(content))

    async def _read(self, load: Callable[[], Hierarchy]) -> None:
        """Read a file; if it lacks values, show how many, and offer to place them."""
        try:
            hierarchy = await in_background(load)
            column = await in_background(read, self._workspace, self._column)
        except (ShoalError, InternalError) as error:
            self._show(sentence(error), "bad")
            return
        absent = set(hierarchy.missing_from(column.values))
        if not absent:
            wrong = await self._take(hierarchy)
            if wrong:
                self._show(wrong, "bad")
            return
        rows = sum(n for value, n in zip(column.values, column.counts, strict=True) if value in absent)
        self._show(
            f"The file has no line for {len(absent):,} of {len(column.values):,} values of this column; "
            f"{rows:,} rows have them. The policy was not changed. Add the lines, or place the values here.",
            "warn",
        )

        async def place() -> None:
            try:
                tree = await in_background(Tree.of, hierarchy, column.values)
            except (ShoalError, InternalError) as error:
                self._show(sentence(error), "bad")
                return
            self._workspace.state(HierarchyState).view(self._column).edits = Edits(tree)
            await self._edit()

        with self._said:
            secondary("Place them in the tree", place)

    def _show(self, words: str, tone: str) -> None:
        if self._said.is_deleted:
            return
        self._said.clear()
        with self._said:
            notice(words, "bad" if tone == "bad" else "warn")


def _of_bytes(content: bytes) -> Hierarchy:
    try:
        return Hierarchy.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8 text; save it as CSV in UTF-8 and try again") from None


def _of_path(workspace: Workspace, stated: str) -> Hierarchy:
    path: Path = workspace.folders.resolved(stated)
    if not path.is_file():
        raise PolicyError("there is no such file in the opened folders; check the path")
    if path.stat().st_size > MOST_BYTES:
        raise PolicyError("that is more than 64 MB, and no hierarchy is so large; choose another file")
    return Hierarchy.read(path)


def export(column: str, shaped: Shaped) -> None:
    """Send the hierarchy to the browser as a file of ARX's layout."""
    content = shaped.column.hierarchy.to_csv().encode()
    ui.download.content(content, file_name(column), "text/csv")
