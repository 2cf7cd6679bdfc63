"""The form of a privacy model, made from the model's own fields."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from nicegui import ui

from shoal import Inspected, PolicyError, Role, privacy
from shoal.privacy import Parameter, parameters_of
from shoal.studio.draft import Draft
from shoal.studio.parts import sentence
from shoal.studio.steps.protect.fields import choice_field, column_options, number_field

OWN = "own"
"""In a list of presets: none of them."""


def new_model(name: str, draft: Draft, inspected: Inspected) -> dict[str, Any]:
    """A model to begin with: for the first sensitive column that has none of its kind, within its reach."""
    stated: dict[str, Any] = {"name": name}
    parameters = parameters_of(privacy.MODELS[name])
    for key, parameter in parameters.items():
        if key == "attribute":
            taken = [model.get("attribute") for model in models_of(draft) if model.get("name") == name]
            free = draft.columns(Role.SENSITIVE)
            stated[key] = next((column for column in free if column not in taken), (free or [""])[0])
        elif parameter.start is not None:
            stated[key] = parameter.start
    values = {column.name: column.distinct for column in inspected.columns}
    for key in {"l", "p"} & {*stated}:
        reachable = min(stated[key], values.get(stated.get("attribute", ""), 1))
        stated[key] = max(reachable, int(parameters[key].least))
    return stated


def models_of(draft: Draft) -> list[dict[str, Any]]:
    """The models of a policy, without its k."""
    models: list[dict[str, Any]] = draft.stated["privacy"].get("models", [])
    return models


def with_value(stated: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A model with a parameter set; one that is empty is left out."""
    changed = {**stated, key: value}
    if stated.get("name") == "average-risk" and key == "preset":
        changed.pop("threshold", None)
        if value is None:
            changed["threshold"] = 0.09
    return {name: each for name, each in changed.items() if each is not None and each != []}


class ModelForm:
    """The fields of one model; valid values enter the policy, others get an error message.

    Parameters
    ----------
    draft
        The policy.
    stated
        The model as the policy has it.
    on_change
        Takes the model when it was changed and is one.
    redraw
        Called when other fields are needed.
    """

    def __init__(
        self,
        draft: Draft,
        stated: dict[str, Any],
        on_change: Callable[[dict[str, Any]], None],
        redraw: Callable[[], None],
    ) -> None:
        self._draft, self._stated, self._on_change, self._redraw = draft, dict(stated), on_change, redraw
        name = stated["name"]
        hints = get_type_hints(privacy.MODELS[name])
        with ui.element("div").classes("model-fields"):
            for key, parameter in parameters_of(privacy.MODELS[name]).items():
                if key == "threshold" and "preset" in stated:
                    continue
                if key == "joint" and key not in stated and len(draft.columns(Role.SENSITIVE)) < 2:
                    continue
                self._field(key, parameter, hints[key])
        self._error = ui.label().classes("field-error").props("role=alert")
        self._error.set_visibility(False)

    def _field(self, key: str, parameter: Parameter, hint: Any) -> None:
        kinds = [kind for kind in get_args(hint) if kind is not NoneType] or [hint]
        if key == "attribute":
            self._column(key, parameter, self._draft.columns(Role.SENSITIVE), None)
        elif key == "entity":
            names = [
                name for name in self._draft.attributes if self._draft.role(name) is not Role.QUASI_IDENTIFIER
            ]
            self._column(key, parameter, names, "Every row is a person")
        elif key == "preset":
            self._preset(parameter)
        elif get_origin(hint) is Literal:
            options = {choice: parameter.choices.get(choice, choice) for choice in get_args(hint)}
            field = choice_field(parameter.label, options)
            field.value = self._stated.get(key, get_args(hint)[0])
            field.on_value_change(lambda event: self._set(key, event.value))
        elif kinds[0] is bool:
            default = getattr(privacy.MODELS[self._stated["name"]], key, False)
            box = ui.checkbox(parameter.label, value=self._stated.get(key, default)).classes("model-check")
            box.tooltip(parameter.hint)
            box.on_value_change(lambda event: self._set(key, None if event.value == default else event.value))
        elif get_origin(hint) is tuple:
            chips = ui.input_chips(parameter.label, value=list(self._stated.get(key, [])))
            chips.props("outlined dense").classes("choice-field").props["hint"] = parameter.hint
            chips.on_value_change(lambda event: self._set(key, [str(value) for value in event.value or []]))
        else:
            self._number(key, parameter, whole=kinds[0] is int)

    def _column(self, key: str, parameter: Parameter, names: list[str], nothing: str | None) -> None:
        options = column_options(names, nothing or "Choose a column")
        if nothing is None and names:
            del options[-1]
        field = choice_field(parameter.label, options)
        at = self._stated.get(key)
        field.value = names.index(at) if at in names else (-1 if -1 in options else None)
        field.on_value_change(
            lambda event: self._set(key, None if event.value in (None, -1) else names[event.value])
        )

    def _preset(self, parameter: Parameter) -> None:
        field = choice_field(parameter.label, {**parameter.choices, OWN: "A threshold of my own"})
        field.value = self._stated.get("preset", OWN)

        def choose(value: str) -> None:
            self._set("preset", None if value == OWN else value)
            self._redraw()

        field.on_value_change(lambda event: choose(event.value))

    def _number(self, key: str, parameter: Parameter, *, whole: bool) -> None:
        field = number_field(parameter.label, step=parameter.step, hint=parameter.hint)
        field.value = self._stated.get(key)

        def typed(value: Any) -> None:
            if value is not None and whole and float(value).is_integer():
                value = int(value)
            self._set(key, value)

        field.on_value_change(lambda event: typed(event.value))

    def _set(self, key: str, value: Any) -> None:
        wanted = with_value(self._stated, key, value)
        try:
            privacy.model_of(wanted)
        except (PolicyError, TypeError) as error:
            self._error.set_text(f"{sentence(error)} The policy keeps what it had.")
            self._error.set_visibility(True)
            return
        self._error.set_visibility(False)
        self._stated = wanted
        self._on_change(wanted)
