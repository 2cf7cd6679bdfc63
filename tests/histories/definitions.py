"""The three promises about people with several rows, in the plainest Python. No speed, no cleverness.

A table is a list of persons; a person is the list of their released rows, in the order of the file; a row is
the tuple of its released quasi-identifiers. A person without rows was not released: nothing is promised about
them, and they hide nobody.

(a) `by_rows`: every row is a row of k persons. (b) `by_history`: every history is that of k persons. (c)
`by_events`: every choice of at most m rows of a person is among the rows of k persons. Each function returns
for each person the least number of persons who have what may be known of them, the person included; `None`
for a person who was not released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

Row = tuple[Hashable, ...]
Person = Sequence[Row]
Persons = Sequence[Person]
Shared = list[int | None]

SUPPRESSED = "*"


def by_rows(persons: Persons) -> Shared:
    """(a): of each person, the fewest persons who have one of their rows."""
    return [
        min((sum(row in other for other in persons) for row in person), default=None) for person in persons
    ]


def by_history(persons: Persons, *, ordered: bool) -> Shared:
    """(b): of each person, how many persons have the same rows and as many of them.

    In the same order, if that is known.
    """

    def same(one: Person, other: Person) -> bool:
        return list(one) == list(other) if ordered else Counter(one) == Counter(other)

    return [sum(same(person, other) for other in persons) if person else None for person in persons]


def by_events(persons: Persons, known: int, *, ordered: bool) -> Shared:
    """(c): of each person, the fewest persons who have some choice of up to `known` of their rows."""
    return [
        min(
            (
                sum(has(other, choice, ordered=ordered) for other in persons)
                for events in range(1, known + 1)
                for choice in combinations(person, events)
            ),
            default=None,
        )
        for person in persons
    ]


def has(person: Person, events: Person, *, ordered: bool) -> bool:
    """Whether a person has some rows, each as often as it is known; in this order, if that is known."""
    if not ordered:
        return Counter(events) <= Counter(person)
    rest = iter(person)
    return all(event in rest for event in events)


def shared(persons: Persons, known: int | None, *, ordered: bool) -> Shared:
    """(b) where `known` is `None`, as in `Promise.known_events`, otherwise (c)."""
    if known is None:
        return by_history(persons, ordered=ordered)
    return by_events(persons, known, ordered=ordered)


def fewest(shared_by: Shared) -> int | None:
    """The least number of persons that anybody hides among; `None` if nobody was released."""
    return min((number for number in shared_by if number is not None), default=None)


def broken(shared_by: Shared, k: int) -> list[int]:
    """The persons, by their places, who hide among fewer than k."""
    return [place for place, number in enumerate(shared_by) if number is not None and number < k]


def keeps(persons: Persons, k: int, known: int | None, *, ordered: bool) -> bool:
    """Whether (b), or (c) with so many known events, holds of everybody who was released."""
    return not broken(shared(persons, known, ordered=ordered), k)


def visible(persons: Persons) -> list[Person]:
    """The persons without rows whose cells are all suppressed: such a row is not released."""
    return [[row for row in person if any(cell != SUPPRESSED for cell in row)] for person in persons]


def persons_of(ids: Sequence[Hashable], rows: Sequence[Row]) -> list[Person]:
    """The persons of a table, in the order of their first rows, given for each row whose it is."""
    found: dict[Hashable, list[Row]] = {}
    for who, row in zip(ids, rows, strict=True):
        found.setdefault(who, []).append(row)
    return list(found.values())


def whole_or_gone(source: Persons, released: Persons) -> bool:
    """Whether each household is released with all of its members, or with none of them."""
    return all(len(after) in (0, len(before)) for before, after in zip(source, released, strict=True))


def constant_once(source: Persons, released: Persons) -> bool:
    """Whether a column that never changes within a person has one label in all released rows of a person."""
    columns = len(next(row for person in source for row in person))
    constant = [
        column for column in range(columns) if all(len({row[column] for row in each}) <= 1 for each in source)
    ]
    return all(len({row[column] for row in person}) <= 1 for column in constant for person in released)


@dataclass(frozen=True)
class Node:
    """A row of one of several tables, with the rows of other tables that belong to it."""

    table: str
    row: Row
    below: tuple[Node, ...] = ()


def by_tree(persons: Sequence[Sequence[Node]], *, ordered: bool) -> Shared:
    """(b) over several tables: how many persons have the same rows, joined to each other in the same way."""
    forms = [_form(person, ordered=ordered) for person in persons]
    return [forms.count(form) if form else None for form in forms]


def _form(rows: Sequence[Node], *, ordered: bool) -> tuple[Hashable, ...]:
    """Rows with all that is below them; equal for equal ones, in whatever order if none is known."""
    forms = [(each.table, each.row, _form(each.below, ordered=ordered)) for each in rows]
    # Rows of different tables are in different files: no order between them is known.
    return tuple(sorted(forms, key=(lambda form: form[0]) if ordered else repr))
