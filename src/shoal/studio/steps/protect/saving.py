"""The dialog that saves the project: where it is kept, and how to open it again."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from shoal import InternalError, ShoalError
from shoal.studio.parts import in_background, notice, primary, secondary, sentence, text
from shoal.studio.project import save, usual_name
from shoal.studio.workspace import Workspace

WHAT = (
    "A project is a folder with the policy, its hierarchies and what you filled in under Release. It has no "
    "row of the table in it, and no release. Open it here another day, or run its policy.toml on the command "
    "line."
)


def dialog(workspace: Workspace) -> Callable[[], None]:
    """The dialog; gives what opens it."""
    with ui.dialog() as box, ui.card().classes("wide-dialog"):
        box.props["aria-label"] = "Save the project"
        text("h2", "Save the project").classes("card-title")
        ui.label(WHAT).classes("hint")
        name = ui.input("Folder of the project").props("outlined dense autofocus").classes("field")
        place = ui.element("div").props("aria-live=polite")
        with ui.element("div").classes("row end"):
            secondary("Close", box.close)
            primary("Save", lambda: keep())

    async def keep() -> None:
        try:
            folder = await in_background(save, workspace, name.value or "")
            words = f"Saved in {folder}. To go on from it: shoal studio {folder.name}, or open it under Open."
            good = True
        except (ShoalError, InternalError) as error:
            words, good = sentence(error), False
        place.clear()
        with place:
            notice(words, "good" if good else "bad")

    def open_() -> None:
        place.clear()
        if not name.value:
            name.value = usual_name(workspace)
        box.open()

    return open_
