"""What the page knows of hierarchies: columns that were read once, and where their users are.

No page code. A column is read from the table once per type, bin and order; trying a hierarchy on it touches
no row again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import shoal
from shoal import Column, Hierarchy, PolicyError, Recipe
from shoal.studio.tree import Tree
from shoal.studio.tree_edits import Edits
from shoal.studio.workspace import Workspace

MOST_IN_POLICY = 500
"""Values up to which groups are written into the policy itself; more are easier to read in a file."""

MOST_TRIED = 40

Planned = dict[str, Any] | str
"""A hierarchy in a policy: a recipe, or the text of a file."""

CUT = 50
"""Rows of a tree or a list that are sent to the page at a time."""


@dataclass(eq=False)
class View:
    """What a user sees of one column: the way that is shown, the level, and the tree with its edits."""

    way: str | None = None
    level: int = 1
    shown: int = 12
    edits: Edits | None = None
    expanded: set[int] = field(default_factory=set)
    parts: dict[int, int] = field(default_factory=dict)
    """Group of the tree -> how many under it are shown."""
    chosen: set[int] = field(default_factory=set)
    from_tree: bool = False
    """Whether the policy's hierarchy was made in the tree, also where it is kept as a file."""
    wanted: str = ""
    """What is searched for in the tree."""


@dataclass(eq=False)
class HierarchyState:
    """The columns that were read, and a view of each."""

    read: dict[tuple[Any, ...], Column] = field(default_factory=dict)
    tried: dict[tuple[Any, ...], Shaped] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def view(self, column: str) -> View:
        """The view of a column."""
        return self.views.setdefault(column, View())


def said_of(workspace: Workspace, column: str) -> dict[str, Any]:
    """The policy's settings of a column, to read and change; another tab may have removed it."""
    if column not in workspace.draft.attributes:
        raise PolicyError("the column has no longer a part in the policy; give it a role first")
    return workspace.draft.attributes[column]


def _key(workspace: Workspace, column: str) -> tuple[Any, ...]:
    settings = said_of(workspace, column)
    order = settings.get("order")
    stated = settings.get("type"), settings.get("bin"), None if order is None else tuple(order)
    missing = settings.get("missing")
    read = settings.get("format"), None if missing is None else tuple(missing)
    return column, *stated, *read, tuple(_others(workspace, column))


def _others(workspace: Workspace, column: str) -> list[str]:
    """The other quasi-identifiers, in which the data orders categories."""
    return [
        name
        for name, settings in workspace.draft.attributes.items()
        if name != column and settings.get("role") == "quasi-identifier"
    ]


def read(workspace: Workspace, column: str) -> Column:
    """The column as the table has it; read when first needed. Takes a while: not for the page's thread."""
    settings = said_of(workspace, column)
    state = workspace.state(HierarchyState)
    key = _key(workspace, column)
    with state.lock:  # one scan at a time: panels of several columns may open together
        if key not in state.read:
            state.read[key] = shoal.column(
                workspace.needed_table().as_read,
                column,
                type=settings.get("type"),
                format=settings.get("format"),
                missing=settings.get("missing", workspace.needed_table().how.get("missing")),
                bin=settings.get("bin"),
                order=settings.get("order"),
                like=_others(workspace, column),
            )
        return state.read[key]


def given(workspace: Workspace, column: str) -> Hierarchy | Recipe:
    """The column's hierarchy in the policy."""
    settings = said_of(workspace, column)
    stated = settings.get("hierarchy")
    if isinstance(stated, str):
        if stated not in workspace.draft.files:
            raise PolicyError("the hierarchy file that the policy names is not here; import it again")
        parsed = Hierarchy.parse(workspace.draft.files[stated])
        top = settings.get("suppressed_top")
        if top is None:
            return parsed
        return parsed.with_suppressed_top() if top else parsed.without_suppressed_top()
    return Recipe(**(stated or {}))


@dataclass(frozen=True, kw_only=True)
class Shaped:
    """A column under a hierarchy: the labels of each level, and those that are not true of their values."""

    column: Column
    levels: tuple[tuple[tuple[str, int, int], ...], ...]
    """Per level: label, values, rows."""
    untrue: tuple[tuple[int, str, int, str], ...]
    """Line, value, level, label."""


def ready(workspace: Workspace, column: str) -> Shaped | None:
    """The column under the policy's hierarchy, if that was read already."""
    return workspace.state(HierarchyState).tried.get(_whole_key(workspace, column))


def current(workspace: Workspace, column: str) -> Shaped:
    """The column under the hierarchy that the policy gives it; not for the page's thread."""
    tried = workspace.state(HierarchyState).tried
    key = _whole_key(workspace, column)
    if key not in tried:
        shaped = read(workspace, column).under(given(workspace, column))
        levels = tuple(shaped.level(level) for level in range(shaped.hierarchy.height + 1))
        if len(tried) > MOST_TRIED:
            tried.clear()
        tried[key] = Shaped(column=shaped, levels=levels, untrue=shaped.hierarchy.untrue())
    return tried[key]


def _whole_key(workspace: Workspace, column: str) -> tuple[Any, ...]:
    settings = said_of(workspace, column)
    stated = settings.get("hierarchy")
    text = workspace.draft.files.get(stated) if isinstance(stated, str) else repr(stated)
    return (*_key(workspace, column), isinstance(stated, str), text, settings.get("suppressed_top"))


def with_recipe(workspace: Workspace, column: str, stated: dict[str, Any]) -> Planned:
    """A recipe, once it is known that it can be built from this column; not for the page's thread."""
    read(workspace, column).under(Recipe(**stated))
    return stated


def with_hierarchy(workspace: Workspace, column: str, hierarchy: Hierarchy) -> Planned:
    """The file of a hierarchy, once it is known that the column fits it; not for the page's thread."""
    if "bin" in said_of(workspace, column):
        raise PolicyError("a bin and a hierarchy of one's own exclude each other; take the bin away first")
    read(workspace, column).under(hierarchy)
    return hierarchy.to_csv()


def with_tree(workspace: Workspace, column: str, tree: Tree) -> Planned:
    """The groups of a tree; not for the page's thread.

    They go into the policy itself where Shoal builds the same hierarchy from them. A file stays one: the
    order of its lines means something.
    """
    hierarchy = tree.hierarchy()
    stated = said_of(workspace, column).get("hierarchy")
    if not isinstance(stated, str) and len(hierarchy.rows) <= MOST_IN_POLICY:
        recipe = tree.recipe()
        built = read(workspace, column).under(Recipe(**recipe)).hierarchy
        if set(built.rows) == set(hierarchy.rows):
            return recipe
    return with_hierarchy(workspace, column, hierarchy)


def say(workspace: Workspace, column: str, planned: Planned) -> None:
    """Write a recipe, or the text of a file, into the policy."""
    settings = said_of(workspace, column)
    settings.pop("suppressed_top", None)  # belonged to the hierarchy that is now replaced
    if isinstance(planned, str):
        workspace.draft.set_hierarchy_file(column, planned)
    elif planned:
        settings["hierarchy"] = planned
    else:
        settings.pop("hierarchy", None)


def tree_of(workspace: Workspace, column: str) -> Tree:
    """The tree to begin with: that of the current hierarchy; not for the page's thread."""
    shaped = current(workspace, column).column
    return Tree.of(shaped.hierarchy, shaped.values)


def rare(workspace: Workspace) -> int:
    """Rows that a group needs: labels with fewer are rare."""
    k = workspace.draft.stated["privacy"].get("k", 1)
    return k if isinstance(k, int) else 1
