"""The panel of a quasi-identifier: the way its hierarchy is made, and what each level makes of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from shoal import Hierarchy, InternalError, ShoalError
from shoal.studio.parts import in_background, notice, secondary, sentence, text
from shoal.studio.redraw import Redraw
from shoal.studio.steps.protect.hierarchies import files, levels, order, state, ways
from shoal.studio.steps.protect.hierarchies.form import Form
from shoal.studio.steps.protect.hierarchies.state import HierarchyState, Shaped
from shoal.studio.steps.protect.hierarchies.tree_editor import TreeEditor
from shoal.studio.workspace import Workspace


def show(workspace: Workspace, column: str, part: Redraw) -> None:
    """Show how a quasi-identifier is generalized, and let it be changed.

    Parameters
    ----------
    workspace
        Whose policy it is.
    column
        The quasi-identifier.
    part
        The part of the page that contains this.
    """
    Panel(workspace, column, part)


class Panel:
    """One column's hierarchy on the page."""

    def __init__(self, workspace: Workspace, column: str, part: Redraw) -> None:
        self._workspace = workspace
        self._column = column
        self._part = part
        self._view = workspace.state(HierarchyState).view(column)
        self._turn = 0
        self._box = ui.element("div").classes("hierarchy")
        shaped = state.ready(workspace, column) if column in workspace.draft.attributes else None
        with self._box:
            if shaped is not None:
                self._draw(shaped)
                return
            ui.label("Reading the column …").classes("hint waiting").props("role=status")
        ui.timer(0.01, self._begin, once=True)

    async def _begin(self) -> None:
        shaped: Shaped | None = None
        words = ""
        try:
            shaped = await in_background(state.current, self._workspace, self._column)
        except (ShoalError, InternalError) as error:
            words = sentence(error)
        if self._box.is_deleted:
            return
        self._box.clear()
        with self._box:
            if shaped is not None:
                self._draw(shaped)
            else:
                self._broken(words)

    def _broken(self, words: str) -> None:
        """The policy's hierarchy does not fit the column: show why, and offer a way out."""
        notice(words, "bad")
        if "hierarchy" in self._workspace.draft.attributes.get(self._column, {}):

            async def automatic() -> None:
                state.say(self._workspace, self._column, {})
                self._view.way = self._view.edits = None
                self._workspace.touch()
                self._part.accept()
                await self._begin()

            secondary("Make it automatically instead", automatic)

    # --- the way

    def _draw(self, shaped: Shaped) -> None:
        self._view.way = self._view.way or self._in_use(shaped)
        text("h3", "How its values are generalized")
        self._ways_box = ui.element("div").classes("stack")
        self._draw_ways(shaped)
        self._form_box = ui.element("div").classes("way-form")
        with self._form_box:
            self._draw_form(shaped)
        self._levels_box = ui.element("div")
        with self._levels_box:
            self._draw_levels(shaped)
        if shaped.column.kind == "category":
            order.show(self._workspace, self._column, shaped.column, self._reordered)

    def _in_use(self, shaped: Shaped) -> str:
        made_here = self._view.from_tree and isinstance(self._stated, str)
        return "groups" if made_here else ways.way_of(self._stated, shaped.column)

    def _draw_ways(self, shaped: Shaped) -> None:
        """The ways to choose from; drawn again when another one is in use."""
        in_use = self._in_use(shaped)
        shown = next(way for way in ways.WAYS if way.key == self._view.way)
        self._ways_box.clear()
        with self._ways_box:
            with ui.element("div").classes("ways").props('role=group aria-label="Way to make the hierarchy"'):
                for way in ways.ways_for(shaped.column):
                    with ui.element("button").classes("way").props("type=button") as button:
                        ui.label(way.name)
                        if way.key == in_use:
                            ui.label("in use").classes("way-in-use")
                    button.props["aria-pressed"] = "true" if way is shown else "false"
                    button.on("click", lambda key=way.key: self._choose(key, shaped))
            ui.label(shown.words).classes("hint")
            if shown.key != in_use:
                name = next(way.name for way in ways.WAYS if way.key == in_use)
                ui.label(f"The policy still has “{name}” until you change something here.").classes("hint")

    def _draw_form(self, shaped: Shaped) -> None:
        shown = next(way for way in ways.WAYS if way.key == self._view.way)
        if shown.key in ("groups", "file") and "bin" in state.said_of(self._workspace, self._column):
            notice(
                "This column has bins, which take the place of its values: take the bin away first.", "warn"
            )
            return
        if shown.key == "groups":
            TreeEditor(self._workspace, self._column, self._apply)
        elif shown.key == "file":
            files.Importer(self._workspace, self._column, self._take, self._to_tree)
        else:
            Form(shown.key, ways.fields_of(self._stated), shaped.column, self._try)

    async def _choose(self, key: str, shaped: Shaped) -> None:
        """Show another way; one that needs no more is taken at once, with fields that fit the data."""
        if key == self._view.way:
            return
        if key == "groups":
            if not self._view.from_tree:
                self._view.edits = None  # begins with the groups that there are
        elif key != "file" and key != ways.way_of(self._stated, shaped.column):
            recipe = ways.recipe_of(key, ways.suggested(key, shaped.column))
            if not await self._apply(state.with_recipe, recipe, redraw=False):
                return
        self._view.way = key
        await self._begin()

    @property
    def _stated(self) -> Any:
        return state.said_of(self._workspace, self._column).get("hierarchy")

    async def _to_tree(self) -> None:
        self._view.way = "groups"
        await self._begin()

    # --- into the policy

    async def _apply(self, plan: Callable[..., state.Planned], *arguments: Any, redraw: bool = True) -> bool:
        words = await self._written(plan, *arguments, redraw=redraw)
        if words:
            ui.notify(words, type="negative", position="top", multi_line=True)
        return not words

    async def _written(self, plan: Callable[..., state.Planned], *arguments: Any, redraw: bool = True) -> str:
        """Write the plan of a function into the policy; an error message if that is impossible."""
        self._turn += 1
        turn, table = self._turn, self._workspace.table
        try:
            planned = await in_background(plan, self._workspace, self._column, *arguments)
            if turn != self._turn:  # a newer change was requested
                return ""
            if self._workspace.table is not table:  # a column of the same name is not the same
                return "Another table was opened; nothing was changed."
            state.say(self._workspace, self._column, planned)
        except (ShoalError, InternalError) as error:
            return sentence(error)
        self._view.from_tree = plan is state.with_tree
        self._workspace.touch()
        self._part.accept()
        if redraw:
            await self._show_levels()
        return ""

    async def _try(self, stated: dict[str, Any]) -> str:
        return await self._written(state.with_recipe, stated)

    async def _take(self, hierarchy: Hierarchy) -> str:
        words = await self._written(state.with_hierarchy, hierarchy, redraw=False)
        if not words:
            self._view.edits = None
            await self._begin()
        return words

    async def _reordered(self) -> Shaped | None:
        self._workspace.touch()
        self._part.accept()
        return await self._show_levels()

    # --- the levels

    async def _show_levels(self) -> Shaped | None:
        place = self._levels_box
        try:
            shaped = await in_background(state.current, self._workspace, self._column)
        except (ShoalError, InternalError) as error:
            words = sentence(error)
            shaped = None
        if place.is_deleted:
            return None
        place.clear()
        with place:
            if shaped is None:
                notice(words, "bad")
            else:
                self._draw_levels(shaped)
                self._draw_ways(shaped)
        return shaped

    def _draw_levels(self, shaped: Shaped) -> None:
        with ui.element("div").classes("row levels-head"):
            text("h3", "What each level makes of the data")
            secondary(
                "Download as CSV (ARX)", lambda: files.export(self._column, shaped), icon="download"
            ).props("dense").classes("small")
        self._limits(shaped)
        levels.show(shaped, self._view, state.rare(self._workspace))

    def _limits(self, shaped: Shaped) -> None:
        settings = state.said_of(self._workspace, self._column)
        height = len(shaped.levels) - 1
        for key in ("min_level", "max_level"):
            if settings.get(key, 0) > height:
                notice(f"The policy has {key} = {settings[key]}, but the levels end at {height}.", "warn")
