"""How the search shall see a column: type, bin, levels, weight; and its hierarchy, with the order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from shoal import Attribute, PolicyError, Role
from shoal.studio.parts import WorkspaceRedraw
from shoal.studio.steps.protect import hierarchies
from shoal.studio.steps.protect.fields import ChangeListener, Field, choice_field, number_field
from shoal.studio.workspace import Workspace

TYPES = {"": "As it looks", "number": "Number", "date": "Date", "category": "Category"}
IDENTIFICATION = {
    "": "Identifying",
    "most": "Most identifying",
    "more": "More identifying",
    "not": "Not identifying",
}

_NUMBERS: tuple[tuple[str, str, str, bool], ...] = (
    ("bin", "Width of bins", "Numbers are put into steps this wide first", False),
    ("weight", "Weight", "What a cell counts, usually 1", False),
    ("min_level", "Least level", "Never finer than this", True),
    ("max_level", "Greatest level", "Never coarser than this", True),
)
_OTHER_NUMBERS: tuple[tuple[str, str, str, bool], ...] = (
    ("linking", "Linking", "How likely others link by it, 0 to 1", False),
    ("tolerance", "Tolerance", "How much it may be distorted, 0 to 1", False),
)


def with_setting(workspace: Workspace, column: str, key: str, value: Any) -> dict[str, Any]:
    """What would be said of a column; `PolicyError` if Shoal does not take it."""
    said = {**workspace.draft.attributes[column], key: value}
    said = {name: each for name, each in said.items() if each not in (None, "", [])}
    given = dict(said)
    named = given.pop("hierarchy", None)
    if isinstance(named, str):
        given["hierarchy"] = Path(named)
    elif "suppressed_top" in given:
        del given["suppressed_top"]
    if "order" in given:
        given["order"] = tuple(given["order"])
    given["role"] = Role(given["role"])
    if "bin" in given and (isinstance(named, str) or "order" in given):
        raise PolicyError("a bin does not go with an order or with a hierarchy of your own; take one of them")
    Attribute(name=column, **given)
    return said


def show(workspace: Workspace, listener: ChangeListener, column: str) -> None:
    """Put the settings of a column onto the page."""
    of_search = workspace.draft.role(column) is Role.QUASI_IDENTIFIER
    with ui.element("div").classes("settings"):
        with ui.element("div").classes("model-fields"):
            _choice(workspace, listener, column, "type", "Read as", TYPES)
            if of_search:
                for numbered in _NUMBERS:
                    _number(workspace, listener, column, *numbered)
        _Hierarchy(workspace, column)
        if of_search:
            with (
                ui.expansion("For Datafly and mu-Argus only").classes("quiet-expansion"),
                ui.element("div").classes("model-fields"),
            ):
                for numbered in _OTHER_NUMBERS:
                    _number(workspace, listener, column, *numbered)
                _choice(workspace, listener, column, "identification", "How identifying", IDENTIFICATION)


class _Hierarchy(WorkspaceRedraw):
    """The hierarchy, drawn anew when it or what it is built from changed."""

    def __init__(self, workspace: Workspace, column: str) -> None:
        super().__init__(
            workspace,
            lambda: hierarchies.show(workspace, column, self),
            of=lambda: _of_hierarchy(workspace, column),
        )


def _of_hierarchy(workspace: Workspace, column: str) -> Any:
    draft = workspace.draft
    said = draft.attributes.get(column, {})
    named = said.get("hierarchy")
    kept = {key: said.get(key) for key in ("role", "type", "bin", "order", "hierarchy", "suppressed_top")}
    # k too: labels with fewer rows are marked.
    k = draft.stated["privacy"].get("k")
    return kept, k, draft.files.get(named) if isinstance(named, str) else None


def _write(workspace: Workspace, column: str, key: str, value: Any) -> None:
    if column not in workspace.draft.attributes:
        raise PolicyError("the column is no longer part of the policy")
    workspace.draft.attributes[column] = with_setting(workspace, column, key, value)


def _read(workspace: Workspace, column: str, key: str) -> Any:
    return workspace.draft.attributes.get(column, {}).get(key)


def _choice(
    workspace: Workspace, listener: ChangeListener, column: str, key: str, label: str, options: dict[str, str]
) -> None:
    Field(
        listener,
        choice_field(label, options),
        lambda: _read(workspace, column, key) or "",
        lambda value: _write(workspace, column, key, value or None),
    )


def _number(
    workspace: Workspace, listener: ChangeListener, column: str, key: str, label: str, hint: str, whole: bool
) -> None:
    field = number_field(label, step=1 if whole else 0.5, hint=hint)

    def write(value: Any) -> None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        _write(workspace, column, key, value)

    Field(listener, field, lambda: _read(workspace, column, key), write)
