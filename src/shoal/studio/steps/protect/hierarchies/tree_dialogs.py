"""Dialogs of the tree's toolbar: the name of a group, the group to move to, how many neighbours to join."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from nicegui import ui

from shoal.studio.parts import primary, secondary, text
from shoal.studio.tree import Tree
from shoal.studio.tree_shape import TOP

MOST = 12
"""Groups that are offered at a time."""


@contextmanager
def opened_dialog(title: str) -> Iterator[ui.dialog]:
    """A dialog with a title."""
    # A dialog lets the pointer through to nothing but a div.
    with ui.dialog() as dialog, ui.element("div").classes("card dialog"):
        dialog.props["aria-label"] = title
        text("h2", title).classes("card-title")
        yield dialog
    dialog.open()


def label_dialog(chosen: int, then: Callable[[str], Awaitable[bool]]) -> None:
    """Request the name of a new group."""
    with opened_dialog(f"Group {chosen:,} chosen") as dialog:

        async def done() -> None:
            label = str(name.value or "").strip()
            if not label:
                name.error = "A group needs a name"
                return
            dialog.close()
            await then(label)

        name = ui.input("Name of the group").props("outlined autofocus maxlength=500").classes("field")
        name.on("keydown.enter", done)
        _answers("Group", done, dialog)


def number_dialog(then: Callable[[int], Awaitable[bool]]) -> None:
    """Request how many neighbours become a group."""
    with opened_dialog("Join neighbours") as dialog:
        ui.label(
            "What is under the chosen group (or at the outside, if none is chosen) is joined in its "
            "order. The new groups are named after their first and last; rename them as you like."
        ).classes("hint")

        async def done() -> None:
            try:
                number = int(size.value or 0)
            except ValueError:
                number = 0
            if number < 2:
                size.error = "A whole number from 2"
                return
            dialog.close()
            await then(number)

        size = ui.input("How many at a time", value="2").props("outlined autofocus inputmode=numeric")
        size.on("keydown.enter", done)
        _answers("Join", done, dialog)


def target_dialog(tree: Tree, then: Callable[[int], Awaitable[bool]]) -> None:
    """Request the group to move to."""
    groups = tree.groups()
    with opened_dialog("Move to") as dialog:
        find = ui.input("Search groups").props("outlined dense autofocus debounce=200").classes("field")
        box = ui.element("div").classes("stack targets")

        async def take(number: int) -> None:
            dialog.close()
            await then(number)

        def draw() -> None:
            wanted = str(find.value or "").casefold()
            matching = [number for number in groups if wanted in tree[number].label.casefold()]
            box.clear()
            with box:
                if not wanted:
                    _target("Not in any group", TOP, take)
                for number in matching[:MOST]:
                    path = [tree[group].label for group in tree.above(number) if group != TOP][::-1]
                    _target(" / ".join([*path, tree[number].label])[:300], number, take)
                if len(matching) > MOST:
                    ui.label(f"{len(matching) - MOST:,} more; search for them").classes("hint")
                if not matching:
                    ui.label("No group has this in its name.").classes("hint")

        find.on_value_change(draw)
        draw()
        with ui.element("div").classes("row end"):
            secondary("Cancel", dialog.close)


def _target(words: str, number: int, take: Callable[[int], Awaitable[None]]) -> None:
    with ui.element("button").props("type=button").classes("target") as button:
        text("bdi", words)
    button.on("click", lambda: take(number))


def _answers(name: str, done: Callable[[], Awaitable[None]], dialog: ui.dialog) -> None:
    with ui.element("div").classes("row end"):
        secondary("Cancel", dialog.close)
        primary(name, done)
