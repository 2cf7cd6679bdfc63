"""The least general loss that keeps a promise, by trying everything; for tables of a few persons.

Row by row in two ways. `of_groups` tries all partitions of the persons into groups, and in each group all
alignments of rows: for the whole-history promise. `of_cells` tries every label for every cell: for every
promise, and much slower. `of_levels` tries all levels of the columns: equal values are released alike.

Every row that is not released loses 1 per cell, and so does a row whose cells are all suppressed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Literal

from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.histories.definitions import SUPPRESSED, constant_once, keeps, visible

Coded = Sequence[Sequence[int]]
"""For each person the distinct rows of a frequency table."""
Values = Literal["nodes", "spans"]
"""What some values are released as: the least node over them, or the least interval or the set of them."""
Price = tuple[int, Fraction]
"""How many rows are suppressed, and what all cells lose together."""


def cell(domain: Domain, codes: Sequence[int], values: Values = "nodes") -> tuple[bool, Fraction]:
    """Whether the least label over some values is a suppressed cell, and its general loss."""
    distinct = sorted(set(codes))
    if len(distinct) == 1:
        return False, Fraction(0)
    if values == "spans":
        present = len(domain) - domain.has_missing
        if domain.kind == "category" or distinct[-1] >= present:
            return False, domain.span_loss(distinct)
        return False, domain.loss(distinct[0], distinct[-1])
    tree = domain.hierarchy
    level = next(
        level for level in range(tree.height + 1) if len({tree.parts[level][code] for code in distinct}) == 1
    )
    return level == tree.height, domain.part_losses(level)[tree.parts[level][distinct[0]]]


def of_groups(
    table: FrequencyTable,
    persons: Coded,
    k: int,
    *,
    ordered: bool,
    limit: int | None = None,
    whole: bool = False,
    values: Values = "nodes",
) -> Fraction | None:
    """The least general loss of a row-by-row release where k persons share every history.

    Parameters
    ----------
    table, persons
        The distinct rows, and whose they are.
    k
        How many persons share a history.
    ordered
        Whether histories are sequences, so that rows are aligned in their order.
    limit
        Most rows that may be suppressed; `None` for any number.
    whole
        Whether a person is released with all rows or not at all, as a household is.
    values
        What values are released as.

    Returns
    -------
    The mean over all cells; `None` if there is no such release within the limit.
    """
    columns = len(table.domains)
    codes = [tuple(row) for row in table.codes.tolist()]

    @cache
    def released(rows: tuple[int, ...]) -> tuple[bool, Fraction]:
        """Whether rows of one place have suppressed cells alone, and what the cells of one of them lose."""
        cells = [
            cell(domain, [codes[row][column] for row in rows], values)
            for column, domain in enumerate(table.domains)
        ]
        return all(hidden for hidden, _ in cells), sum((loss for _, loss in cells), Fraction(0))

    @cache
    def prices(group: tuple[int, ...]) -> tuple[Price, ...]:
        """The prices of a group's releases, each number of suppressed rows with its least loss."""
        rows = [tuple(persons[person]) for person in group]
        total = sum(map(len, rows))
        found: dict[int, Fraction] = {total: Fraction(total * columns)}
        for length in range(1, min(map(len, rows)) + 1) if len(group) >= k else ():
            if whole and any(len(own) != length for own in rows):
                continue
            # Without an order the first person's choice may be in any: the others are aligned with it.
            choices = [
                list(combinations(own, length) if ordered or not place else permutations(own, length))
                for place, own in enumerate(rows)
            ]
            for chosen in product(*choices):
                places = [released(tuple(sorted(place))) for place in zip(*chosen, strict=True)]
                hidden = sum(is_hidden for is_hidden, _ in places)
                if whole and hidden:
                    continue
                suppressed = total - (length - hidden) * len(group)
                loss = sum((loss for is_hidden, loss in places if not is_hidden), Fraction(0)) * len(group)
                loss += suppressed * columns
                found[suppressed] = min(loss, found.get(suppressed, loss))
        return tuple(found.items())

    best: dict[int, Fraction] = {}
    for groups in partitions(tuple(range(len(persons)))):
        sums: dict[int, Fraction] = {0: Fraction(0)}
        for group in groups:
            joined: dict[int, Fraction] = {}
            for before, cost in sums.items():
                for more, loss in prices(group):
                    old = joined.get(before + more)
                    joined[before + more] = cost + loss if old is None else min(old, cost + loss)
            sums = joined
        for number, cost in sums.items():
            best[number] = min(cost, best.get(number, cost))
    allowed = [cost for number, cost in best.items() if limit is None or number <= limit]
    return min(allowed) / (sum(map(len, persons)) * columns) if allowed else None


def partitions(persons: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """All partitions of persons into groups."""
    if not persons:
        yield []
        return
    first, *rest = persons
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = tuple(person for person in rest if person not in others)
            for groups in partitions(left):
                yield [(first, *others), *groups]


Form = tuple[tuple[object, Fraction], ...] | None
"""A row as it is released, each label with what it loses; `None` if it is not."""


def of_cells(
    table: FrequencyTable,
    persons: Coded,
    k: int,
    known: int | None,
    *,
    ordered: bool,
    limit: int | None = None,
    once: bool = False,
) -> Fraction | None:
    """The least general loss of any release whose cells are nodes of the hierarchies; (b) or (c).

    Parameters
    ----------
    table, persons, k, ordered, limit
        As in `of_groups`.
    known
        How many events are known; `None` for the whole history.
    once
        Whether a column that never changes within a person has one label in all rows of a person.
    """
    domains = table.domains
    source = [[tuple(table.codes[row].tolist()) for row in person] for person in persons]
    flat = [row for person in source for row in person]

    def forms(row: tuple[int, ...]) -> list[Form]:
        """The row with each cell on each level, or suppressed."""
        ways = product(*(_nodes(domain, code) for domain, code in zip(domains, row, strict=True)))
        return [None, *(way for way in ways if any(label != SUPPRESSED for label, _ in way))]

    def loss_of(form: Form) -> Fraction:
        return Fraction(len(domains)) if form is None else sum((loss for _, loss in form), Fraction(0))

    best: Fraction | None = None
    for chosen in product(*(forms(row) for row in flat)):
        if limit is not None and sum(form is None for form in chosen) > limit:
            continue
        loss = sum(map(loss_of, chosen), Fraction(0))
        if best is not None and loss >= best:
            continue
        rest = iter(chosen)
        released = [
            [tuple(label for label, _ in form) for _ in person if (form := next(rest)) is not None]
            for person in source
        ]
        if keeps(released, k, known, ordered=ordered) and (not once or constant_once(source, released)):
            best = loss
    return None if best is None else best / (len(flat) * len(domains))


def _nodes(domain: Domain, code: int) -> list[tuple[object, Fraction]]:
    """The labels of a code, each a set of codes or the suppressed cell, with what it loses."""
    tree = domain.hierarchy
    found: dict[object, Fraction] = {}
    for level in range(tree.height + 1):
        part = tree.parts[level][code]
        label: object = SUPPRESSED if level == tree.height > 0 else tree.members(level)[part]
        loss = domain.part_losses(level)[part]
        found[label] = min(loss, found.get(label, loss))
    return list(found.items())


def of_levels(
    table: FrequencyTable,
    persons: Coded,
    k: int,
    known: int | None,
    *,
    ordered: bool,
    limit: int | None = None,
    single_rows: bool = False,
) -> tuple[Fraction, tuple[int, ...]] | None:
    """The least general loss over all levels and all choices of suppressed persons, and the levels.

    Parameters
    ----------
    table, persons, k, known, ordered, limit
        As in `of_cells`.
    single_rows
        Whether a person may lose some rows and keep others.

    Returns
    -------
    The loss and the levels that come first of those that reach it; `None` if the limit allows none.
    """
    domains = table.domains
    rows = sum(map(len, persons))
    best: tuple[Fraction, tuple[int, ...]] | None = None
    for levels in product(*(range(domain.hierarchy.height + 1) for domain in domains)):
        nodes = [
            [_at(domain, code, level) for domain, code, level in zip(domains, codes, levels, strict=True)]
            for codes in table.codes.tolist()
        ]
        labels = [tuple(label for label, _ in row) for row in nodes]
        hidden = [all(label == SUPPRESSED for label in row) for row in labels]
        losses = [sum((loss for _, loss in row), Fraction(0)) for row in nodes]
        for kept in product(*(_kept(person, single_rows=single_rows) for person in persons)):
            released = visible([[labels[row] for row in person] for person in kept])
            left = sum(map(len, released))
            if limit is not None and rows - left > limit:
                continue
            loss = sum((losses[row] for person in kept for row in person if not hidden[row]), Fraction(0))
            mean = (loss + (rows - left) * len(domains)) / (rows * len(domains))
            if (best is None or (mean, levels) < best) and keeps(released, k, known, ordered=ordered):
                best = mean, levels
    return best


def _at(domain: Domain, code: int, level: int) -> tuple[object, Fraction]:
    tree = domain.hierarchy
    part = tree.parts[level][code]
    top = level == tree.height > 0
    return SUPPRESSED if top else tree.members(level)[part], domain.part_losses(level)[part]


def _kept(person: Sequence[int], *, single_rows: bool) -> list[tuple[int, ...]]:
    """What can be left of a person's rows."""
    if not single_rows:
        return [(), tuple(person)]
    return [rows for size in range(len(person) + 1) for rows in combinations(person, size)]
