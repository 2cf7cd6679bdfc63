"""Levels for people with several rows, by trying all of them: the plainest Python, for a few persons.

A person is the list of their rows; a row is its table, its number there, the place of the row that it belongs
to, or -1, and its sensitive value. What is released of a person is a nested tuple: for each row its table,
its labels and what is released below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

from shoal.model.history.problem import HistoryProblem
from shoal.model.table.people import Group
from shoal.privacy import SensitiveModel


class Row(NamedTuple):
    """A row of a person."""

    table: int
    row: int
    parent: int = -1
    value: int = 0


Person = tuple[Row, ...]
Form = tuple[Hashable, ...]
Levels = tuple[tuple[int, ...], ...]
STARS = "all stars"


def persons_of(problem: HistoryProblem) -> list[Person]:
    """Every person by themselves."""
    histories, found = problem.histories, []
    for number, count in enumerate(histories.counts.tolist()):
        places = range(int(histories.first[number]), int(histories.first[number + 1]))
        person = tuple(
            Row(
                int(histories.table_of[i]),
                int(histories.row_of[i]),
                int(histories.parent[i]),
                0 if histories.values is None else int(histories.values[i, 0]),
            )
            for i in places
        )
        found += [person] * count
    return found


def all_levels(problem: HistoryProblem) -> Iterator[Levels]:
    """Every choice of levels."""
    for flat in product(
        *(
            range(domain.hierarchy.height + 1)
            for table in problem.histories.tables
            for domain in table.domains
        )
    ):
        rest = iter(flat)
        yield tuple(tuple(next(rest) for _ in table.domains) for table in problem.histories.tables)


def label_of(problem: HistoryProblem, levels: Levels, row: Row) -> Hashable:
    """What a row is released as."""
    table = problem.histories.tables[row.table]
    labels = tuple(
        domain.hierarchy.labels[level][domain.hierarchy.parts[level][code]]
        for domain, level, code in zip(
            table.domains, levels[row.table], table.codes[row.row].tolist(), strict=True
        )
    )
    return STARS if all(label == "*" for label in labels) else labels


def loss_of(problem: HistoryProblem, levels: Levels, row: Row) -> Fraction:
    """NCP of a released row, summed over its cells."""
    table = problem.histories.tables[row.table]
    return sum(
        (
            domain.part_shares(level)[domain.hierarchy.parts[level][code]]
            for domain, level, code in zip(
                table.domains, levels[row.table], table.codes[row.row].tolist(), strict=True
            )
        ),
        Fraction(0),
    )


def form(problem: HistoryProblem, levels: Levels, person: Person, kept: Sequence[bool]) -> Form:
    """What is released of a person: equal for persons that nobody can tell apart."""

    def below(parent: int) -> Form:
        forms = [
            (row.table, label_of(problem, levels, row), below(place))
            for place, row in enumerate(person)
            if row.parent == parent and kept[place]
        ]
        return tuple(sorted(forms, key=(lambda each: each[0]) if problem.promise.ordered else repr))

    return below(-1)


def holds(
    problem: HistoryProblem, levels: Levels, persons: list[Person], kept: Sequence[Sequence[bool]]
) -> bool:
    """Whether the promise and the models hold of what is kept, and it may be released at all."""
    promise = problem.promise
    for person, own in zip(persons, kept, strict=True):
        for place, (row, stays) in enumerate(zip(person, own, strict=True)):
            needed = any(each.parent == place and other for each, other in zip(person, own, strict=True))
            if stays and label_of(problem, levels, row) == STARS and not needed:
                return False
            if stays and row.parent >= 0 and not own[row.parent]:
                return False
        if promise.whole_units and any(own) and not all(own):
            return False
    forms = [form(problem, levels, person, own) for person, own in zip(persons, kept, strict=True)]
    released = [each for each in forms if each]
    if promise.known_events is None:
        if any(number < problem.k for number in Counter(released).values()):
            return False
        return all(
            _admits(
                problem, levels, [(p, o) for p, o, f in zip(persons, kept, forms, strict=True) if f == each]
            )
            for each in set(released)
        )
    return all(
        sum(_has(other, known, ordered=promise.ordered) for other in released) >= problem.k
        for each in set(released)
        for size in range(1, promise.known_events + 1)
        for known in set(combinations(each, size))
    )


def _has(history: Form, known: Form, *, ordered: bool) -> bool:
    if not ordered:
        return Counter(known) <= Counter(history)
    rest = iter(history)
    return all(event in rest for event in known)


def _admits(problem: HistoryProblem, levels: Levels, group: Sequence[tuple[Person, Sequence[bool]]]) -> bool:
    """Whether the models admit persons with the same released history; one table, one sensitive column."""
    shown = [
        [(label_of(problem, levels, row), row.value) for row, stays in zip(person, own, strict=True) if stays]
        for person, own in group
    ]
    for model in problem.models:
        people = problem.histories.tables[0].people
        assert isinstance(model, SensitiveModel)
        for label in {label for own in shown for label, _ in own}:
            there: Counter[tuple[int, ...]] = Counter(
                (value,) for own in shown for other, value in own if other == label
            )
            if not model.admits(Group(rows=there.total(), facts=there), people):
                return False
        for value in {value for own in shown for _, value in own}:
            having = sum(any(other == value for _, other in own) for own in shown)
            if model.distinct_demand is not None:  # it counts different values: l - 1 persons have others
                most = float(len(shown) - model.distinct_demand[1] + 1)
            else:
                most = model.most_belief(value, people.columns[0]) * len(shown) + 1e-9
            if having > most:
                return False
    return True


def choices(problem: HistoryProblem, person: Person, *, single_rows: bool) -> list[tuple[bool, ...]]:
    """What may be kept of a person; a row that is all stars goes by itself where that is allowed."""
    if single_rows:
        return list(product((False, True), repeat=len(person)))
    return [(False,) * len(person), (True,) * len(person)]


def without_stars(
    problem: HistoryProblem, levels: Levels, persons: list[Person], kept: Sequence[Sequence[bool]]
) -> list[tuple[bool, ...]]:
    """The same without rows that are all stars, unless units are whole, or rows belong to them."""
    if problem.promise.whole_units:
        return [tuple(own) for own in kept]
    found = []
    for person, own in zip(persons, kept, strict=True):
        left = [
            stays and label_of(problem, levels, row) != STARS for row, stays in zip(person, own, strict=True)
        ]
        for place in reversed(range(len(person))):
            # A row that is released needs the one it belongs to.
            if left[place] and person[place].parent >= 0:
                left[person[place].parent] = True
        found.append(tuple(left))
    return found


def cost_of(
    problem: HistoryProblem, levels: Levels, persons: list[Person], kept: Sequence[Sequence[bool]]
) -> Fraction:
    """The mean over all cells of all tables; a suppressed row loses everything."""
    lost, cells = Fraction(0), 0
    for person, own in zip(persons, kept, strict=True):
        for row, stays in zip(person, own, strict=True):
            width = len(problem.histories.tables[row.table].domains)
            cells += width
            lost += loss_of(problem, levels, row) if stays else width
    return lost / cells


def best(problem: HistoryProblem, *, single_rows: bool) -> Fraction | None:
    """The least cost over all levels and all choices of what is suppressed; `None` if there is none."""
    persons, found = persons_of(problem), None
    limit = problem.most_suppressed
    for levels in all_levels(problem):
        for kept in product(*(choices(problem, person, single_rows=single_rows) for person in persons)):
            left = without_stars(problem, levels, persons, kept)
            if sum(not stays for own in left for stays in own) > limit:
                continue
            cost = cost_of(problem, levels, persons, left)
            if (found is None or cost < found) and holds(problem, levels, persons, left):
                found = cost
    return found


def best_of_groups(problem: HistoryProblem) -> Fraction | None:
    """The least cost over all levels, where persons with the same history go together or not at all."""
    persons, found = persons_of(problem), None
    for levels in all_levels(problem):
        whole = without_stars(problem, levels, persons, [(True,) * len(person) for person in persons])
        forms = [form(problem, levels, person, own) for person, own in zip(persons, whole, strict=True)]
        kept = []
        for one, own in zip(forms, whole, strict=True):
            group = [(p, o) for p, o, f in zip(persons, whole, forms, strict=True) if f == one]
            stays = bool(one) and len(group) >= problem.k and _admits(problem, levels, group)
            kept.append(own if stays else (False,) * len(own))
        if sum(not stays for own in kept for stays in own) <= problem.most_suppressed:
            cost = cost_of(problem, levels, persons, kept)
            found = cost if found is None else min(found, cost)
    return found
