"""Fields that show a key of the policy: what is typed is checked before it is written.

Nothing is redrawn when the policy changes in another tab; fields take the new value in place, so
that typing is never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal import PolicyError
from shoal.studio.parts import sentence
from shoal.studio.redraw import Watch
from shoal.studio.workspace import Workspace

DEBOUNCE = 250
"""Milliseconds without a key before the input is checked."""

Check = Callable[[Any], Any]
"""What is typed -> what is written; `PolicyError` if it is invalid."""


class ChangeListener:
    """Updates the fields of a step in place after a change: one watch for all of them.

    Parameters
    ----------
    workspace
        What the fields show.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._table = workspace.table
        self._calls: list[tuple[ui.element, Callable[[], None]]] = []
        self._watch = Watch(lambda: workspace.revision, self._call_all)

    @property
    def is_current(self) -> bool:
        """Whether the table is the one that was shown; until all is redrawn, nothing may be written."""
        return self.workspace.table is self._table

    def add(self, element: ui.element, call: Callable[[], None]) -> None:
        """Call it after each change, as long as the element is on the page."""
        self._calls.append((element, call))

    def changed(self) -> None:
        """Update this page at once; the other tabs follow soon."""
        self.workspace.touch()
        self._watch.look()

    def _call_all(self) -> None:
        if not self.is_current:
            return
        self._calls = [pair for pair in self._calls if not pair[0].is_deleted]
        for element, call in self._calls[:]:
            if not element.is_deleted:
                call()


class Field:
    """Ties an input to a key.

    Parameters
    ----------
    listener
        Reports changes.
    element
        The input; `value` is what it shows.
    read
        What the policy has, as the input shows it.
    write
        Puts what was typed into the policy; `PolicyError` refuses it.
    """

    def __init__(
        self,
        listener: ChangeListener,
        element: Any,
        read: Callable[[], Any],
        write: Callable[[Any], None],
    ) -> None:
        self._follower, self._element, self._read, self._write = listener, element, read, write
        self._shown = read()
        self._last_read: Any = self  # what was read after it was typed here; nothing yet
        element.value = self._shown
        element.on_value_change(self._typed)
        listener.add(element, self._follow)

    def _typed(self, event: Any) -> None:
        if event.value == self._shown or not self._follower.is_current:
            self._show_error(None)
            return
        try:
            self._write(event.value)
        except PolicyError as error:
            self._show_error(sentence(error))
            return
        self._show_error(None)
        self._shown = event.value  # as it was typed: "5,0" stays so until somebody else changes it
        self._last_read = self._read()
        self._follower.changed()

    def _follow(self) -> None:
        now = self._read()
        if now == self._shown or now == self._last_read:
            return
        self._shown, self._last_read = now, self
        self._element.value = now
        self._show_error(None)

    def _show_error(self, words: str | None) -> None:
        if hasattr(self._element, "error"):
            self._element.error = words


def whole(what: str, least: int, most: int | None = None) -> Check:
    """Takes whole numbers of a range."""

    def check(value: Any) -> int:
        if (
            value in (None, "")
            or float(value) != int(value)
            or value < least
            or (most is not None and value > most)
        ):
            upto = f"at least {least:,}" if most is None else f"from {least:,} to {most:,}"
            raise PolicyError(f"{what} is a whole number {upto}; the policy keeps what it had")
        return int(value)

    return check


def number_field(label: str, *, step: float, hint: str = "") -> ui.number:
    """An input for a number that fits a row."""
    # Without a minimum and a maximum: a value out of range gets a message, and is not changed silently.
    field = ui.number(label, step=step, validation=lambda _: None)
    field.without_auto_validation().props("outlined dense hide-bottom-space").props(f"debounce={DEBOUNCE}")
    if hint:
        field.props["hint"] = hint
    return field.classes("short-field")


def choice_field(label: str, options: Mapping[Any, str]) -> ui.select:
    """A list to choose one from."""
    field = ui.select(dict(options), label=label, validation=lambda _: None).without_auto_validation()
    return field.props("outlined dense options-dense hide-bottom-space").classes("choice-field")


def text_field(label: str, hint: str) -> ui.input:
    """An input for a line of text."""
    field = ui.input(label, validation=lambda _: None).without_auto_validation()
    field.props(f"outlined dense hide-bottom-space debounce={2 * DEBOUNCE}").props["hint"] = hint
    return field


def column_options(names: list[str], nothing: str) -> dict[int, str]:
    """Columns as options: by number, for names may be anything; -1 is none of them."""
    return {-1: nothing, **dict(enumerate(names))}
