"""Who counts as a person or a household, what may be linked, and whom the population consists of."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal import PolicyError, Role
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.protect.fields import ChangeListener, Field, choice_field, column_options, text_field
from shoal.studio.workspace import Workspace

FORMATS = (".csv", ".tsv", ".gz", ".parquet")

_EITHER = {"entity": "household", "household": "entity", "survey_weight": "population"}
"""Keys of which only one can be stated."""
_TAKEN = {
    "entity": "there is a column of persons already; keep one of the two",
    "household": "there is a column of households already; keep one of the two",
    "population": "there is a population table already; keep one of the two",
}


def show(workspace: Workspace, listener: ChangeListener) -> None:
    """Put the fields onto the page, folded unless the policy sets one of them."""
    privacy = workspace.draft.stated["privacy"]
    used = any(privacy.get(key) for key in ("entity", "household", "survey_weight", "population"))
    with ui.expansion("Persons and population", value=used).classes("quiet-expansion"):
        ui.label(
            "If one person can have several rows, choose the column that identifies persons: k then counts "
            "persons, and the column is dropped. If rows are members of households, choose theirs. "
            "k-map and delta-presence need the population that the table was taken from."
        ).classes("soft")
        with ui.element("div").classes("model-fields"):
            _column(workspace, listener, "entity", "Every row is a person")
            _column(workspace, listener, "household", "No households")
            _linkable(workspace, listener)
            _known_events(workspace, listener)
            _column(workspace, listener, "survey_weight", "No weights")
            _population(workspace, listener)


def _column(workspace: Workspace, listener: ChangeListener, key: str, nothing: str) -> None:
    names = [column.name for column in workspace.needed_table().inspected.columns]
    field = choice_field(policy_key("privacy", key).label, column_options(names, nothing))

    def read() -> int:
        stated = workspace.draft.stated["privacy"].get(key)
        return names.index(stated) if stated in names else -1

    def write(value: Any) -> None:
        name = None if value in (None, -1) else names[value]
        if name is not None and workspace.draft.role(name) is Role.QUASI_IDENTIFIER:
            raise PolicyError("a quasi-identifier is recoded and cannot be used here; give it another role")
        if name is not None and workspace.draft.stated["privacy"].get(_EITHER[key]):
            raise PolicyError(_TAKEN[_EITHER[key]])
        if name is None and key == "entity":  # what depends on it goes with it
            workspace.draft.say("privacy", "linkable", None)
            workspace.draft.say("privacy", "known_events", None)
        workspace.draft.say("privacy", key, name)

    Field(listener, field, read, write)


def _linkable(workspace: Workspace, listener: ChangeListener) -> None:
    """Whether rows of a person can be linked; only where persons are known."""
    key = policy_key("privacy", "linkable")
    options = {False: "No: the column is dropped", True: "Yes, by fresh pseudonyms"}
    field = choice_field(key.label, options)

    def read() -> bool:
        return bool(workspace.draft.stated["privacy"].get("linkable"))

    def write(value: Any) -> None:
        if value and not workspace.draft.stated["privacy"].get("entity"):
            raise PolicyError("choose the column that identifies persons first")
        if not value:
            workspace.draft.say("privacy", "known_events", None)
        workspace.draft.say("privacy", "linkable", True if value else None)

    Field(listener, field, read, write)
    _shown_if(workspace, listener, field, "entity")


def _known_events(workspace: Workspace, listener: ChangeListener) -> None:
    """How many rows of a person somebody may know; only where rows are linkable."""
    key = policy_key("privacy", "known_events")
    field = text_field(key.label, "A whole number, or empty for all of them.").classes("choice-field")

    def read() -> str:
        stated = workspace.draft.stated["privacy"].get("known_events", "all")
        return "" if stated == "all" else str(stated)

    def write(value: Any) -> None:
        stated = (value or "").strip()
        if stated in ("", "all"):
            workspace.draft.say("privacy", "known_events", None)
            return
        if not stated.isdecimal() or int(stated) < 1:
            raise PolicyError("use a whole number of at least 1, or leave it empty for all rows")
        workspace.draft.say("privacy", "known_events", int(stated))

    Field(listener, field, read, write)
    _shown_if(workspace, listener, field, "linkable")


def _shown_if(workspace: Workspace, listener: ChangeListener, field: ui.element, key: str) -> None:
    """Show a field only while the key that it depends on is stated."""

    def look() -> None:
        field.set_visibility(bool(workspace.draft.stated["privacy"].get(key)))

    look()
    listener.add(field, look)


def _population(workspace: Workspace, listener: ChangeListener) -> None:
    key = policy_key("privacy", "population")
    field = text_field(key.label, key.hint).classes("choice-field")

    def read() -> str:
        return str(workspace.draft.stated["privacy"].get("population", ""))

    def write(value: Any) -> None:
        stated = (value or "").strip()
        if not stated:
            workspace.draft.say("privacy", "population", None)
            return
        path = workspace.folders.resolved(stated)
        if not path.exists() or not (path.is_dir() or path.name.lower().endswith(FORMATS)):
            raise PolicyError("there is no table of that name in the opened folders")
        if workspace.draft.stated["privacy"].get("survey_weight"):
            raise PolicyError("there is a survey weight already; keep one of the two")
        workspace.draft.say("privacy", "population", str(path))

    Field(listener, field, read, write)
