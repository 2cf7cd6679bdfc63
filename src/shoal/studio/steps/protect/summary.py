"""Always in sight: the policy in a paragraph, whether Shoal takes it, its file, and a way to import one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from nicegui import background_tasks, ui

from shoal import InternalError, ShoalError
from shoal.studio.draft import Draft
from shoal.studio.parts import in_background, secondary, sentence, text
from shoal.studio.steps.protect import importing, saving, uniqueness
from shoal.studio.steps.protect.fields import ChangeListener
from shoal.studio.steps.protect.hidden_settings import unshown
from shoal.studio.steps.protect.leak_warnings import known
from shoal.studio.steps.protect.wording import checked, doubts, gathered, paragraph, problems
from shoal.studio.workspace import Workspace

MOST_DOUBTS = 6
PATIENCE = 0.1
"""Seconds without another change before the policy is judged."""


def show(workspace: Workspace, listener: ChangeListener, on_refused: Callable[[str | None], None]) -> None:
    """Put the summary onto the page.

    Parameters
    ----------
    workspace, listener
        What is shown.
    on_refused
        Called with Shoal's objection to the policy, to show it at its column.
    """
    with ui.element("aside").classes("policy-summary card").props('aria-label="The policy so far"'):
        text("h2", "The policy so far").classes("card-title")
        words = ui.label().classes("policy-words")
        unshown_box = ui.element("div")
        uniqueness.show(workspace, listener)
        verdict = ui.element("div").props("role=status aria-live=polite")
        with ui.element("div").classes("row summary-tools"):
            undo = secondary("Undo change", lambda: step_back(workspace.history.undo))
            redo = secondary("Redo change", lambda: step_back(workspace.history.redo))
        with ui.element("div").classes("row summary-tools"):
            secondary("Show the file", _file(workspace))
            secondary("Import a policy", importing.dialog(workspace, listener))
            secondary("Save the project", saving.dialog(workspace))
        ui.link("Next: Search", "/search").classes("button primary next").props("id=next-step")

    def step_back(step: Callable[[Draft], Draft]) -> None:
        workspace.draft = step(workspace.draft)
        listener.changed()

    def look() -> None:
        if workspace.table is None:
            return
        undo.set_enabled(workspace.history.can_undo)
        redo.set_enabled(workspace.history.can_redo)
        words.set_text(paragraph(workspace.draft, workspace.table))
        kept = unshown(workspace.draft)
        if kept != unshown_before:
            unshown_before[:] = kept
            unshown_box.clear()
            with unshown_box:
                _unshown(kept)
        background_tasks.create(judge(), name="check the policy")

    async def judge() -> None:
        table = workspace.table
        if table is None:
            return
        revision = workspace.revision
        await asyncio.sleep(PATIENCE)
        if verdict.is_deleted or revision != workspace.revision:
            return  # a slider is moving; the last change is judged
        draft, leaks = workspace.draft.copy(), known(workspace)
        wrong = gathered(problems(draft, table))
        try:
            refused = await in_background(checked, draft, workspace.folders, table.stated())
        except (ShoalError, InternalError) as error:
            refused = sentence(error)
        if verdict.is_deleted or revision != workspace.revision:
            return
        on_refused(refused)
        if refused is not None and not wrong:
            wrong.append(refused)
        unsure = [] if wrong else gathered(doubts(draft, table, leaks))
        key = (wrong, unsure)
        if key != shown[0]:
            shown[0] = key
            verdict.clear()
            with verdict:
                _verdict(wrong, unsure)

    unshown_before: list[str] = []
    shown: list[tuple[list[str], list[str]] | None] = [None]
    look()
    listener.add(verdict, look)


def _unshown(kept: list[str]) -> None:
    if kept:
        with ui.element("div").classes("notice remarks"):
            text("strong", "Also in the policy, kept as it was imported")
            with ui.element("ul"):
                for words in kept:
                    text("li", words)


def _verdict(wrong: list[str], unsure: list[str]) -> None:
    if wrong:
        _remarks("bad", "Not ready", wrong)
    elif unsure:
        _remarks("warn", "Ready, but look again", unsure)
    else:
        _remarks("good", "Ready to search", [])


def _remarks(tone: str, title: str, remarks: list[str]) -> None:
    with ui.element("div").classes(f"notice {tone} remarks"):
        text("strong", title)
        if remarks:
            with ui.element("ul"):
                for words in remarks[:MOST_DOUBTS]:
                    text("li", words)
                if len(remarks) > MOST_DOUBTS:
                    text("li", f"and {len(remarks) - MOST_DOUBTS} more like these")


def _file(workspace: Workspace) -> Callable[[], None]:
    """The dialog with the policy's text; gives what opens it."""

    def copy_text(words: str) -> None:
        ui.clipboard.write(words)
        ui.notify("Copied")

    with ui.dialog() as dialog, ui.card().classes("wide-dialog"):
        text("h2", "The policy's file").classes("card-title")
        ui.label("The command line takes it, too: shoal anonymize policy.toml").classes("hint")
        code = text("pre", "").classes("code-block policy-file").props('tabindex=0 aria-label="policy.toml"')
        with ui.element("div").classes("row end"):
            secondary("Copy", lambda: copy_text(code._text or ""))
            secondary("Close", dialog.close)

    def open_() -> None:
        table = workspace.needed_table()
        code._text = workspace.draft.text(table.stated(portable=True))
        code.update()
        dialog.open()

    return open_
