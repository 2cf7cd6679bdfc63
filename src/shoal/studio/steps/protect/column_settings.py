"""How a column is read, and how it is recoded or treated: type, format, bin, levels, hierarchy, treatment."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from nicegui import ui

from shoal import Attribute, PolicyError, Role
from shoal.studio.policy_key import policy_key
from shoal.studio.redraw import Redraw
from shoal.studio.steps.protect import hierarchies
from shoal.studio.steps.protect.fields import (
    ChangeListener,
    Field,
    choice_field,
    number_field,
    text_field,
)
from shoal.studio.steps.protect.treated import stated_treatment
from shoal.studio.steps.protect.treatment_form import TreatmentForm
from shoal.studio.workspace import Workspace

_NUMBERS = ("bin", "weight", "min_level", "max_level")
_OTHER_NUMBERS = ("linking", "tolerance")


def with_setting(workspace: Workspace, column: str, key: str, value: Any) -> dict[str, Any]:
    """The settings of a column after a change; `PolicyError` if Shoal refuses them."""
    settings = {**workspace.draft.attributes[column], key: value}
    if value in (None, "", []):
        del settings[key]
    before = dict(settings)
    named = before.pop("hierarchy", None)
    if isinstance(named, str):
        before["hierarchy"] = Path(named)
    elif "suppressed_top" in before:
        del before["suppressed_top"]
    for name in ("order", "missing", "acknowledge"):
        if isinstance(before.get(name), list):
            before[name] = tuple(before[name])
    before["role"] = Role(before["role"])
    if "bin" in before and (isinstance(named, str) or "order" in before):
        raise PolicyError("a bin does not go with an order or with a hierarchy of your own; take one of them")
    Attribute(name=column, **before)
    return settings


def show(workspace: Workspace, listener: ChangeListener, column: str) -> None:
    """Put the settings of a column onto the page."""
    of_search = workspace.draft.role(column) is Role.QUASI_IDENTIFIER
    is_other = workspace.draft.role(column) is Role.OTHER
    with ui.element("div").classes("settings"):
        if not of_search:
            _treatment(workspace, listener, column)
        with ui.element("div").classes("model-fields") as reading:
            if not is_other:
                _choice(workspace, listener, column, "type")
            _format(workspace, listener, column)
            _missing(workspace, listener, column)
            for name in _NUMBERS if of_search else ():
                _number(workspace, listener, column, name)
        if is_other:
            _only_treated(workspace, listener, column, reading)
        else:
            _Hierarchy(workspace, column)
        if of_search:
            with (
                ui.expansion("For Datafly and mu-Argus only").classes("quiet-expansion"),
                ui.element("div").classes("model-fields"),
            ):
                for name in _OTHER_NUMBERS:
                    _number(workspace, listener, column, name)
                _choice(workspace, listener, column, "identification")


def _treatment(workspace: Workspace, listener: ChangeListener, column: str) -> None:
    def write(value: Any) -> None:
        _write(workspace, column, "treatment", value)
        if value is None and workspace.draft.role(column) is Role.OTHER:
            # A column that is named as other without a treatment would be accepted without a warning.
            workspace.draft.attributes[column] = {"role": Role.OTHER.value}

    form = TreatmentForm(lambda: workspace.draft, column, write, listener.changed)
    listener.add(form.choice, form.follow)


def _only_treated(workspace: Workspace, listener: ChangeListener, column: str, reading: ui.element) -> None:
    """Show how a column is read only if it is treated: an untreated one is released as it is."""
    labels = ui.element("div")
    shown: list[bool] = []

    def follow() -> None:
        stated = stated_treatment(workspace.draft.attributes.get(column, {}))
        reading.set_visibility(bool(stated))
        by_labels = stated.get("name") == "generalize"
        if by_labels and not shown:
            shown.append(True)
            with labels:
                _Hierarchy(workspace, column)
        labels.set_visibility(by_labels)

    follow()
    listener.add(reading, follow)


class _Hierarchy(Redraw):
    """The hierarchy, drawn again when it or what it is built from changes."""

    def __init__(self, workspace: Workspace, column: str) -> None:
        super().__init__(
            lambda: _of_hierarchy(workspace, column),
            lambda: hierarchies.show(workspace, column, self),
        )


def _of_hierarchy(workspace: Workspace, column: str) -> Any:
    draft = workspace.draft
    settings = draft.attributes.get(column, {})
    named = settings.get("hierarchy")
    keys = ("role", "type", "format", "missing", "bin", "order", "hierarchy", "suppressed_top")
    kept = copy.deepcopy({key: settings.get(key) for key in keys})
    # k too: labels with fewer rows are marked.
    k = draft.stated["privacy"].get("k")
    return kept, k, draft.files.get(named) if isinstance(named, str) else None


def _write(workspace: Workspace, column: str, key: str, value: Any) -> None:
    if column not in workspace.draft.attributes:
        raise PolicyError("the column is no longer part of the policy")
    workspace.draft.attributes[column] = with_setting(workspace, column, key, value)


def _read(workspace: Workspace, column: str, key: str) -> Any:
    return workspace.draft.attributes.get(column, {}).get(key)


def _choice(workspace: Workspace, listener: ChangeListener, column: str, name: str) -> None:
    key = policy_key("attributes", name)
    # What holds when nothing is stated is the first choice, and leaves the key out.
    options = {"": key.choices.get(str(key.default), "As it looks")}
    # A point is made from two columns, and is no setting of one.
    offered = {value: words for value, words in key.choices.items() if value not in (key.default, "point")}
    options |= offered
    Field(
        listener,
        choice_field(key.label, options),
        lambda: _read(workspace, column, name) or "",
        lambda value: _write(workspace, column, name, value or None),
    )


def _format(workspace: Workspace, listener: ChangeListener, column: str) -> None:
    key = policy_key("attributes", "format")
    field = text_field(key.label, key.hint).classes("choice-field")
    Field(
        listener,
        field,
        lambda: _read(workspace, column, "format") or "",
        lambda value: _write(workspace, column, "format", (value or "").strip() or None),
    )


def _missing(workspace: Workspace, listener: ChangeListener, column: str) -> None:
    key = policy_key("attributes", "missing")
    field = (
        ui.input_chips(key.label).props("outlined dense new-value-mode=add-unique").classes("choice-field")
    )
    field.props["hint"] = key.hint
    Field(
        listener,
        field,
        lambda: list(_read(workspace, column, "missing") or []),
        lambda value: _write(workspace, column, "missing", [str(each) for each in value or []]),
    )


def _number(workspace: Workspace, listener: ChangeListener, column: str, name: str) -> None:
    key = policy_key("attributes", name)
    field = number_field(key.label, step=1 if key.kinds == (int,) else 0.5, hint=key.hint)

    def write(value: Any) -> None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        _write(workspace, column, name, value)

    Field(listener, field, lambda: _read(workspace, column, name), write)
