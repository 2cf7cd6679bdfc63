"""Rows that a reader can link: what is promised of persons and households, by the plain definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.fuzz.cells import text_of
from tests.fuzz.seen import Seen
from tests.histories.definitions import Person, broken, constant_once, shared, whole_or_gone


def check_linked(found: Seen) -> Iterator[tuple[str, str]]:
    """Every released person hides among k, as was promised; the rows of a person fit together."""
    if found.linked is None:
        return
    place = found.columns.index(found.linked)
    if len(found.told) < len(found.pairs):
        yield "row-of-stars", f"{len(found.pairs) - len(found.told)} rows without a value are released"
    linked: dict[Any, list[Any]] = {}
    for row, _ in found.pairs:
        linked.setdefault(row[place], []).append(found.seen_of(row, found.quasi))
    persons: list[Person] = list(linked.values())
    request = found.instance.request
    known = request.get("known_events", "all") if request.get("household") is None else "all"
    least = shared(persons, None if known == "all" else known, ordered=request.get("order") != "shuffle")
    if few := broken(least, found.k):
        yield (
            "promise-broken",
            f"a person hides among {least[few[0]]}, and k is {found.k}; {known} events are known",
        )
    yield from _fit(found)


def _fit(found: Seen) -> Iterator[tuple[str, str]]:
    """Columns that are constant within persons stay so; no member of a household is missing."""
    before: dict[Any, list[Any]] = {}
    after: dict[Any, list[Any]] = {}
    for source in found.sources:
        who = source[found.linked]
        before.setdefault(who, []).append(_cells(source[name] for name in found.quasi))
        after.setdefault(who, [])
    for row, source in found.pairs:
        after[source[found.linked]].append(found.seen_of(row, found.quasi))
    if not constant_once(list(before.values()), list(after.values())):
        yield "constant-changes", "a column that is constant within persons has two labels of one"
    if "household" in found.instance.request and not whole_or_gone(
        list(before.values()), list(after.values())
    ):
        lost = Counter(len(before[who]) - len(rows) for who, rows in after.items() if rows)
        yield "household-torn", f"members are missing in released households: {dict(lost)}"


def _cells(cells: Any) -> tuple[str | None, ...]:
    return tuple(None if cell is None else text_of(cell) for cell in cells)
