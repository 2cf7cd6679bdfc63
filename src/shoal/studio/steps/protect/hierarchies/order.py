"""The order of categories: where a search cuts an order, only neighbours are joined."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import events, ui

from shoal import Column
from shoal.studio.parts import secondary
from shoal.studio.steps.protect.hierarchies.state import Shaped, said_of
from shoal.studio.workspace import Workspace

MOST = 200
"""Most values that can be ordered by hand."""

WORDS = (
    "Searches over cuts join only neighbours, so a meaningful order (school years, sizes, severity) gives "
    "better groups than the alphabet. Drag a value, or press Alt with the arrow keys. Searches over levels "
    "and groups do not need it."
)


class OrderList(ui.element, component="order_list.js"):
    """Words to be put into order, in the browser."""

    def show(self, words: list[str]) -> None:
        """Show other words."""
        self._props["words"] = [word[:300] or "(empty)" for word in words]
        self.update()


def show(
    workspace: Workspace, name: str, column: Column, changed: Callable[[], Awaitable[Shaped | None]]
) -> None:
    """Draw the order of a column of categories.

    Parameters
    ----------
    workspace, name
        Whose order it is.
    column
        Its values.
    changed
        Called after the policy has another order; the column with it.
    """
    words = [*column.values]
    if "bin" in said_of(workspace, name):
        return
    with ui.expansion("Order of the values").classes("order"):
        ui.label(WORDS).classes("hint")
        if len(words) > MOST:
            ui.label(
                f"{len(words):,} values are too many to order by hand: write `order` into the policy, or "
                "import a hierarchy, whose lines give the order."
            ).classes("hint")
            return
        state = ui.label().classes("soft").props("aria-live=polite")
        order = OrderList()
        order.props["label"] = f"Order of {name}"
        order.show(words)

        async def move(event: events.GenericEventArguments) -> None:
            start, end = int(event.args["from"]), int(event.args["to"])
            if not (0 <= start < len(words) and 0 <= end < len(words)):
                return
            words.insert(end, words.pop(start))
            order.show(words)
            said_of(workspace, name)["order"] = [*words]
            update()
            await changed()

        async def natural() -> None:
            said_of(workspace, name).pop("order", None)
            update()
            shaped = await changed()
            if shaped is not None and not order.is_deleted:
                words[:] = shaped.column.values
                order.show(words)

        def update() -> None:
            stated = "order" in said_of(workspace, name)
            found = column.domain.arrangement
            by_itself = "This is the natural order" + (f": {found.words}." if found else ".")
            state.set_text("The policy states this order." if stated else by_itself)
            back.set_visibility(stated)

        order.on("reorder", move)
        back = secondary("Back to the natural order", natural)
        update()
