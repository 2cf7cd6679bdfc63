"""Every way to recode a column, where the documents settle it: all sets of cuts, or all levels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.fuzz.cells import moment, text_of
from tests.fuzz.instance import Instance
from tests.fuzz.losses import OF_CELLS, Part

PLAIN_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
MOST_RECODINGS = 700
"""More are not looked at: a try takes milliseconds."""


@dataclass(frozen=True)
class Choice:
    """One way to recode a column: the part of each place of its domain, and the level if it is one."""

    parts: tuple[Part, ...]
    of_value: tuple[int, ...]
    level: int = 0
    height: int = 0


Column = tuple[list[int], list[Choice]]
"""The place of each row's value in the domain, and the ways to recode it."""


def cuts_of(instance: Instance, name: str, rows: Sequence[dict[str, Any]]) -> Column | None:
    """Every set of cuts of a column without a hierarchy."""
    request, cells = instance.request, [row[name] for row in rows]
    if name in request.get("hierarchies", {}):
        return None
    present = list(dict.fromkeys(cell for cell in cells if cell is not None))
    stated = request.get("orders", {}).get(name)
    texts = [text_of(cell) for cell in present]
    whole = all(PLAIN_NUMBER.fullmatch(text) and len(text) < 15 for text in texts) and bool(texts)
    if whole and len({Fraction(text) for text in texts}) < len(texts):
        return None  # one number in two ways
    if not whole and (
        any(PLAIN_NUMBER.fullmatch(text) or moment(text) is not None for text in texts) or not texts
    ):
        return None
    if any(
        isinstance(cell, bool | float) or text.lower() in ("nan", "true", "false")
        for cell, text in zip(present, texts, strict=True)
    ):
        return None
    if not whole and stated in (None, "auto", "data", "recognised") and len(texts) > 2:
        return None  # an order that Shoal finds is no business of this reader; two values need none
    order = (
        [each for each in stated if each in texts]
        if isinstance(stated, list)
        else sorted(texts, key=Fraction if whole else str)
    )
    domain: list[str | None] = [*order, *([None] if None in cells else [])]
    if 2 ** (len(domain) - 1) > MOST_RECODINGS:
        return None
    places = [domain.index(None if cell is None else text_of(cell)) for cell in cells]
    numbers = [Fraction(text) for text in order] if whole else None
    intervals = {
        (first, last): _interval(domain, numbers, first, last)
        for last in range(len(domain))
        for first in range(last + 1)
    }
    choices = []
    for cut in itertools.product((False, True), repeat=len(domain) - 1):
        ends = [0, *(place + 1 for place, there in enumerate(cut) if there), len(domain)]
        spans = [(first, end - 1) for first, end in itertools.pairwise(ends)]
        of_value = tuple(place for place, (first, last) in enumerate(spans) for _ in range(first, last + 1))
        choices.append(Choice(tuple(intervals[span] for span in spans), of_value))
    return places, choices


def _interval(
    domain: Sequence[str | None], numbers: Sequence[Fraction] | None, first: int, last: int
) -> Part:
    members = tuple(range(first, last + 1))
    share = (last - first) / max(1, len(domain) - 1)
    if numbers is None or first == last:
        return Part(members, share, share)
    if domain[last] is None:
        return Part(members, 1.0, share)
    return Part(members, float((numbers[last] - numbers[first]) / (numbers[-1] - numbers[0])), share)


def levels_of(instance: Instance, name: str, rows: Sequence[dict[str, Any]], cost: str) -> Column | None:
    """Every level of a hierarchy that the policy gives as rows of labels."""
    made = instance.request.get("hierarchies", {}).get(name)
    cells = [row[name] for row in rows]
    if not made or isinstance(made, dict) or len({label for *_, label in made}) > 1:
        return None
    leaves = [row[0] for row in made]
    if None in cells and cost in OF_CELLS:
        return None  # what a missing value adds to a domain of leaves is not said
    if any(PLAIN_NUMBER.fullmatch(leaf) or moment(leaf) is not None for leaf in leaves) and not all(
        map(str.isdigit, leaves)
    ):
        return None
    domain: list[str | None] = [*leaves, *([None] if None in cells else [])]
    try:
        places = [domain.index(None if cell is None else text_of(cell)) for cell in cells]
    except ValueError:
        return None
    if None in cells and len(made[0]) == 1:  # a single value is no top for a missing one
        made = [[*row, "*"] for row in made]
    height = len(made[0]) - 1
    least, most = instance.request.get("levels", {}).get(name, (0, None))
    choices = []
    for level in range(least, (height if most is None else most) + 1):
        if level > height:
            return None
        choices.append(_level(made, domain, level, height))
    return places, choices


def _level(made: Sequence[Sequence[str]], domain: Sequence[str | None], level: int, height: int) -> Choice:
    below: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(made):
        # Labels are told apart by what is above them, too: two branches may use one word.
        below.setdefault(tuple(row[level:]), []).append(place)
    if None in domain:
        below.setdefault(tuple(made[0][level:]) if level == height else ("\0missing",), []).append(
            len(domain) - 1
        )
    parts, of_value = [], [0] * len(domain)
    for number, members in enumerate(below.values()):
        share = (len(members) - 1) / max(1, len(made) - 1)
        least = _least_level(made, members, level) if None not in domain else level
        parts.append(Part(tuple(members), share, share, least / max(1, height)))
        for member in members:
            of_value[member] = number
    return Choice(tuple(parts), tuple(of_value), level, height)


def _least_level(made: Sequence[Sequence[str]], members: Sequence[int], level: int) -> int:
    """The least level on which the same label stands for the same leaves."""
    label = made[members[0]][level]
    for lower in range(level):
        if [place for place, row in enumerate(made) if row[lower] == label] == list(members):
            return lower
    return level
