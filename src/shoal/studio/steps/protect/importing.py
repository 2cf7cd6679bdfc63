"""Imports a policy in place of the current one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from shoal import InternalError, PolicyError, Role, ShoalError, privacy
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.parts import in_background, notice, primary, secondary, sentence, text
from shoal.studio.steps.protect.fields import ChangeListener
from shoal.studio.steps.protect.remark import short
from shoal.studio.steps.protect.wording import checked, listed
from shoal.studio.workspace import Opened, Workspace

MOST_BYTES = 2**20
"""Of a policy's file."""

MOST_HIERARCHY = 2**26


def imported(written: str, table: Opened, before: Draft, folders: Folders) -> tuple[Draft, list[str]]:
    """A draft from a policy's text, and what was left out of it; `PolicyError` if it is none for this table.

    Parameters
    ----------
    written
        The text.
    table
        The table that is open; the policy's own source is left out.
    before
        The draft that it replaces: its hierarchy files are known by name.
    folders
        Where other files may lie.
    """
    try:
        stated: dict[str, Any] = tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"the text is no TOML: {error}") from None
    left = []
    source = stated.pop("source", None)
    if source is not None:
        left.append("Its source: the table that is open stays.")
    if isinstance(stated.get("release"), dict) and stated["release"].pop("path", None) is not None:
        left.append("Its place for the release: that comes later.")
    left.extend(_take_ledger(stated, folders))
    if isinstance(stated.get("release"), dict) and {"row_key", "extend"} & stated["release"].keys():
        stated["release"] = {
            name: value for name, value in stated["release"].items() if name not in ("row_key", "extend")
        }
        left.append("Versions (row_key, extend): `shoal anonymize` extends releases; the studio does not.")
    named = stated.get("attributes", {})
    if not isinstance(named, dict) or not all(isinstance(settings, dict) for settings in named.values()):
        raise PolicyError("[attributes.NAME] is a table for each column")
    known = [column.name for column in table.inspected.columns]
    unknown = [name for name in named if name not in known]
    if unknown:
        raise PolicyError(f"the table that is open has no column {listed(unknown)}")
    for name in ("privacy", "objective", "search"):
        if not isinstance(stated.get(name, {}), dict):
            raise PolicyError(f"[{name}] must be a table")
    draft = Draft({**stated, "attributes": {name: named.get(name, {"role": "other"}) for name in known}})
    for name, settings in draft.attributes.items():
        settings.setdefault("role", Role.OTHER.value)
        if isinstance(settings.get("hierarchy"), str):
            left.extend(_take_hierarchy(draft, name, before, folders))
    draft.mark_missing(source.get("missing") if isinstance(source, dict) else None)
    if isinstance(draft.stated["privacy"].get("population"), str):
        path = folders.resolved(draft.stated["privacy"]["population"])
        draft.say("privacy", "population", str(path))
    return draft, left


def _take_ledger(stated: dict[str, Any], folders: Folders) -> list[str]:
    """Let a ledger only be where the studio may write."""
    release = stated.get("release")
    if not isinstance(release, dict) or "ledger" not in release:
        return []
    try:
        release["ledger"] = str(folders.resolved(str(release["ledger"])))
    except PolicyError:
        del release["ledger"]
        return ["Its ledger: the file is not in the opened folders."]
    return []


def _take_hierarchy(draft: Draft, column: str, before: Draft, folders: Folders) -> list[str]:
    named = draft.attributes[column].pop("hierarchy")
    if named in before.files:
        written = before.files[named]
    else:
        try:
            path = folders.resolved(named)
            if not path.is_file() or path.stat().st_size > MOST_HIERARCHY:
                raise PolicyError("that is no hierarchy's file")
            written = path.read_text(encoding="utf-8-sig")
        except (PolicyError, OSError, UnicodeDecodeError):
            draft.attributes[column].pop("suppressed_top", None)
            return [
                f"The hierarchy of {short(column)}: its file is not in the opened folders. Give it again."
            ]
    draft.set_hierarchy_file(column, written)
    return []


def dialog(workspace: Workspace, listener: ChangeListener) -> Callable[[], None]:
    """The dialog; gives what opens it."""
    with ui.dialog() as box, ui.card().classes("wide-dialog"):
        text("h2", "Import a policy").classes("card-title")
        ui.label(
            "Paste a policy file or choose one. It takes the place of the policy that is shown."
        ).classes("hint")
        field = ui.textarea("Text of the policy").props("outlined input-class=code rows=12").classes("field")

        async def uploaded(event: events.UploadEventArguments) -> None:
            try:
                field.value = (await event.file.read()).decode("utf-8-sig")
            except UnicodeDecodeError:
                show("That file is not UTF-8 text; a policy is.")
            upload.reset()

        upload = ui.upload(
            label="Or choose a file", on_upload=uploaded, auto_upload=True, max_file_size=MOST_BYTES
        )
        upload.on("rejected", lambda: show("That file is too large for a policy."))
        upload.props("accept=.toml,.txt flat bordered").classes("field")
        message = ui.element("div")
        with ui.element("div").classes("row end"):
            secondary("Cancel", box.close)
            primary("Take this policy", lambda: take())

    def show(words: str) -> None:
        message.clear()
        with message:
            notice(words, "bad")

    async def take() -> None:
        table = workspace.needed_table()
        try:
            draft, left = imported(field.value or "", table, workspace.draft, workspace.folders)
            wrong = await in_background(checked, draft, workspace.folders, table.stated())
            for model in draft.stated["privacy"].get("models", []) if wrong is None else []:
                privacy.model_of(model)
        except (ShoalError, InternalError, TypeError) as error:
            wrong = sentence(error)
        if message.is_deleted or workspace.table is not table:  # it was read for a table that is closed
            return
        if wrong is not None:
            show(f"{wrong} The policy that is shown was not changed.")
            return
        workspace.draft = draft
        listener.changed()
        box.close()
        ui.notify(
            "\n".join(["The policy was taken.", *(f"Left out: {words}" for words in left)]),
            multi_line=True,
            classes="lines",
            close_button="Close",
            timeout=0 if left else 4000,
        )

    def open_() -> None:
        message.clear()
        field.value = ""
        box.open()

    return open_
