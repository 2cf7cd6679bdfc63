"""The role of every column: a table with a choice in each row, for one column or for many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from shoal import Inspected, Role
from shoal.formatting.numbers import percent
from shoal.studio.parts import card, secondary, text
from shoal.studio.steps.protect import column_settings
from shoal.studio.steps.protect.fields import ChangeListener
from shoal.studio.steps.protect.leak_warnings import known
from shoal.studio.steps.protect.remark import short
from shoal.studio.steps.protect.wording import doubts, names, problems
from shoal.studio.workspace import Workspace

TO_NEXT = "() => document.getElementById('next-step')?.focus()"
MOST_ROWS = 60
"""Columns that are shown at a time; a search finds the others."""

WITH_SETTINGS = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER)


def matching(inspected: Inspected, wanted: str, roles: dict[str, Role], role: str) -> list[int]:
    """The columns, by their place, whose name contains the text and whose role is the chosen one."""
    sought = wanted.strip().casefold()
    return [
        at
        for at, column in enumerate(inspected.columns)
        if sought in column.name.casefold() and role in ("", roles[column.name].value)
    ]


def show(workspace: Workspace, listener: ChangeListener) -> RolesTable:
    """Put the card onto the page; its table shows objections at their columns."""
    with card(
        "What each column is", "Shoal suggests roles from names and values. You know better: check each one."
    ):
        _legend(workspace, listener)
        return RolesTable(workspace, listener)


def _legend(workspace: Workspace, listener: ChangeListener) -> None:
    counts: dict[Role, Any] = {}
    with ui.element("dl").classes("roles-legend"):
        for role in Role:
            words = role.description
            with ui.element("div").classes(f"role-card role-{role.value}"):
                with ui.element("dt"):
                    ui.label(words.title).classes("role-name")
                    counts[role] = ui.label().classes("role-count")
                text("dd", words.meaning)

    def count() -> None:
        for role, label in counts.items():
            label.set_text(str(len(workspace.draft.columns(role))))

    count()
    listener.add(counts[Role.OTHER], count)


class RolesTable:
    """The rows that are shown, and what was ticked in them."""

    def __init__(self, workspace: Workspace, listener: ChangeListener) -> None:
        self.workspace, self.listener = workspace, listener
        self.ticked: set[int] = set()
        self.shown: list[int] = []
        self.rows: list[_Row] = []
        self.refused: str | None = None
        self._tools()
        with ui.element("div").classes("scroll"), ui.element("table").classes("plain roles-table"):
            with ui.element("thead"), ui.element("tr"):
                with ui.element("th").classes("tick"):
                    self.all = _checkbox("Select all columns that are shown", self._tick_all)
                for name in ("Column", "Role", "Suggested, and why", "More"):
                    text("th", name).props("scope=col")
            self.body = ui.element("tbody")
        # With three stops in each row, the way to the next step would be long.
        self.body.on("keydown.ctrl.enter", js_handler=TO_NEXT)
        ui.label("By keyboard, Ctrl and Enter go from any column to Next.").classes("soft")
        self.more = ui.label().classes("soft")
        self.draw()
        listener.add(self.body, self._follow)

    def _tools(self) -> None:
        with ui.element("div").classes("row roles-tools"):
            self.search = ui.input("Find a column", on_change=self.draw).props(
                "outlined dense clearable debounce=200"
            )
            self.role = ui.select(
                {"": "All roles", **{role.value: role.description.title for role in Role}},
                value="",
                label="Show",
                on_change=self.draw,
            ).props("outlined dense options-dense")
            self.search.classes("find-field")
            self.role.classes("show-field")
            with ui.element("div").classes("row at-once") as self.at_once:
                self.how_many = ui.label().props("aria-live=polite")
                for role in Role:
                    button = secondary(role.description.title, lambda role=role: self._set_ticked(role))
                    button.props("dense").props["aria-label"] = f"Make the selected {role.description.title}"
            self.at_once.set_visibility(False)
            secondary("Back to the suggestions", self._suggest).classes("end-tool")

    def draw(self) -> None:
        """Show the rows that match."""
        if not self.listener.is_current:
            return
        inspected = self.workspace.needed_table().inspected
        roles = {column.name: self.workspace.draft.role(column.name) for column in inspected.columns}
        shown = matching(inspected, self.search.value or "", roles, self.role.value or "")
        self.shown = shown[:MOST_ROWS]
        self.body.clear()
        with self.body:
            self.rows = [_Row(self, at) for at in self.shown]
            if not shown:
                with ui.element("tr"), ui.element("td").props("colspan=5"):
                    ui.label("No column like that.").classes("soft")
        left = len(shown) - len(self.shown)
        self.more.set_text(f"{left:,} more columns: find them by name." if left else "")
        self.count_ticked()
        self._remark()

    def count_ticked(self) -> None:
        """Say how many are selected."""
        self.how_many.set_text(f"{len(self.ticked)} selected. Make them")
        self.at_once.set_visibility(bool(self.ticked))
        _check(self.all, bool(self.shown) and {*self.shown} <= self.ticked)

    def set_role(self, name: str, role: Role) -> None:
        """Give a column a role, from its row."""
        if self.listener.is_current:
            self.workspace.draft.set_role(name, role)
            self.listener.changed()

    def refuse(self, words: str | None) -> None:
        """Show Shoal's objection to the policy at the column that it names."""
        if words != self.refused and not self.body.is_deleted:
            self.refused = words
            self._remark()

    def _follow(self) -> None:
        for row in self.rows:
            row.follow()
        self._remark()

    def _remark(self) -> None:
        draft, table = self.workspace.draft, self.workspace.table
        if table is None:
            return
        remarks_by_column: dict[str, tuple[str, str]] = {}
        for tone, remarks in (
            ("warn", doubts(draft, table, known(self.workspace))),
            ("bad", problems(draft, table)),
        ):
            remarks_by_column.update(
                {remark.column: (tone, remark.words) for remark in remarks if remark.column is not None}
            )
        if self.refused is not None:
            remarks_by_column |= {
                row.name: ("bad", self.refused) for row in self.rows if names(self.refused, row.name)
            }
        for row in self.rows:
            row.remark(*remarks_by_column.get(row.name, ("", "")))

    def _tick_all(self, on: bool) -> None:
        self.ticked = self.ticked | {*self.shown} if on else self.ticked - {*self.shown}
        for row in self.rows:
            _check(row.tick, row.at in self.ticked)
        self.count_ticked()

    def _set_ticked(self, role: Role) -> None:
        if not self.listener.is_current:
            return
        columns = self.workspace.needed_table().inspected.columns
        for at in sorted(self.ticked):
            self.workspace.draft.set_role(columns[at].name, role)
        self.ticked = set()
        for row in self.rows:
            _check(row.tick, False)
        self.count_ticked()
        self.listener.changed()

    def _suggest(self) -> None:
        if self.listener.is_current:
            for column in self.workspace.needed_table().inspected.columns:
                self.workspace.draft.set_role(column.name, column.likely_role)
            self.listener.changed()


class _Row:
    """One column."""

    def __init__(self, table: RolesTable, at: int) -> None:
        self.table, self.at = table, at
        inspected = table.workspace.needed_table().inspected
        column = inspected.columns[at]
        self.name = column.name
        self.seen = table.workspace.draft.role(self.name)
        called = short(self.name)
        with ui.element("tr") as self.element:
            with ui.element("td").classes("tick"):
                self.tick = _checkbox(f"Select {called}", self._ticked)
                _check(self.tick, at in table.ticked)
            with ui.element("td"):
                ui.label(self.name).classes("column-name")
                missing = f", {percent(column.missing / inspected.rows)} missing" if column.missing else ""
                ui.label(f"{column.kind}, {column.distinct:,} values{missing}").classes("soft")
            with ui.element("td"):
                self.choice = _choice(
                    f"Role of {called}", self.seen, lambda role: table.set_role(self.name, role)
                )
            with ui.element("td"):
                ui.label(f"{column.likely_role.description.title}: {column.reason}").classes("soft")
                self.remark_label = ui.label().classes("row-remark")
            with ui.element("td").classes("n"):
                self.more = ui.button("Settings", on_click=self._open).props("flat dense no-caps")
                self.more.props["aria-label"] = f"Settings of {called}"
        self.under: ui.element | None = None
        self._show_role()

    def follow(self) -> None:
        """Show the role that the policy has now."""
        now = self.table.workspace.draft.role(self.name)
        if now is not self.seen:
            self.seen = now
            self.choice.props["value"] = now.value
            self._show_role()
            if self.under is not None:
                self._open()

    def remark(self, tone: str, words: str) -> None:
        """Say what is doubtful or wrong about it."""
        self.remark_label.set_text(words)
        self.remark_label.classes(replace=f"row-remark {tone}")

    def _show_role(self) -> None:
        self.element.classes(replace=f"role-{self.seen.value}")
        self.more.set_visibility(self.seen in WITH_SETTINGS)

    def _ticked(self, on: bool) -> None:
        (self.table.ticked.add if on else self.table.ticked.discard)(self.at)
        self.table.count_ticked()

    def _open(self) -> None:
        """Show the settings in a row below, or take it away."""
        if self.under is not None:
            self.under.delete()
            self.under = None
        elif self.seen in WITH_SETTINGS:
            with (
                self.table.body,
                ui.element("tr").classes("settings-row") as self.under,
                ui.element("td").props("colspan=5"),
            ):
                column_settings.show(self.table.workspace, self.table.listener, self.name)
            self.under.move(target_index=self.table.body.default_slot.children.index(self.element) + 1)
        self.more.props["aria-expanded"] = "false" if self.under is None else "true"


# Fixed words, and no text of the table: as elements of the page they would be five to a column.
_OPTIONS = "".join(f'<option value="{each.value}">{each.description.title}</option>' for each in Role)


def _choice(label: str, role: Role, chosen: Callable[[Role], None]) -> ui.element:
    """A list of the browser's own: sixty of them are light, and every keyboard knows them."""
    choice = ui.element("select").classes("role-choice")
    choice.props["aria-label"] = label
    choice.props["innerHTML"] = _OPTIONS
    choice.props["value"] = role.value

    def took(event: Any) -> None:
        choice.props["value"] = event.args
        chosen(Role(event.args))

    choice.on("change", took, js_handler="(event) => emit(event.target.value)")
    return choice


def _checkbox(label: str, ticked: Callable[[bool], None]) -> ui.element:
    checkbox = ui.element("input").props("type=checkbox")
    checkbox.props["aria-label"] = label

    def took(event: Any) -> None:
        checkbox.props["checked"] = bool(event.args)
        ticked(bool(event.args))

    checkbox.on("change", took, js_handler="(event) => emit(event.target.checked)")
    return checkbox


def _check(box: ui.element, on: bool) -> None:
    box.props["checked"] = on
