"""An audit by hand: reads a CSV file with the standard library, and shares no line with Shoal.

`*` is a suppressed cell, an empty one is missing. A table is a list of rows, a row a dictionary of texts.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterator
from pathlib import Path

Row = dict[str, str]
Rows = list[Row]
C = 3


def read(path: Path) -> Rows:
    """The rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_suppressed(row: Row, quasi: list[str]) -> bool:
    """Whether a row tells nothing by its quasi-identifiers."""
    return all(row[name] == "*" for name in quasi)


def told(rows: Rows, quasi: list[str]) -> Rows:
    """The rows that are not suppressed."""
    return [row for row in rows if not is_suppressed(row, quasi)]


def partly_starred(rows: Rows, quasi: list[str]) -> list[tuple[int, str]]:
    """The suppressed cells of rows that are told, but for columns that are suppressed as a whole."""
    left = told(rows, quasi)
    whole = {name for name in quasi if all(row[name] == "*" for row in left)}
    return [
        (place, name)
        for place, row in enumerate(rows)
        for name in quasi
        if row[name] == "*" and name not in whole and not is_suppressed(row, quasi)
    ]


def alike(one: Row, two: Row, quasi: list[str]) -> bool:
    """Whether two rows agree wherever neither is suppressed."""
    return all("*" in (one[name], two[name]) or one[name] == two[name] for name in quasi)


def grouped(rows: Rows, quasi: list[str], reading: str) -> list[Rows]:
    """The groups of the rows that are told; with wildcards those of rows that read alike."""
    starred = {place for place, _ in partly_starred(rows, quasi)} if reading == "conservative" else set()
    groups: dict[tuple[object, ...], Rows] = {}
    for place, row in enumerate(rows):
        if not is_suppressed(row, quasi):
            key = tuple(row[name] for name in quasi)
            groups.setdefault((place,) if place in starred else key, []).append(row)
    return list(groups.values())


def hidden_among(rows: Rows, quasi: list[str], reading: str) -> dict[int, int]:
    """Per row that is told how many rows it hides among."""
    left = [(place, row) for place, row in enumerate(rows) if not is_suppressed(row, quasi)]
    if reading == "wildcard":
        return {place: sum(alike(row, other, quasi) for _, other in left) for place, row in left}
    sizes = {id(row): len(group) for group in grouped(rows, quasi, reading) for row in group}
    return {place: sizes[id(row)] for place, row in left}


def shares(rows: Rows, column: str) -> dict[str, float]:
    """How frequent each value is."""
    found: dict[str, float] = {}
    for row in rows:
        found[row[column]] = found.get(row[column], 0) + 1 / len(rows)
    return found


def counts(rows: Rows, column: str) -> list[int]:
    """How often values occur, in falling order."""
    values = [row[column] for row in rows]
    return sorted((values.count(value) for value in set(values)), reverse=True)


def distinct(group: Rows, _: Rows, column: str) -> float:
    return len({row[column] for row in group})


def entropy(group: Rows, _: Rows, column: str) -> float:
    return math.exp(-sum(share * math.log(share) for share in shares(group, column).values()))


def recursive(group: Rows, _: Rows, column: str) -> float:
    falling, diverse = counts(group, column), 1
    while diverse < len(falling) and falling[0] < C * sum(falling[diverse:]):
        diverse += 1
    return diverse


def equal_t(group: Rows, whole: Rows, column: str) -> float:
    own, all_ = shares(group, column), shares(whole, column)
    return sum(abs(own.get(value, 0) - share) for value, share in all_.items()) / 2


def ordered_t(group: Rows, whole: Rows, column: str) -> float:
    own, all_ = shares(group, column), shares(whole, column)
    values = sorted(all_, key=lambda value: (value == "", float(value or 0)))
    carried, moved = 0.0, 0.0
    for value in values[:-1]:
        carried += own.get(value, 0) - all_[value]
        moved += abs(carried)
    return moved / max(1, len(values) - 1)


def alpha(group: Rows, _: Rows, column: str) -> float:
    return max(shares(group, column).values())


def basic_beta(group: Rows, whole: Rows, column: str) -> float:
    all_ = shares(whole, column)
    return max(0.0, *(own / all_[value] - 1 for value, own in shares(group, column).items()))


def enhanced_beta(group: Rows, whole: Rows, column: str) -> float:
    all_ = shares(whole, column)
    for value, own in shares(group, column).items():
        gain = own / all_[value] - 1
        if gain > 1e-9 and gain > -math.log(all_[value]) * (1 + 1e-9):
            return math.inf
    return basic_beta(group, whole, column)


def delta(group: Rows, whole: Rows, column: str) -> float:
    own, all_ = shares(group, column), shares(whole, column)
    if own.keys() != all_.keys():
        return math.inf
    return max(abs(math.log(own[value] / share)) for value, share in all_.items())


SENSITIVE = {
    "distinct-l-diversity({})": (distinct, min),
    "entropy-l-diversity({})": (entropy, min),
    "recursive-l-diversity({}, c=3)": (recursive, min),
    "t-closeness({})": (equal_t, max),
    "p-sensitivity({})": (distinct, min),
    "alpha-k-anonymity({})": (alpha, max),
    "beta-likeness({})": (enhanced_beta, max),
    "beta-likeness({}, basic)": (basic_beta, max),
    "delta-disclosure({})": (delta, max),
}


def models(
    rows: Rows, quasi: list[str], column: str, reading: str, *, number: bool
) -> dict[str, float | None]:
    """Every model's value of a sensitive column: the worst of any group.

    Rows of nothing but `*` are a group if one of them still tells a value, and are left out else.
    """
    groups = grouped(rows, quasi, reading)
    stars = [row for row in rows if is_suppressed(row, quasi)]
    if any(row[column] for row in stars):
        groups.append(stars)
    whole = [row for group in groups for row in group]
    asked = dict(SENSITIVE)
    if number:
        asked["t-closeness({}, ordered)"] = (ordered_t, max)
    found: dict[str, float | None] = {}
    for name, (measure, worst) in asked.items():
        values = [measure(group, whole, column) for group in groups]
        value = worst(values) if values else None
        found[name.format(column)] = None if value == math.inf else value
    return found


def people(rows: Rows, quasi: list[str], reading: str, entity: str) -> float | None:
    """The fewest persons of a group; where every row reads `*`, everybody is in one."""
    if all(is_suppressed(row, quasi) for row in rows) and any(row[entity] for row in rows):
        return distinct(rows, [], entity)
    return min((distinct(group, [], entity) for group in grouped(rows, quasi, reading)), default=None)


def weights(rows: Rows, quasi: list[str], column: str) -> list[tuple[int, float]]:
    """Rows of each group, and the people that they stand for."""
    return [(len(group), sum(float(row[column]) for row in group)) for group in grouped(rows, quasi, "value")]


def fillings(rows: Rows, quasi: list[str]) -> Iterator[Rows]:
    """The table with its suppressed cells filled in, in every way that can matter.

    Each is one of the values of its column, or one that no row has.
    """
    places = partly_starred(rows, quasi)
    values = [
        [*sorted({row[name] for row in rows} - {"*"}), f"nobody's {number}"]
        for number, (_, name) in enumerate(places)
    ]
    for chosen in itertools.product(*values):
        filled = [dict(row) for row in rows]
        for (place, name), value in zip(places, chosen, strict=True):
            filled[place][name] = value
        yield filled
