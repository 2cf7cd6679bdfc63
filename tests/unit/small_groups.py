"""Tables and groups of privacy models, written as lists of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from shoal.model.hierarchy.coded_tree import Tree, tree_of
from shoal.model.table.people import Group, People, SensitiveColumn

DISEASE, JOB, PERSON = "disease", "job", "person"


def told(values: str) -> list[str]:
    """The values of a text, one per sign: "aab" is two rows with a, one with b."""
    return list(values)


def column(
    name: str, values: Sequence[str], order: Sequence[str] = (), tree: Tree | None = None
) -> SensitiveColumn:
    """A column of the whole table, by its values; coded in the given order, or as the values come."""
    codes = tuple(order or dict.fromkeys(values))
    return SensitiveColumn(
        name=name, counts=tuple(values.count(code) for code in codes), values=codes, tree=tree
    )


def table(values: str, tree: Tree | None = None) -> People:
    """A table with one sensitive column, its values sorted."""
    return People(columns=(column(DISEASE, told(values), sorted(set(values)), tree),))


def group(people: People, rows: Sequence[str | tuple[str, ...]], population: float = 0) -> Group:
    """A group by the sensitive values of its rows."""
    facts = Counter(
        tuple(each.values.index(value) for each, value in zip(people.columns, row, strict=True))
        for row in ((row,) if isinstance(row, str) else row for row in rows)
    )
    return Group(rows=len(rows), facts=dict(facts), population=Fraction(population))


def tree(rows: Sequence[Sequence[str]], leaves: Sequence[str]) -> Tree:
    """A hierarchy over those of its leaves that occur, in the order of their codes."""
    places = [row[0] for row in rows]
    return tree_of(rows, [places.index(leaf) for leaf in leaves], leaves, missing=False)
