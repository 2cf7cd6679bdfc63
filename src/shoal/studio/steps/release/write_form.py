"""Write the release: into which folder, under which name, with what; and what came of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nicegui import ui

from shoal import InternalError, ShoalError, TableSource
from shoal.studio.concerns import concerns, open_concerns
from shoal.studio.parts import card, in_background, notice, primary, secondary, sentence, text, verdict
from shoal.studio.policy_export import commands
from shoal.studio.publish import ledger_words, write, write_table
from shoal.studio.redraw import INTERVAL
from shoal.studio.reproducibility import needs_key
from shoal.studio.steps.release.folder_browser import choose_folder
from shoal.studio.steps.release.next_steps import next_steps
from shoal.studio.steps.release.sign import unchecked
from shoal.studio.steps.release.state import (
    WRITING,
    ReleaseState,
    order_of,
    release_name,
    state_of,
    take_ledger,
)
from shoal.studio.steps.review.judgement import judgement
from shoal.studio.workspace import Run, Workspace
from shoal.studio.write_order import Order, Written, check_places, left

UNSIGNED = "release without sign-off"
"""What must be typed to write a release that is not signed, or does not hold."""


def write_form(workspace: Workspace, run: Run) -> None:
    """The form, and the button that writes."""
    state = workspace.state(ReleaseState)
    with card(
        "2. Write", "Into a folder that the studio was started with. All of it is written, or nothing."
    ):
        if isinstance(workspace.needed_table().source, TableSource):
            into = ui.radio({False: "Into files", True: "Into a table of the same database"})
            into.props("inline").bind_value(state, "into_table")
            named = ui.input("Table to make").props("outlined dense").classes("field")
            named.bind_value(state, "table_name").bind_visibility_from(state, "into_table")
        with ui.element("div").bind_visibility_from(state, "into_table", backward=lambda into: not into):
            _place(workspace, run)
        _what(state)
        _ledger(workspace, run)
        places = ui.label().classes("hint places")
        place, dialogs = ui.element("div").props("aria-live=polite"), ui.element("div")
        with ui.element("div").classes("row"):
            button = primary("Write the release", lambda: _confirm(workspace, run, dialogs), icon="task_alt")
            stop = secondary("Stop", lambda: _stop(workspace))
        _follow(workspace, run, button, stop, place)
        _say_places(workspace, run, places)


def _place(workspace: Workspace, run: Run) -> None:
    state, folders = workspace.state(ReleaseState), workspace.folders
    if not state.folder and folders.opened:
        state.folder = str(folders.opened[0])
    with ui.element("div").classes("release-place"):
        ui.input("Folder").props("outlined dense").classes("field").bind_value(state, "folder")
        secondary("Browse", lambda: choose_folder(workspace), icon="folder_open")

    def named(value: str) -> None:
        state.names[run.number] = value or ""

    name = ui.input("Name of the release", value=release_name(state, workspace.needed_table(), run))
    name.on_value_change(lambda event: named(event.value)).props("outlined dense").classes("field")


def _what(state: ReleaseState) -> None:
    with ui.element("fieldset").classes("checklist"):
        text("legend", "With it")
        ui.checkbox("Its manifest (always)", value=True).props("disable")
        for label, kept in (
            ("The report, as a page (about half a minute)", "with_report"),
            ("The report for paper, as PDF (needs Chromium, Chrome or Edge)", "with_pdf"),
            ("The report for programs, as JSON", "with_json"),
        ):
            ui.checkbox(label).bind_value(state, kept)
        policy = ui.checkbox("The policy with its hierarchies").bind_value(state, "with_policy")
        policy.bind_visibility_from(state, "into_table", backward=lambda into: not into)


def _ledger(workspace: Workspace, run: Run) -> None:
    state = workspace.state(ReleaseState)
    take_ledger(state, run.draft)
    with ui.expansion("Keep a ledger of releases", value=bool(state.ledger)).classes("ledger"):
        ui.label(
            "Two releases about the same people can reveal more together than alone. A ledger is a file that "
            "remembers what was released: Shoal looks into it before it writes, and writes this release down."
        ).classes("hint")
        with ui.element("div").classes("release-place"):
            field = ui.input("Ledger file, such as releases.jsonl").props("outlined dense").classes("field")
            field.bind_value(state, "ledger")
            secondary("Look into it", lambda: look())
        ui.checkbox("Write nothing if k is lost together with earlier releases").bind_value(state, "strict")
        place = ui.element("div").props("aria-live=polite")

    async def look() -> None:
        tone, words = "plain", "No ledger is chosen: nothing is looked up, and nothing is recorded."
        release = run.release
        try:
            if state.ledger.strip() and release is not None:
                path = workspace.folders.resolved(state.ledger)
                words = await in_background(ledger_words, path, release.manifest.source_digest)
        except (ShoalError, InternalError) as error:
            tone, words = "bad", sentence(error)
        if place.is_deleted:
            return
        place.clear()
        with place:
            notice(words, "bad" if tone == "bad" else "plain")


async def _confirm(workspace: Workspace, run: Run, dialogs: ui.element) -> None:
    """Check whether it can be written there, and confirm what will be replaced or was not verified."""
    state = workspace.state(ReleaseState)
    state.errors.pop(WRITING, None)
    try:
        order = order_of(workspace, run)
        there = [] if order.folder is None else await in_background(check_places, order, workspace.folders)
    except (ShoalError, InternalError) as error:
        state.errors[WRITING] = sentence(error)
        return
    if dialogs.is_deleted:  # another table was opened, or the page was left
        return
    missing = unsigned(workspace, run)
    if there or missing:
        answer = await _asked(dialogs, there, missing)
        if not answer:
            return
    _begin(workspace, replace(order, folders=workspace.folders, replaced=tuple(there)))


def unsigned(workspace: Workspace, run: Run) -> list[str]:
    """What speaks against writing it now: no verdict, a broken demand, nobody's name, what is not settled."""
    state, now = workspace.state(ReleaseState), judgement(workspace, run)
    missing = [] if now.holds else [now.line, *now.failures]
    signed = (("Who releases it", state.signer), ("What it is for, and who gets it", state.purpose))
    missing += [f"Not filled in: {name}." for name, value in signed if not value.strip()]
    open_ones = open_concerns(workspace, run, concerns(workspace, run, now.audited))
    return [*missing, *(f"Not settled: {words}" for words in open_ones), *unchecked(state)]


async def _asked(dialogs: ui.element, there: Sequence[Path], missing: Sequence[str]) -> bool:
    """Confirm; where something is missing, by words that must be typed."""
    with dialogs, ui.dialog() as dialog, ui.card().classes("ask").props("role=alertdialog") as box:
        box.props["aria-label"] = "Before it is written"
        text("h2", "Before it is written").classes("card-title")
        if there:
            ui.label("These files are there already and will be replaced:")
            _listed([path.name for path in there])
        write = None
        if missing:
            ui.label("This release is not signed off. Nobody has made sure of this yet:")
            _listed([*missing])
            typed = ui.input(f"To write it all the same, type: {UNSIGNED}").props("outlined dense autofocus")
            typed.classes("field wide").mark("typed-words")
            typed.on_value_change(lambda event: write and write.set_enabled(is_typed(event.value)))
        with ui.element("div").classes("row end"):
            secondary("Not yet", lambda: dialog.submit(False))
            words = "Write it all the same" if missing else "Replace and write"
            write = primary(words, lambda: dialog.submit(not missing or is_typed(typed.value)))
            write.set_enabled(not missing)
    answer = await dialog
    if not dialog.is_deleted:
        dialog.delete()
    return bool(answer)


def is_typed(words: str | None) -> bool:
    """Whether somebody typed what a release without a sign-off needs; case and spaces do not matter."""
    return " ".join((words or "").lower().split()) == UNSIGNED


def _begin(workspace: Workspace, order: Order) -> None:
    state = state_of(workspace)
    # Another tab was faster, or removed the run or its table before this one confirmed.
    if state.order is not None or workspace.run(order.number) is None:
        return
    state.order = order
    work = write if order.folder is not None else write_table
    workspace.jobs[WRITING] = workspace.workers.start(
        "Writing the release", work, order, afterwards=partial(left, order)
    )
    workspace.touch()


def _stop(workspace: Workspace) -> None:
    job = workspace.jobs.get(WRITING)
    if job is not None:
        job.stop()


def _follow(workspace: Workspace, run: Run, button: ui.button, stop: ui.button, place: ui.element) -> None:
    state = workspace.state(ReleaseState)
    seen: list[object] = [None]

    def look() -> None:
        state_of(workspace)
        writing = state.order is not None
        button.set_enabled(not writing)
        stop.set_visibility(writing)
        shown = (writing, state.errors.get(WRITING), id(state.written.get(run.number)))
        if shown == seen[0]:
            return
        seen[0] = shown
        place.clear()
        with place:
            if state.order is not None:
                first = "The report is being made, then all is written" if state.order.reports else "Writing"
                notice(f"{first}; what was written is audited in place. You can leave this page.")
            elif WRITING in state.errors:
                notice(state.errors[WRITING], "bad")
            elif run.number in state.written:
                notice("Written and audited in place: see the top of this page.", "good")

    look()
    ui.timer(INTERVAL, look)


def _say_places(workspace: Workspace, run: Run, label: ui.label) -> None:
    """Say what will be written where, as the form is filled in."""
    state = workspace.state(ReleaseState)
    seen: list[object] = [None]

    def look() -> None:
        fields = (state.into_table, state.table_name, state.folder, state.names.get(run.number))
        kinds = (state.with_report, state.with_pdf, state.with_json, state.with_policy, state.ledger)
        if seen[0] == (fields, kinds):
            return
        seen[0] = (fields, kinds)
        try:
            label.set_text(places_words(order_of(workspace, run)))
        except ShoalError:
            label.set_text("")  # announced on request

    look()
    ui.timer(INTERVAL, look)


def places_words(order: Order) -> str:
    """What will be written where, in a sentence."""
    if order.folder is None:
        return f"The policy is run again, and its release becomes the table {order.name}."
    names = dict.fromkeys(path.relative_to(order.folder).parts[0] for path in order.targets)
    again = " The policy is run once more for the ledger." if order.ledger is not None else ""
    return f"Will be written into {order.folder}: {', '.join(names)}.{again}"


def _listed(lines: list[str]) -> None:
    with ui.element("ul").classes("listed"):
        for line in lines:
            text("li", line)


def done(workspace: Workspace, run: Run) -> None:
    """What was written of this run, and the verdict on it: the last word of the studio."""
    written = workspace.state(ReleaseState).written.get(run.number)
    if written is None:
        return
    with card("Released", classes="released"):
        again = "This is the verdict on the written file: it was read and audited again."
        whole = "It is the release that you reviewed, to the byte."
        in_table = "It was made from the same rows by the same recoding as the release that you reviewed."
        same = f"{again} {whole if written.digest else in_table}"
        other = f"{again} It is NOT the release that you reviewed: its policy, run again, ended elsewhere."
        verdict(
            False if written.meets is False else True if written.meets and written.same else None,
            written.words,
            same if written.same else other,
        )
        _files(written)
        for warning in written.warnings:
            notice(warning[:1].upper() + warning[1:] + ".", "warn")
        state = workspace.state(ReleaseState)
        next_steps(run, written, signed=bool(state.signer.strip() and state.purpose.strip()))
        _again(run, written)


def _files(written: Written) -> None:
    if not written.files:
        ui.label(f"Table {written.order.name}, in the database that the original is in.")
        return
    ui.label(f"In {written.order.folder}:").classes("hint")
    _listed(file_lines(written))
    with ui.element("dl").classes("digest-line"):
        text("dt", "SHA-256 of the release")
        text("dd", written.digest or "").classes("code")


def file_lines(written: Written) -> list[str]:
    """The files by their names; those in a separate folder are counted."""
    folder = written.files[0].parent
    lines = [path.name for path in written.files if path.parent == folder]
    inner = [path.parent.name for path in written.files if path.parent != folder]
    counted = (f"{name}{os.sep} ({inner.count(name)} files)" for name in dict.fromkeys(inner))
    return [*lines, *counted]


def _again(run: Run, written: Written) -> None:
    policies = [name for name in written.order.files if name.endswith("policy.toml")]
    if policies:
        ui.label("By the command line, in that folder:").classes("hint")
        block = ui.element("pre").classes("code-block")
        block._text = "\n".join(commands(run, written.order.name, policies[0]))
        if needs_key(run):
            ui.label(
                "Without a key of yours the command line draws another one, and its release is another one."
            ).classes("hint")
