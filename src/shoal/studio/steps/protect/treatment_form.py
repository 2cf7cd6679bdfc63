"""What is done to a column that is not a quasi-identifier: a list of treatments, and the options of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from nicegui import ui

from shoal import PolicyError, Role
from shoal.privacy import Parameter, parameters_of
from shoal.studio.draft import Draft
from shoal.studio.parts import sentence
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.protect.fields import choice_field, column_options, number_field, text_field
from shoal.studio.steps.protect.treated import as_policy, new_treatment, stated_treatment
from shoal.treatments import TREATMENTS, StatedTreatment, treatment_of

NONE = ""
UNTRUE = "Released cells are not true of their rows; the manifest says so."
_DROP = "drop"


class TreatmentForm:
    """The fields of a treatment; what is valid enters the policy, the rest gets a message.

    Parameters
    ----------
    draft
        Gives the policy.
    column
        The column.
    write
        Puts a treatment into the policy, or takes it out; `PolicyError` refuses it.
    changed
        Called after that.
    """

    def __init__(
        self,
        draft: Callable[[], Draft],
        column: str,
        write: Callable[[Any], None],
        changed: Callable[[], None],
    ) -> None:
        self._draft, self._column, self._write, self._changed = draft, column, write, changed
        self._stated = self._seen = self._in_policy()
        key = policy_key("attributes", "treatment")
        options = {NONE: "None: released as it is"}
        for name, treatment in TREATMENTS.items():
            if name != _DROP or draft().role(column) is Role.OTHER:
                words = treatment.description
                options[name] = f"{words.title}: {words.short[:1].lower()}{words.short[1:]}"
        self.choice = choice_field(key.label, options).classes(replace="wide-choice")
        self.choice.value = self._stated.get("name", NONE)
        self.choice.on_value_change(lambda event: self._choose(event.value))
        self._box = ui.element("div").classes("model-fields")
        self._words = ui.label().classes("soft").props("aria-live=polite")
        self._error = ui.label().classes("field-error").props("role=alert")
        self._draw()
        self._show_error(None)

    def follow(self) -> None:
        """Show the treatment of the policy, if somebody else has changed it."""
        now = self._in_policy()
        if now == self._seen:
            return
        self._stated = self._seen = now
        self.choice.value = now.get("name", NONE)
        self._draw()
        self._show_error(None)

    def _in_policy(self) -> dict[str, Any]:
        return stated_treatment(self._draft().attributes.get(self._column, {}))

    def _choose(self, name: str) -> None:
        if name == self._stated.get("name", NONE):
            return
        self._stated = new_treatment(name) if name else {}
        self._draw()
        self._enter()

    def _draw(self) -> None:
        self._box.clear()
        name = self._stated.get("name")
        if name is None:
            self._words.set_text("")
            return
        treatment = TREATMENTS[name]
        words = treatment.description
        self._words.set_text(f"{words.meaning} {words.limits}".strip())
        hints = get_type_hints(treatment)
        with self._box:
            for key, parameter in parameters_of(treatment).items():
                self._field(key, parameter, hints[key])

    def _field(self, key: str, parameter: Parameter, hint: Any) -> None:
        kinds = [kind for kind in get_args(hint) if kind is not NoneType] or [hint]
        if key == "by":
            names = [name for name in self._draft().attributes if name != self._column]
            field: Any = choice_field(parameter.label, column_options(names, "Each row is a person"))
            field.value = names.index(self._stated[key]) if self._stated.get(key) in names else -1
            field.on_value_change(
                lambda event: self._set(key, names[event.value] if event.value != -1 else None)
            )
        elif get_origin(hint) is Literal:
            field = choice_field(parameter.label, {each: parameter.choices[each] for each in get_args(hint)})
            field.value = self._stated.get(key, _default(self._stated["name"], key))
            field.on_value_change(lambda event: self._set(key, event.value))
        elif str in kinds:
            field = text_field(parameter.label, parameter.hint).classes("choice-field")
            field.value = str(self._stated.get(key, ""))
            field.on_value_change(lambda event: self._set(key, _typed(event.value, number=float in kinds)))
        else:
            field = number_field(parameter.label, step=parameter.step, hint=parameter.hint)
            field.value = self._stated.get(key, _default(self._stated["name"], key))
            field.on_value_change(lambda event: self._set(key, _whole(event.value)))

    def _set(self, key: str, value: Any) -> None:
        changed = {**self._stated, key: value}
        self._stated = {name: each for name, each in changed.items() if each is not None}
        self._enter()

    def _enter(self) -> None:
        try:
            untrue = False
            if self._stated:
                parsed = StatedTreatment.parse(self._stated, f"column {self._column!r}")
                untrue = not treatment_of(parsed, self._column).truthful
            self._write(as_policy(self._stated))
        except PolicyError as error:
            self._show_error(f"{sentence(error)} The policy keeps what it had.")
            return
        self._show_error(None)
        self._seen = self._in_policy()
        if untrue and UNTRUE not in self._words.text:
            self._words.set_text(f"{self._words.text} {UNTRUE}")
        self._changed()

    def _show_error(self, words: str | None) -> None:
        self._error.set_text(words or "")
        self._error.set_visibility(words is not None)


def _default(name: str, key: str) -> Any:
    return next(each.default for each in fields(TREATMENTS[name]) if each.name == key)


def _typed(value: Any, *, number: bool) -> Any:
    """What was typed, as a number if it is one and may be one; `None` if it is nothing."""
    words = str(value or "").strip()
    if not number or not words:
        return words or None
    try:
        return _whole(float(words))
    except ValueError:
        return words


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
