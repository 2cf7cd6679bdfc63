"""How a file was read, in one line, and a form to state it where that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nicegui import ui

from shoal import Inspected, PolicyError
from shoal.engines.duckdb.files.formats import COMPRESSIONS, SUFFIXES
from shoal.studio.parts import card, secondary, sentence
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.open_table.opening import of_open, read_again
from shoal.studio.steps.open_table.pending import Pending
from shoal.studio.workspace import Workspace

KINDS = {
    "csv": "a text file",
    "excel": "a workbook",
    "parquet": "a Parquet file",
    "json": "JSON",
    "arrow": "an Arrow file",
    "orc": "an ORC file",
    "sas": "a SAS file",
    "spss": "an SPSS file",
    "stata": "a Stata file",
}
USUAL = "UTF-8, commas between cells, the names of the columns in the first line"
STATED = {
    "csv": ("encoding", "delimiter", "quote", "header", "skip"),
    "excel": ("sheet", "header", "skip"),
}
"""What can be stated about a kind of file; nothing about the others, which say it themselves."""

_FOUND, _YES, _NO = "", "yes", "no"
_BLANK = {"tab": "\t", "space": " "}


def reading_words(inspected: Inspected) -> str:
    """How the file was read, as a sentence; empty for a table of a database."""
    reading = inspected.reading
    if reading is None:
        return ""
    what = KINDS.get(reading.format, reading.format)
    if reading.files > 1:
        what += f", {reading.files:,} files as one"
    if reading.compression is not None:
        what += f", compressed ({reading.compression})"
    if reading.sheet is not None:
        what += f", sheet {reading.sheet}"
    details = reading.words or (USUAL if reading.format == "csv" else "")
    return f"Read as {what}{': ' if details else ''}{details}."


def shown(workspace: Workspace) -> None:
    """Put the line about the open table onto the page, with the form folded away below it."""
    table = workspace.needed_table()
    words = reading_words(table.inspected)
    if not words:
        return
    reading = table.inspected.reading
    assert reading is not None
    with card("How the file was read", classes="open-reading-card"):
        ui.label(words)
        if table.how:
            ui.label(f"Stated in the policy: {', '.join(table.how)}.").classes("hint")
        if reading.format in STATED:
            with ui.expansion("Read it differently").classes("quiet-expansion"):
                found = {key: each for key, each in reading.options.items() if key not in table.how}
                form(workspace, lambda: of_open(workspace), STATED[reading.format], found)


def form_of_refused(workspace: Workspace, pending: Pending) -> None:
    """Put the form for a file that could not be read onto the page, if anything can be stated about it."""
    endings = [ending for ending in Path(pending.name.lower()).suffixes if ending not in COMPRESSIONS]
    kind = SUFFIXES.get(endings[-1] if endings else "", "csv")
    if kind in STATED:
        with ui.expansion("State how the file is written").classes("quiet-expansion"):
            form(workspace, lambda: pending, STATED[kind], {})


def form(
    workspace: Workspace,
    pending: Callable[[], Pending],
    keys: tuple[str, ...],
    found: Mapping[str, Any],
) -> None:
    """Put the fields onto the page; a field that is empty leaves it to Shoal.

    Parameters
    ----------
    workspace
        Where the table is opened.
    pending
        Gives the table, as it was requested.
    keys
        The keys of [source] that are shown.
    found
        What was found, by key.
    """
    now = pending().how
    fields: dict[str, Any] = {}
    with ui.element("div").classes("model-fields"):
        for key in keys:
            fields[key] = _field(key, now.get(key), found.get(key))
    error = ui.label().classes("field-error").props("role=alert")
    error.set_visibility(False)

    def again() -> None:
        asked = pending()
        how = {key: value for key, value in asked.how.items() if key not in keys}
        try:
            how |= {key: value for key in keys if (value := _value(key, fields[key].value)) is not None}
            read_again(workspace, asked, how)
        except PolicyError as refused:
            error.set_text(sentence(refused))
            error.set_visibility(True)

    with ui.element("div").classes("row open-answer"):
        secondary("Read it again", again)


def _field(name: str, stated: Any, found: Any) -> Any:
    key = policy_key("source", name)
    if key.kinds == (bool,):
        options = {_FOUND: "As found", _YES: "Yes", _NO: "No"}
        value = _FOUND if stated is None else _YES if stated else _NO
        field: Any = ui.select(options, value=value, label=key.label)
    else:
        field = ui.input(key.label, value="" if stated is None else _shown(stated))
    field.props("outlined dense autocomplete=off spellcheck=false").classes("choice-field")
    hint = key.hint if found is None else f"Found: {_shown(found) if found != '' else 'none'}"
    field.props["hint"] = hint
    return field


def _shown(value: Any) -> str:
    names = {sign: name for name, sign in _BLANK.items()} | {True: "yes", False: "no"}
    return str(names.get(value, value)) if isinstance(value, str | bool) else str(value)


def _value(key: str, typed: Any) -> Any:
    """What a field says, as a policy has it; `None` if it says nothing."""
    words = str(typed or "").strip()
    if not words:
        return None
    if key == "header":
        return words == _YES
    if key == "skip":
        if not (words.isascii() and words.isdigit()):
            raise PolicyError("skip is a whole number of lines from 0 on")
        return int(words)
    if key == "sheet" and words.isascii() and words.isdigit():
        return int(words)
    return _BLANK.get(words, words)
