"""The editor of a column's groups: a tree with a toolbar. Each edit changes the policy at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import events, ui

from shoal import InternalError, ShoalError
from shoal.studio.parts import in_background, notice, secondary, sentence
from shoal.studio.steps.protect.hierarchies.state import (
    CUT,
    HierarchyState,
    Shaped,
    View,
    current,
    tree_of,
    with_tree,
)
from shoal.studio.steps.protect.hierarchies.tree_dialogs import label_dialog, number_dialog, target_dialog
from shoal.studio.steps.protect.hierarchies.tree_rows import NONE, Counts, more_of, real, seen_rows
from shoal.studio.tree import Tree
from shoal.studio.tree_edits import Edits
from shoal.studio.tree_shape import TOP
from shoal.studio.workspace import Workspace

HELP = (
    "Arrow keys move and open, Space chooses, Shift with arrows chooses several, F2 renames, "
    "Ctrl+G groups, Ctrl+X and Ctrl+V move, Delete takes away, Ctrl+Z undoes."
)


class TreeView(ui.element, component="tree_view.js"):
    """The rows of a tree in the browser."""

    def show(self, rows: list[dict[str, Any]], chosen: set[int]) -> None:
        """Show other rows."""
        self._props["rows"] = rows
        self._props["chosen"] = sorted(chosen)
        self.update()


class TreeEditor:
    """The editor.

    Parameters
    ----------
    workspace, column
        Whose groups are edited.
    apply
        Writes the plan of a function into the policy, and returns whether it could.
    """

    def __init__(self, workspace: Workspace, column: str, apply: Callable[..., Awaitable[bool]]) -> None:
        self._workspace = workspace
        self._column = column
        self._apply = apply
        self._view: View = workspace.state(HierarchyState).view(column)
        self._counted: tuple[Tree, Counts] | None = None
        self._shaped: Shaped | None = None
        self._buttons: dict[str, ui.button] = {}
        self._one_at_a_time = asyncio.Lock()
        self._box = ui.element("div").classes("tree-editor")
        with self._box:
            ui.label("Reading the groups …").classes("hint").props("role=status")
        ui.timer(0, self._begin, once=True)

    async def _begin(self) -> None:
        try:
            self._shaped = await in_background(current, self._workspace, self._column)
            if self._view.edits is None:
                tree = await in_background(tree_of, self._workspace, self._column)
                self._view.edits = Edits(tree)
                self._view.expanded = {NONE} if len(tree.nodes) <= CUT or not tree.groups() else set()
            counts = await in_background(Counts.of, self._edits.tree, self._shaped.column)
        except (ShoalError, InternalError) as error:
            if not self._box.is_deleted:
                self._box.clear()
                with self._box:
                    notice(sentence(error), "bad")
            return
        self._counted = (self._edits.tree, counts)
        if not self._box.is_deleted:
            self._box.clear()
            with self._box:
                self._draw()

    @property
    def _edits(self) -> Edits:
        assert self._view.edits is not None
        return self._view.edits

    def _draw(self) -> None:
        with ui.element("div").classes("row tree-tools").props('role=toolbar aria-label="Groups"'):
            for key, name, icon in (
                ("group", "Group …", "create_new_folder"),
                ("rename", "Rename", "edit"),
                ("move", "Move to …", "drive_file_move"),
                ("ungroup", "Ungroup", "folder_off"),
                ("level", "Join neighbours …", "call_merge"),
                ("remove", "Take away", "delete_outline"),
                ("undo", "Undo", "undo"),
                ("redo", "Redo", "redo"),
            ):
                button = secondary(name, lambda key=key: self._act(key), icon=icon)
                self._buttons[key] = button.props("dense").classes("small")
        find = ui.input("Search values and groups", value=self._view.wanted, on_change=self._search)
        find.props("outlined dense clearable debounce=300 type=search").classes("tree-search")
        self._tree = TreeView().classes("tree-frame")
        self._tree.props["label"] = f"Groups of {self._column}"
        self._tree.on("toggle", self._toggle)
        self._tree.on("more", self._more)
        self._tree.on("choose", self._choose)
        self._tree.on("rename", self._rename)
        self._tree.on("move", self._move)
        self._tree.on("act", lambda event: self._act(str(event.args)))
        self._note = ui.label().classes("hint").props("aria-live=polite")
        self._warned = ui.element("div")
        ui.label(HELP).classes("hint")
        self._dialogs = ui.element("div")
        self._redraw()

    def _cleared(self) -> ui.element:
        """The place for a dialog; the last one is gone."""
        self._dialogs.clear()
        return self._dialogs

    def _redraw(self) -> None:
        tree, view = self._edits.tree, self._view
        assert self._counted is not None
        assert self._shaped is not None
        view.chosen &= set(tree.nodes)
        untrue = {label for _, _, _, label in self._shaped.untrue}
        self._tree.show(seen_rows(tree, view, self._counted[1], untrue), view.chosen)
        groups = [number for number in view.chosen if tree[number].is_group]
        can = {
            "group": bool(view.chosen),
            "move": bool(view.chosen),
            "remove": bool(view.chosen),
            "rename": len(view.chosen) == 1 and len(groups) == 1,
            "ungroup": bool(groups),
            "level": len(view.chosen) == 0 or (len(view.chosen) == 1 and len(groups) == 1),
            "undo": self._edits.can_undo,
            "redo": self._edits.can_redo,
        }
        for key, allowed in can.items():
            self._buttons[key].set_enabled(allowed)
        loose = len(tree.ungrouped())
        words = f"{len(tree.groups()):,} groups, {len(tree.values()):,} values"
        words += f"; {loose:,} not in any group: they go from the value straight to the top" if loose else ""
        self._note.set_text(f"{len(view.chosen):,} chosen. {words}." if view.chosen else f"{words}.")
        self._warn()

    def _warn(self) -> None:
        assert self._shaped is not None
        self._warned.clear()
        if self._shaped.untrue:
            labels = len({label for _, _, _, label in self._shaped.untrue})
            with self._warned:
                notice(
                    f"{labels:,} label(s) read as numbers but do not hold all of their values, as 40 under "
                    "35-39. A release with them would not be true: rename these groups, or move the values.",
                    "warn",
                )

    # --- events of the tree

    def _toggle(self, event: events.GenericEventArguments) -> None:
        self._view.expanded ^= {int(event.args)}
        self._redraw()

    def _more(self, event: events.GenericEventArguments) -> None:
        number = more_of(int(event.args))
        self._view.parts[number] = self._view.parts.get(number, CUT) + CUT
        self._redraw()

    def _choose(self, event: events.GenericEventArguments) -> None:
        self._view.chosen = {int(arg) for arg in event.args if int(arg) in self._edits.tree.nodes}
        self._redraw()

    def _search(self, event: events.ValueChangeEventArguments[Any]) -> None:
        self._view.wanted = str(event.value or "").strip()
        self._redraw()

    async def _rename(self, event: events.GenericEventArguments) -> None:
        number, label = int(event.args["n"]), str(event.args["label"])
        await self._do(lambda tree: tree.rename(number, label))

    async def _move(self, event: events.GenericEventArguments) -> None:
        tree = self._edits.tree
        target = real(int(event.args["target"]))
        if target in tree.nodes and not tree[target].is_group:  # dropped on a value: next to it
            target = tree[target].parent or TOP
        chosen = [int(arg) for arg in event.args["chosen"]]
        await self._do(lambda tree: tree.move(chosen, target))

    # --- what can be done

    async def _act(self, key: str) -> None:
        tree, chosen = self._edits.tree, set(self._view.chosen)
        groups = [number for number in chosen if tree[number].is_group]
        if key == "undo" and self._edits.can_undo:
            await self._step(self._edits.undo, self._edits.redo)
        elif key == "redo" and self._edits.can_redo:
            await self._step(self._edits.redo, self._edits.undo)
        elif key == "group" and chosen:
            with self._cleared():
                label_dialog(len(chosen), lambda label: self._do(lambda tree: tree.group(chosen, label)))
        elif key == "rename" and len(groups) == 1:
            self._tree.run_method("begin", groups[0])
        elif key == "move" and chosen:
            with self._cleared():
                target_dialog(tree, lambda target: self._do(lambda tree: tree.move(chosen, target)))
        elif key == "ungroup" and groups:
            await self._do(lambda tree: _ungrouped(tree, groups))
        elif key == "level":
            at = groups[0] if groups else TOP
            with self._cleared():
                number_dialog(lambda size: self._do(lambda tree: tree.add_level(at, size)))
        elif key == "remove" and chosen:
            await self._do(lambda tree: tree.delete(chosen))

    async def _do(self, change: Callable[[Tree], Tree]) -> bool:
        """Change the tree, if the policy can have it so."""
        async with self._one_at_a_time:
            return await self._done(change)

    async def _done(self, change: Callable[[Tree], Tree]) -> bool:
        before = self._edits.tree
        try:
            after = await in_background(change, before)
        except (ShoalError, InternalError) as error:
            ui.notify(sentence(error), type="negative", position="top", multi_line=True)
            self._redraw()
            return False
        if not await self._saved(after):
            return False
        self._edits.do(after)
        new = set(after.nodes) - set(before.nodes)
        self._view.chosen = new or self._view.chosen
        self._view.expanded |= {above for number in new for above in after.above(number)}
        self._redraw()
        if new:
            self._tree.run_method("focus", min(new))
        return True

    async def _step(self, step: Callable[[], bool], back: Callable[[], bool]) -> None:
        async with self._one_at_a_time:
            if step() and not await self._saved(self._edits.tree):
                back()
        self._redraw()

    async def _saved(self, tree: Tree) -> bool:
        if not await self._apply(with_tree, tree):
            self._redraw()
            return False
        self._shaped = await in_background(current, self._workspace, self._column)
        self._counted = (tree, await in_background(Counts.of, tree, self._shaped.column))
        return not self._box.is_deleted


def _ungrouped(tree: Tree, groups: list[int]) -> Tree:
    for number in groups:
        tree = tree.ungroup(number)
    return tree
