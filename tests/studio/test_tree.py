"""The tree of the editor: whatever is done, every value has one place and the tree is a hierarchy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Hierarchy, PolicyError, Recipe
from shoal.studio.tree import Tree
from shoal.studio.tree_edits import Edits
from shoal.studio.tree_shape import TOP

CITIES = Hierarchy.from_dict(
    {"*": {"North": {"Fjords": ["Oslo", "Bergen"], "Plain": ["Lund"]}, "South": ["Rome", "Bari"]}}
)
LABELS = st.sampled_from(["North", "Oslo", "Ulm", "Wide", " ", "*", "<b>x</b>"])


def number(tree: Tree, label: str) -> int:
    """The node with a label."""
    return next(each for each in tree.walk() if tree[each].label == label)


@pytest.fixture
def cities() -> Tree:
    """The cities in their groups."""
    return Tree.of(CITIES, CITIES.leaves)


def test_a_tree_of_a_hierarchy_has_its_rows(cities: Tree) -> None:
    """A value that is repeated upward is in fewer groups, and is repeated again."""
    assert cities.rows() == CITIES.rows
    assert cities.depth(number(cities, "Rome")) == 2
    assert [cities[each].label for each in cities.groups()] == ["North", "Fjords", "Plain", "South"]


def test_values_that_a_hierarchy_lacks_are_in_no_group() -> None:
    """They have a place, so that the tree is a hierarchy for the table."""
    tree = Tree.of(CITIES, [*CITIES.leaves, "Ulm"])
    assert [tree[each].label for each in tree.ungrouped()] == ["Ulm"]
    assert tree.rows()[-1] == ("Ulm", "Ulm", "Ulm", "*")


def test_a_number_is_found_however_it_is_written() -> None:
    """A table with 1.0 needs the leaf 1, and has no other place for it."""
    tree = Tree.of(Hierarchy((("1", "low", "*"), ("2", "low", "*"))), ["1.0"])
    assert tree.needed == {"1"}
    assert tree.ungrouped() == []


def test_a_value_that_is_lacking_can_be_named_like_a_group() -> None:
    """Then one word would say two things, and the tree is refused."""
    with pytest.raises(PolicyError, match="read alike"):
        Tree.of(CITIES, [*CITIES.leaves, "South"])


def test_what_can_be_done(cities: Tree) -> None:
    """Group, rename, move, ungroup, join, remove: each does what it says."""
    tree = cities.group([number(cities, "Rome"), number(cities, "Bari")], "Italy")
    assert ("Rome", "Italy", "South", "*") in tree.rows()
    assert ("Oslo", "Fjords", "North", "*") in tree.rows()
    tree = tree.ungroup(number(tree, "South")).rename(number(tree, "Italy"), "Italia")
    assert tree.rows()[-1] == ("Bari", "Italia", "Italia", "*")
    tree = tree.move([number(tree, "Lund")], number(tree, "Fjords"))
    assert "Plain" not in {node.label for node in tree.nodes.values()}
    tree = tree.delete([number(tree, "Fjords")])
    assert [tree[each].label for each in tree.ungrouped()] == ["Oslo", "Bergen", "Lund"]
    assert Tree.flat(["a", "b", "c"]).add_level(TOP, 2).rows() == (
        ("a", "a … b", "*"),
        ("b", "a … b", "*"),
        ("c", "c", "*"),
    )


def test_a_group_of_nodes_from_several_groups_goes_where_all_are(cities: Tree) -> None:
    """The lowest group above all of them gets the new one."""
    tree = cities.group([number(cities, "Oslo"), number(cities, "Lund")], "Capital")
    assert ("Oslo", "Capital", "North", "*") in tree.rows()
    assert ("Bergen", "Fjords", "North", "*") in tree.rows()


def test_a_value_that_no_row_has_can_be_removed(cities: Tree) -> None:
    """One that rows have is put into no group instead."""
    tree = Tree(cities.nodes, frozenset({"Oslo"})).delete([number(cities, "Fjords")])
    assert "Bergen" not in tree.values()
    assert [tree[each].label for each in tree.ungrouped()] == ["Oslo"]


@pytest.mark.parametrize(
    "act",
    [
        lambda tree: tree.rename(number(tree, "South"), "North"),
        lambda tree: tree.rename(number(tree, "Plain"), "Rome"),
        lambda tree: tree.rename(number(tree, "South"), "  "),
        lambda tree: tree.rename(number(tree, "South"), "*"),
        lambda tree: tree.rename(number(tree, "Rome"), "Roma"),
        lambda tree: tree.move([number(tree, "North")], number(tree, "Plain")),
        lambda tree: tree.move([number(tree, "North")], number(tree, "Rome")),
        lambda tree: tree.group([], "None"),
        lambda tree: tree.group([TOP], "All"),
        lambda tree: tree.ungroup(TOP),
        lambda tree: tree.ungroup(999),
        lambda tree: tree.add_level(TOP, 1),
    ],
)
def test_what_would_be_no_hierarchy_is_refused(cities: Tree, act: Callable[[Tree], Tree]) -> None:
    """With a sentence, and the tree is as it was."""
    with pytest.raises(PolicyError):
        act(cities)
    assert cities.rows() == CITIES.rows


def test_edits_are_undone_and_done_again(cities: Tree) -> None:
    """Something new forgets what was undone."""
    edits = Edits(cities)
    edits.do(cities.ungroup(number(cities, "South")))
    changed = edits.tree
    assert edits.undo()
    assert edits.tree is cities
    assert not edits.undo()
    assert edits.redo()
    assert edits.tree is changed
    assert not edits.redo()
    edits.undo()
    edits.do(cities.ungroup(number(cities, "Plain")))
    assert not edits.can_redo


def test_the_policy_of_a_tree_builds_the_same_hierarchy(cities: Tree) -> None:
    """Values beside groups are groups of themselves there."""
    tree = cities.move([number(cities, "Lund")], TOP)
    assert Recipe(**tree.recipe()).grouped.rows == tree.rows()
    top = tree.rename(TOP, "Europe")
    assert top.recipe()["suppressed"] is False
    assert [*top.recipe()["groups"]] == ["Europe"]


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Up to nine values under up to two levels of labels, some of them named like values."""
    values = draw(st.lists(st.sampled_from("abcdefghi"), min_size=1, max_size=9, unique=True))
    lower = {value: draw(st.sampled_from(["a", "b", "U", "V", "W"])) for value in values}
    upper = {label: draw(st.sampled_from(["a", "U", "X"])) for label in set(lower.values())}
    return Hierarchy(tuple((value, lower[value], upper[lower[value]], "*") for value in values))


@settings(deadline=None)
@given(hierarchies(), st.data())
def test_whatever_is_done_every_value_keeps_one_place(hierarchy: Hierarchy, data: st.DataObject) -> None:
    """Any row of operations leaves a hierarchy with each value of the table once."""
    needed = hierarchy.leaves[::2]
    edits = Edits(Tree.of(hierarchy, [*needed, "Ulm"]))
    for _ in range(data.draw(st.integers(0, 6))):
        tree = edits.tree
        some = st.lists(st.sampled_from([*tree.nodes]), max_size=4)
        one = st.sampled_from([*tree.nodes])
        what = data.draw(st.sampled_from(["rename", "move", "group", "ungroup", "level", "delete", "undo"]))
        try:
            if what == "rename":
                edits.do(tree.rename(data.draw(one), data.draw(LABELS)))
            elif what == "move":
                edits.do(tree.move(data.draw(some), data.draw(one)))
            elif what == "group":
                edits.do(tree.group(data.draw(some), data.draw(LABELS)))
            elif what == "ungroup":
                edits.do(tree.ungroup(data.draw(one)))
            elif what == "level":
                edits.do(tree.add_level(data.draw(one), data.draw(st.integers(1, 3))))
            elif what == "delete":
                edits.do(tree.delete(data.draw(some)))
            else:
                edits.undo()
        except PolicyError:
            assert edits.tree is tree
        _check(edits.tree, {*needed, "Ulm"}, {*hierarchy.leaves, "Ulm"})


def _check(tree: Tree, needed: set[str], known: set[str]) -> None:
    values = tree.values()
    assert len(values) == len(set(values))
    assert needed <= set(values) <= known
    assert Hierarchy(tree.rows()).leaves == tuple(values)
    for number, node in tree.nodes.items():
        assert node.children != () or number == TOP
        assert all(tree[child].parent == number for child in tree.under(number))
    # The rows say the same as the tree: a group's values, and only these, have its label at its level.
    rows = tree.rows()
    for number in tree.groups():
        node = tree[number]
        assert tree.values(number) == [row[0] for row in rows if row[node.level] == node.label]
    if tree.groups():
        # Above the groups of a policy there is always a level of `*`; `suppressed = false` takes it away.
        built = Recipe(**tree.recipe()).grouped.rows
        assert rows in (built, tuple(row[:-1] for row in built))
    # Groups in groups with the same label and values become one, and nothing else changes.
    again = Tree.of(Hierarchy(rows), needed).rows()
    assert Tree.of(Hierarchy(again), needed).rows() == again
    assert Hierarchy(again).leaves == tuple(values)
