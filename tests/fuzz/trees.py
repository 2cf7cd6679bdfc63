"""Random hierarchies: rows of labels, balanced or not, some with labels that read like released values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.fuzz.cells import text_of
from tests.fuzz.instance import Column

LABELS = ["low", "high", "[1, 2]", "{a, b}", "*x", "é", "a b", "A;B", '"q"', "missing", "-", "1-9", "North"]


def hierarchy(generator: random.Random, column: Column) -> list[list[str]] | dict[str, Any] | None:
    """Rows of labels for the column's values, or the keys of a recipe, or nothing if it has no value."""
    values = list(dict.fromkeys(text_of(cell) for cell in column.cells if cell is not None))
    values = [value for value in values if value != ""]
    if not values:
        return None
    if generator.random() < 0.35:
        return recipe(generator, column, values)
    if generator.random() < 0.3:
        values += (
            [f"unseen{place}" for place in range(generator.randint(1, 2))] if column.kind == "text" else []
        )
    if column.kind not in ("int", "float", "decimal", "date", "timestamp") and generator.random() < 0.7:
        generator.shuffle(values)
    return tree(generator, values)


def tree(generator: random.Random, values: Sequence[str]) -> list[list[str]]:
    """Labels that join neighbours level by level; a short branch repeats its label."""
    levels = [list(values)]
    for _ in range(generator.randint(0, 3)):
        below = levels[-1]
        names = list(dict.fromkeys(below))
        if len(names) == 1:
            break
        joined: dict[str, str] = {}
        for name in names:
            if joined and generator.random() < 0.5:
                joined[name] = joined[list(joined)[-1]]
            elif generator.random() < 0.3:
                joined[name] = name
            else:
                joined[name] = f"{generator.choice(LABELS)}{len(levels)}{len(joined)}"
        levels.append([joined[label] for label in below])
    if len(set(levels[-1])) > 1 or generator.random() < 0.5:
        levels.append([generator.choice(["*", "*", "*", "all"])] * len(values))
    return [list(row) for row in zip(*levels, strict=True)]


def recipe(generator: random.Random, column: Column, values: Sequence[str]) -> dict[str, Any]:
    """How to build a hierarchy from values of this kind."""
    choices: list[dict[str, Any]] = [
        {},
        {"fan_out": generator.choice([2, 3])},
        {"keep": True},
        {"fan_outs": [2, 2]},
    ]
    if column.kind in ("int", "float", "decimal"):
        width = generator.choice([1, 2, 5, 0.5])
        choices += [
            {"widths": [width]},
            {"widths": [width, width * 4]},
            {"widths": [width], "bottom": 0, "top": 50},
        ]
    if column.kind in ("date", "timestamp"):
        choices += [
            {"steps": steps}
            for steps in (["month", "year"], ["week"], ["quarter", "decade"], ["day", "century"])
        ]
    if column.kind in ("text", "category"):
        choices += [{"prefixes": [2, 1]}, {"prefixes": [-1, -2]}]
        half = len(values) // 2
        groups = {"N": list(values[:half]), "S": list(values[half:])} if half else {"N": list(values)}
        choices.append({"groups": groups})
    chosen = generator.choice(choices)
    if chosen and generator.random() < 0.2:
        chosen["suppressed"] = generator.random() < 0.5
    return chosen
