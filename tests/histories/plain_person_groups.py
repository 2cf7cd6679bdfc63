"""The best groups of persons by trying all: the definition that the search is compared with.

A person is a tuple of rows, a row a tuple of codes. Every partition is tried, and for each group every way to
give each member one row per slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

from shoal.model.table.domain import Domain

Row = tuple[int, ...]
Person = tuple[Row, ...]


def cell_loss(domain: Domain, codes: set[int]) -> Fraction:
    """What a cell loses that is released as the least label over some codes, by NCP."""
    if len(codes) == 1:
        return Fraction(0)
    if domain.hierarchy.given:
        for parts, leaves in zip(domain.hierarchy.parts, domain.hierarchy.leaves, strict=True):
            if len({parts[code] for code in codes}) == 1:
                return Fraction(leaves[parts[min(codes)]] - 1, domain.hierarchy.total - 1)
    values = len(codes) if domain.kind == "category" else max(codes) - min(codes) + 1
    return Fraction(values - 1, len(domain) - 1)


def slot_loss(domains: Sequence[Domain], rows: Sequence[Row]) -> Fraction:
    """What one of the rows loses, in cells."""
    return sum((cell_loss(domain, {row[a] for row in rows}) for a, domain in enumerate(domains)), Fraction(0))


def choices(person: Person, slots: int, ordered: bool) -> Iterator[tuple[Row, ...]]:
    """The ways to put rows of a person into slots."""
    return iter(combinations(person, slots) if ordered else permutations(person, slots))


def best_partition(
    domains: Sequence[Domain],
    people: Sequence[tuple[Person, int]],
    k: int,
    *,
    ordered: bool,
    whole: bool,
    limit: int | None,
    all_stars: bool = False,
) -> Fraction | None:
    """The least cost, in cells; `None` if no partition suppresses so few rows.

    Parameters
    ----------
    people
        Distinct histories, with the number of persons.
    all_stars
        Whether a row that loses everything counts as suppressed.
    """
    columns = len(domains)

    @cache
    def of_group(members: tuple[int, ...]) -> dict[int, Fraction]:
        """Per number of suppressed rows the least cost of a group."""
        own = [people[m] for m in members]
        persons = sum(count for _, count in own)
        rows = sum(len(person) * count for person, count in own)
        found = {rows: Fraction(rows * columns)}
        if persons < k:
            return found
        for slots in range(1, min(len(person) for person, _ in own) + 1):
            if whole and any(len(person) != slots for person, _ in own):
                continue
            first = combinations(own[0][0], slots)
            others = [list(choices(person, slots, ordered)) for person, _ in own[1:]]
            for chosen in product(first, *others):
                losses = [slot_loss(domains, rows) for rows in zip(*chosen, strict=True)]
                kept = sum(not (all_stars and loss == columns) for loss in losses)
                if kept == 0 or (whole and kept < slots):
                    continue
                gone = rows - kept * persons
                cost = persons * sum(losses, Fraction(0)) + (rows - slots * persons) * columns
                found[gone] = min(cost, found.get(gone, cost))
        return found

    best: Fraction | None = None
    for partition in partitions(list(range(len(people)))):
        sums = {0: Fraction(0)}
        for group in partition:
            sums = _added(sums, of_group(tuple(group)))
        costs = [cost for gone, cost in sums.items() if limit is None or gone <= limit]
        if costs and (best is None or min(costs) < best):
            best = min(costs)
    return best


def _added(one: dict[int, Fraction], two: dict[int, Fraction]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for (x, cost), (y, more) in product(one.items(), two.items()):
        found[x + y] = min(cost + more, found.get(x + y, cost + more))
    return found


def partitions(some: list[int]) -> Iterator[list[list[int]]]:
    """All partitions of a list."""
    if not some:
        yield []
        return
    for rest in partitions(some[1:]):
        yield [[some[0]], *rest]
        for i in range(len(rest)):
            yield [*rest[:i], [some[0], *rest[i]], *rest[i + 1 :]]


def fewest_rows(people: Sequence[tuple[int, int]], k: int, *, whole: bool) -> int:
    """The fewest rows that go if persons with so many rows are grouped in any way; copies may be parted."""
    lengths = [length for length, count in people for _ in range(count)]
    cost: Callable[[list[int]], int] = lambda group: (  # noqa: E731
        sum(group) - len(group) * min(group)
        if len(group) >= k and not (whole and len(set(group)) > 1)
        else sum(group)
    )
    return min(
        sum(cost([lengths[i] for i in group]) for group in partition)
        for partition in partitions(list(range(len(lengths))))
    )
