"""Who counts as a person, and whom the population consists of."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal import PolicyError, Role
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.protect.fields import ChangeListener, Field, choice_field, column_options, text_field
from shoal.studio.workspace import Workspace

FORMATS = (".csv", ".tsv", ".gz", ".parquet")


def show(workspace: Workspace, listener: ChangeListener) -> None:
    """Put the fields onto the page, folded unless the policy sets one of them."""
    privacy = workspace.draft.stated["privacy"]
    used = any(privacy.get(key) for key in ("entity", "survey_weight", "population"))
    with ui.expansion("Persons and population", value=used).classes("quiet-expansion"):
        ui.label(
            "If one person can have several rows, choose the column that identifies persons: k then counts "
            "persons. "
            "k-map and delta-presence need the population that the table was taken from."
        ).classes("soft")
        with ui.element("div").classes("model-fields"):
            _column(workspace, listener, "entity", "Every row is a person")
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
        if (
            name is not None
            and key == "survey_weight"
            and workspace.draft.stated["privacy"].get("population")
        ):
            raise PolicyError("there is a population table already; keep one of the two")
        workspace.draft.say("privacy", key, name)

    Field(listener, field, read, write)


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
