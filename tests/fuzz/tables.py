"""Small random tables: columns from hostile pools, constant, unique or skewed, with missing cells."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.instance import ROW, Column
from tests.fuzz.values import POOLS, TAME, Pool, pool

PLAIN_NAMES = ["age", "zip", "sex", "town", "born", "size"]
HOSTILE_NAMES = [
    "a b",
    "x,y",
    'q"q',
    "[z]",
    "é",
    "select",
    "a.b",
    "0",
    "*",
    "row ",
    "ROW_",
    "key=value",
    "'",
    "😀",
    "a;b",
    "-x",
]


def names(generator: random.Random, count: int) -> list[str]:
    """Distinct names, most of them plain; never two that differ in case alone."""
    plain = generator.sample(PLAIN_NAMES, count)
    if generator.random() < 0.12:
        place = generator.randrange(count)
        plain[place] = generator.choice(HOSTILE_NAMES)
    return plain


def cells(generator: random.Random, values: list[Any], rows: int) -> tuple[Any, ...]:
    """Cells of a column: spread evenly, skewed or all alike, and some missing."""
    shape = generator.random()
    if shape < 0.08:
        drawn = [values[0]] * rows
    elif shape < 0.3:
        drawn = [values[min(int(generator.expovariate(1.2)), len(values) - 1)] for _ in range(rows)]
    else:
        drawn = [generator.choice(values) for _ in range(rows)]
    missing = generator.choice([0, 0, 0, 0.1, 0.3]) if generator.random() < 0.98 else 1
    return tuple(None if generator.random() < missing else cell for cell in drawn)


def column(generator: random.Random, name: str, rows: int, pools: list[tuple[Pool, int]]) -> Column:
    """A random column."""
    kind, values = pool(generator, pools)
    return Column(name, kind, cells(generator, values, rows))


def table(generator: random.Random) -> tuple[list[Column], dict[str, list[str]]]:
    """The columns of a random table, and their names by role."""
    rows = generator.randint(2, 14)
    tame = generator.random() < 0.5
    pools = TAME if tame else POOLS
    quasi = [
        column(generator, name, rows, pools)
        for name in names(generator, generator.choices([1, 2, 3, 4], [4, 8, 4, 1])[0])
    ]
    columns, roles = [*quasi], {"quasi": [each.name for each in quasi]}
    if generator.random() < 0.6:
        sensitive = [f"sick{number}" for number in range(generator.choice([1, 1, 1, 2]))]
        columns += [
            column(generator, name, rows, TAME if generator.random() < 0.8 else POOLS) for name in sensitive
        ]
        roles["sensitive"] = sensitive
    if generator.random() < 0.4:
        columns.append(column(generator, "kept", rows, POOLS))
        roles["other"] = ["kept"]
    if generator.random() < 0.3:
        columns.append(
            Column("person", "text", tuple(f"Zq7xp{generator.randrange(rows)}" for _ in range(rows)))
        )
        roles["person"] = ["person"]
    if generator.random() < 0.2:
        columns.append(Column("weight", "int", tuple(generator.randint(0, 9) for _ in range(rows))))
        roles["weight"] = ["weight"]
    generator.shuffle(columns)
    columns.append(Column(ROW, "int", tuple(range(1000, 1000 + rows))))
    return columns, roles
