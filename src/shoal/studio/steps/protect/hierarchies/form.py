"""The fields of a kind of hierarchy: input is tried at once, and errors are shown at the field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from shoal import Column
from shoal.studio.parts import text
from shoal.studio.steps.protect.hierarchies.ways import STEPS, FieldError, recipe_of

FIELDS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "intervals": (
        ("widths", "Widths", "One per level, each a multiple of the one before: 5, 10, 20"),
        ("joins", "Then join", "So many neighbours at each further level: 2, 2. Alone, it joins values"),
        ("bottom", "Everything below", "Smaller numbers become one label; may be empty"),
        ("top", "Everything from", "Numbers from here on become one label; may be empty"),
    ),
    "neighbours": (("joins", "Neighbours to join", "2 at every level; or one number per level: 3, 2"),),
    "codes": (
        ("prefixes", "Signs to keep", "Per level, from the left: 3, 2. Negative: signs to drop, -1, -2"),
    ),
}
"""Way -> its fields: key, name, and what to write."""


class Form:
    """The fields of a way.

    Parameters
    ----------
    way, fields
        The way, and what its fields show.
    column
        Whose hierarchy it is.
    apply
        Tries a recipe and writes it into the policy; an error message, or empty text.
    """

    def __init__(
        self,
        way: str,
        fields: dict[str, Any],
        column: Column,
        apply: Callable[[dict[str, Any]], Awaitable[str]],
    ) -> None:
        self._way = way
        self._fields = fields
        self._apply = apply
        self._inputs: dict[str, ui.input] = {}
        with ui.element("div").classes("way-fields"):
            for key, name, hint in FIELDS.get(way, ()):
                self._text(key, name, hint)
            if way == "calendar":
                self._steps()
        if way not in ("groups", "file"):
            self._suppressed(column)
        self._wrong = ui.label().classes("field-wrong").props("role=alert")
        self._wrong.set_visibility(False)

    def _text(self, key: str, name: str, hint: str) -> None:
        field = ui.input(name, value=self._fields[key], on_change=lambda event: self._set(key, event.value))
        field.props("outlined dense debounce=400").classes("field")
        field.props["hint"] = hint
        self._inputs[key] = field

    def _steps(self) -> None:
        with ui.element("fieldset").classes("steps"):
            text("legend", "Steps, from fine to coarse")
            for step in STEPS:

                async def turn(event: Any, step: str = step) -> None:
                    others = [field for field in self._fields["steps"] if field != step]
                    await self._set("steps", [*others, step] if event.value else others)

                ui.checkbox(step, value=step in self._fields["steps"], on_change=turn).props("dense")
        ui.label("Weeks go across months: choose week, or the steps from month on.").classes("hint")

    def _suppressed(self, column: Column) -> None:
        words = "The last level is *"
        if column.kind == "category":
            words += "; otherwise it lists all values"
        else:
            words += "; otherwise it is the whole range"
        ui.checkbox(
            words,
            value=self._fields["suppressed"],
            on_change=lambda event: self._set("suppressed", bool(event.value)),
        ).props("dense")

    async def _set(self, key: str, value: Any) -> None:
        self._fields[key] = "" if value is None else value
        await self.send()

    async def send(self) -> None:
        """Try the recipe of the fields."""
        for field in self._inputs.values():
            field.error = None
        try:
            stated = recipe_of(self._way, self._fields)
        except FieldError as error:
            words = str(error)
            words = words[:1].upper() + words[1:]
            if error.field in self._inputs:
                self._inputs[error.field].error = words
                self._show("")
            else:
                self._show(words)
            return
        self._show(await self._apply(stated))

    def _show(self, words: str) -> None:
        if not self._wrong.is_deleted:
            self._wrong.set_text(words)
            self._wrong.set_visibility(bool(words))
