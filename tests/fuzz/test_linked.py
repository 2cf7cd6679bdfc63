"""The judge of linked rows: it sees each way in which a promise about persons can be broken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fuzz.doors import Outcome
from tests.fuzz.instance import Column, Instance
from tests.fuzz.linked import check_linked
from tests.fuzz.seen import Seen, seen

FOUR = ("a", "b", "c", "d")
STAYS = Instance(
    columns=(
        Column("person", "text", (*FOUR, *FOUR)),
        Column("sex", "text", ("f", "f", "m", "m", "f", "f", "m", "m")),
        Column("year", "int", (1, 1, 1, 1, 2, 2, 3, 3)),
        Column("row", "int", tuple(range(1000, 1008))),
    ),
    request={"quasi_identifiers": ["sex", "year"], "k": 2, "entity": "person", "linkable": True},
    door="pandas",
)
RELEASED = [
    *(("p1", "f", "1", 1000), ("p2", "f", "1", 1001), ("p3", "m", "1", 1002), ("p4", "m", "1", 1003)),
    *(("p1", "f", "2", 1004), ("p2", "f", "2", 1005), ("p3", "m", "3", 1006), ("p4", "m", "3", 1007)),
]
HOUSEHOLD: dict[str, Any] = {"entity": None, "linkable": None, "household": "person"}


def without(*places: int) -> list[tuple[Any, ...]]:
    return [row for place, row in enumerate(RELEASED) if place not in places]


def swapped(**cells: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [cells.get(f"r{place}", row) for place, row in enumerate(RELEASED)]


@pytest.mark.parametrize(
    ("rows", "changed", "codes"),
    [
        (RELEASED, {}, set()),
        (without(7), {}, {"promise-broken"}),
        (without(7), {"known_events": 3}, {"promise-broken"}),
        (without(4, 5), {}, set()),
        (without(4, 5), HOUSEHOLD, {"household-torn"}),
        (without(0, 4, 1, 5), HOUSEHOLD, set()),
        (without(4), {"known_events": 1, "k": 1}, set()),
        (swapped(r0=("p1", "*", "1", 1000), r1=("p2", "*", "1", 1001)), {}, {"constant-changes"}),
        (
            swapped(r6=("p3", "*", "*", 1006), r7=("p4", "*", "*", 1007)),
            {},
            {"row-of-stars", "constant-changes"},
        ),
        (swapped(r7=("p4", "m", "2", 1007)), {"known_events": 1}, {"promise-broken"}),
    ],
)
def test_the_judge_sees_broken_promises(
    rows: list[tuple[Any, ...]], changed: dict[str, Any], codes: set[str]
) -> None:
    """A missing event, a missing member, a label that changes and a row of stars are each seen."""
    outcome = Outcome(columns=["person", "sex", "year", "row"], rows=rows, manifest={})
    found = seen(STAYS.asking(**changed), outcome)
    assert isinstance(found, Seen)
    assert {code for code, _ in check_linked(found)} == codes


def test_an_order_that_is_known_separates_persons() -> None:
    """Persons with the same rows in another order hide each other only where rows are shuffled."""
    years = replace(STAYS.columns[2], cells=(1, 2, 1, 1, 2, 1, 3, 3))
    made = replace(STAYS, columns=(*STAYS.columns[:2], years, STAYS.columns[3]))
    rows = swapped(r1=("p2", "f", "2", 1001), r5=("p2", "f", "1", 1005))
    outcome = Outcome(columns=["person", "sex", "year", "row"], rows=rows, manifest={})
    for order, codes in (("keep", {"promise-broken"}), ("shuffle", set[str]())):
        found = seen(made.asking(order=order), outcome)
        assert isinstance(found, Seen)
        assert {code for code, _ in check_linked(found)} == codes
