"""Random requests over a random table: models, costs, limits, searches with their options, roles and doors.

Most requests fit their search; one in ten does not, to hear how it is refused.
"""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.extras import with_extras
from tests.fuzz.instance import Column, Instance
from tests.fuzz.people import is_of_people, people_instance
from tests.fuzz.tables import HOSTILE_NAMES, table
from tests.fuzz.trees import hierarchy

OVER_CUTS = ["discernibility", "classification", "general-loss", "ncp", "entropy"]
SHARES = ["general-loss", "ncp", "precision"]
MEANS = [*SHARES, "entropy"]
HEIGHTS = ["height", "relative-height"]
OVER_LEVELS = [
    *OVER_CUTS,
    "precision",
    *HEIGHTS,
    "groups",
    "average-group-size",
    "suppressed-rows",
    "suppressed-cells",
]
CELLS = ["suppressed-cells", *SHARES]
COSTS: dict[str, list[str]] = {
    "auto": OVER_LEVELS, "exact": OVER_CUTS, "k-optimize": OVER_CUTS, "hill-climb": OVER_CUTS,
    "exhaustive": OVER_CUTS, "subtree": [*OVER_CUTS, "precision"], "genetic": OVER_CUTS,
    "anneal": OVER_CUTS, "tds": OVER_CUTS, "bug": OVER_CUTS, "lattice": OVER_LEVELS,
    "incognito": OVER_LEVELS, "samarati": OVER_LEVELS, "mingen": ["precision"], "ola": OVER_LEVELS,
    "flash": OVER_LEVELS, "datafly": OVER_LEVELS, "local": [*MEANS, "discernibility", "suppressed-cells"],
    "k-member": ["ncp", "general-loss", "discernibility"],
    "mondrian": ["ncp", "general-loss", "discernibility", "entropy"], "cells": CELLS, "forest": CELLS,
    "meyerson-williams": CELLS, "matching": CELLS, "levels-and-cells": [*MEANS, "suppressed-cells"],
    "mu-argus": [*MEANS, "discernibility", "suppressed-cells"],
    "suppress-columns": [*MEANS, "suppressed-cells"],
    "suppress-rows": ["suppressed-rows", "discernibility", "ncp"], "microaggregate": ["sse"],
}  # fmt: skip
OFTEN = {
    "lattice": 6,
    "exact": 5,
    "auto": 4,
    "k-optimize": 2,
    "subtree": 3,
    "local": 3,
    "mondrian": 3,
    "datafly": 2,
}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "samarati": [
        {"all_minimal": True},
        {"preference": "minimum-suppression"},
        {"preference": "maximum-distribution"},
    ],
    "mingen": [{"cells": True}, {"preference": "minimum-relative-distance"}],
    "genetic": [{"members": 4}, {"members": 10}],
    "mu-argus": [{"combinations": "all"}, {"combinations": "program"}],
    "local": [{"values": "sets"}, {"values": "hierarchy"}, {"values": "given"}],
    "k-member": [{"values": "sets"}, {"values": "hierarchy"}],
    "mondrian": [{"values": "sets"}, {"values": "intervals"}],
    "forest": [{"values": "hierarchy"}],
    "meyerson-williams": [{"cover": "subsets"}],
    "levels-and-cells": [{"reading": "wildcard"}],
    "microaggregate": [{"method": "v-mdav"}, {"method": "optimal"}, {"method": "v-mdav", "gamma": 1.1}],
}
KNOW_K_ALONE = {"cells", "forest", "meyerson-williams", "matching", "k-member", "microaggregate"}
LIMITED = {"genetic": 200, "anneal": 400}
"""Searches that go on for long on a small table, and the nodes after which they are stopped."""
CLIMBS = {
    *("lattice", "incognito", "samarati", "mingen", "ola", "flash", "datafly", "auto"),
    "levels-and-cells",
}
HARDENED = {"local", "mondrian", "k-member", "exact", "lattice"}
"""Searches whose releases are hardened now and then; of those over cuts and levels nothing changes."""
DOORS = {
    "pandas": 20, "polars": 14, "arrow": 14, "csv": 22, "parquet": 12, "duckdb": 4, "policy": 8,
    "command": 6, "command-policy": 5, "compare": 25,
}  # fmt: skip
THEN = {
    "audit": 3,
    "audit-original": 3,
    "again": 4,
    "sql": 2,
    "explain": 1,
    "risk": 1,
    "report": 1,
    "front": 1,
}


def instance(seed: int) -> Instance:
    """The try that a seed stands for."""
    return people_instance(seed) if is_of_people(seed) else _row_instance(seed)


def _row_instance(seed: int) -> Instance:
    generator = random.Random(seed)
    columns, roles = table(generator)
    rows = len(columns[0].cells)
    k = generator.choice([1, 2, 2, 2, 3, 3, 4, generator.randint(1, rows + 1)])
    request: dict[str, Any] = {
        "quasi_identifiers": roles["quasi"],
        "k": min(k, rows) if generator.random() < 0.98 else k,
    }
    algorithm = generator.choices(list(COSTS), [OFTEN.get(name, 1) for name in COSTS])[0]
    request["algorithm"] = algorithm
    _roles(generator, request, roles)
    door = _door(generator)
    # Brute force measures searches over hierarchies that the policy gives, or over columns without.
    given = generator.choice([None, None, 0, 1]) if door == "compare" or generator.random() < 0.4 else None
    _shapes(generator, request, columns, algorithm, given)
    _cost(generator, request, columns, algorithm)
    if algorithm not in KNOW_K_ALONE or generator.random() < 0.05:
        _models(generator, request, columns)
    _search(generator, request, algorithm)
    request["suppression"] = generator.choice([0, 0, 1, 2, "10%", "33.4%", "100%", "unlimited", "unlimited"])
    if generator.random() < 0.3:
        request["suppressed"] = "mask"
    made = Instance(tuple(columns), request, _fitting(door, request, columns), _then(generator))
    return with_extras(made, seed)


def _roles(generator: random.Random, request: dict[str, Any], roles: dict[str, list[str]]) -> None:
    if "sensitive" in roles:
        request["sensitive"] = roles["sensitive"]
    if "person" in roles:
        if generator.random() < 0.6:
            request["entity"] = "person"
        if generator.random() < 0.5:
            request["identifiers"] = ["person"]
    if "weight" in roles and generator.random() < 0.8 and "entity" not in request:
        request["survey_weight"] = "weight"
    if "other" in roles and generator.random() < 0.4:
        request["class_attribute"] = "kept"


def _shapes(
    generator: random.Random,
    request: dict[str, Any],
    columns: list[Column],
    algorithm: str,
    given: float | None,
) -> None:
    """Types, bins, orders, hierarchies (of no column, of every, or of some), levels, sets."""
    types: dict[str, str] = {}
    bins: dict[str, float] = {}
    orders: dict[str, list[Any] | str] = {}
    hierarchies: dict[str, Any] = {}
    levels: dict[str, tuple[int, int | None]] = {}
    climbs = algorithm in CLIMBS
    for column in columns:
        if column.name not in request["quasi_identifiers"]:
            continue
        numeric = column.kind in ("int", "float", "decimal")
        shape = generator.random()
        if given == 0 and shape < 0.6:
            continue
        if shape < (0.35 if given is None else given):
            made = hierarchy(generator, column)
            if made is not None:
                hierarchies[column.name] = made
                if climbs and generator.random() < 0.2:
                    levels[column.name] = (generator.choice([0, 0, 1]), generator.choice([None, 1, 2]))
        elif shape < 0.45 and numeric:
            bins[column.name] = generator.choice([1, 5, 10, 0.5, 0.3, 1000])
        elif shape < 0.55:
            values = list(dict.fromkeys(cell for cell in column.cells if cell not in (None, "")))
            if all(isinstance(value, str) for value in values) and values:
                generator.shuffle(values)
                orders[column.name] = values
        elif shape < 0.6:
            types[column.name] = "category"
        elif shape < 0.9 and column.kind == "text":
            # Mostly sorted, so that the plain enumeration knows the order.
            orders[column.name] = "sorted" if shape < 0.8 else "recognised"
    shapes = {"types": types, "bins": bins, "orders": orders, "hierarchies": hierarchies, "levels": levels}
    request |= {name: stated for name, stated in shapes.items() if stated}
    quasi = request["quasi_identifiers"]
    if algorithm == "datafly" and len(quasi) > 1 and generator.random() < 0.5:
        request["sets"] = [quasi[:1], quasi[1:]] if generator.random() < 0.6 else [quasi[:2], quasi[1:]]


def _cost(generator: random.Random, request: dict[str, Any], columns: list[Column], algorithm: str) -> None:
    if generator.random() < 0.03:
        request["recoding_model"] = generator.choice(["AG_TS", "AG_CS", "AG_", "CG_", "_TS", "_AS", "_CS"])
        request["algorithm"] = "auto"
        return
    cost = generator.choice(COSTS[algorithm] if generator.random() < 0.95 else OVER_LEVELS)
    if cost == "classification" or algorithm in ("tds", "bug"):
        if "class_attribute" not in request:
            free = [each.name for each in columns if each.name in ("kept", "sick0")]
            if free and free[0] not in request.get("sensitive", ()):
                request["class_attribute"] = free[0]
        if "class_attribute" not in request and cost == "classification":
            cost = generator.choice([each for each in COSTS[algorithm] if each != cost] or [cost])
    request["cost"] = cost
    if cost in (*MEANS, "suppressed-cells") and generator.random() < 0.25:
        request["weights"] = {
            name: generator.choice([1, 2, 3, 0.5, 10]) for name in request["quasi_identifiers"]
        }


def _models(generator: random.Random, request: dict[str, Any], columns: list[Column]) -> None:
    models: list[dict[str, Any]] = []
    sensitive = request.get("sensitive", [])
    if sensitive and generator.random() < 0.5:
        attribute = generator.choice(sensitive)
        values = [
            str(cell)
            for cell in next(each for each in columns if each.name == attribute).cells
            if cell not in (None, "")
        ]
        made: dict[str, Any] = generator.choice(
            [
                {"name": "distinct-l-diversity", "l": generator.choice([1, 2, 2, 3])},
                {"name": "entropy-l-diversity", "l": generator.choice([1, 1.5, 2, 2.5])},
                {
                    "name": "recursive-l-diversity",
                    "c": generator.choice([0.5, 1, 2, 3]),
                    "l": generator.choice([2, 2, 3]),
                },
                {"name": "p-sensitivity", "p": generator.choice([1, 2])},
                {"name": "alpha-k-anonymity", "alpha": generator.choice([0.3, 0.5, 0.7, 1])},
                {"name": "t-closeness", "t": generator.choice([0.1, 0.3, 0.5, 0.375])},
                {"name": "t-closeness", "t": generator.choice([0.1, 0.3, 0.5]), "ground": "ordered"},
                {
                    "name": "beta-likeness",
                    "beta": generator.choice([0, 0.5, 1, 3]),
                    "enhanced": generator.random() < 0.5,
                },
                {"name": "delta-disclosure", "delta": generator.choice([0.3, 0.7, 1.5])},
            ]
        )
        made["attribute"] = attribute
        if made["name"] == "alpha-k-anonymity" and values and generator.random() < 0.3:
            made["values"] = [generator.choice(values)]
        if len(sensitive) > 1 and generator.random() < 0.3:
            made["joint"] = True
        models.append(made)
    if "survey_weight" in request and generator.random() < 0.8:
        least = generator.choice([0.0, 0.0, 0.1])
        models.append(
            generator.choice(
                [
                    {"name": "k-map", "k": generator.choice([2, 5, 10])},
                    {"name": "delta-presence", "most": 0.5, "least": least},
                ]
            )
        )
    if generator.random() < 0.12:
        models.append({"name": "average-risk", "threshold": generator.choice([0.12, 0.2, 0.25, 0.34, 0.5])})
    if generator.random() < 0.05:
        models.append({"name": "k-anonymity", "k": generator.choice([2, 3])})
    if models:
        request["models"] = models


def _search(generator: random.Random, request: dict[str, Any], algorithm: str) -> None:
    if algorithm in OPTIONS and generator.random() < 0.6:
        request["options"] = generator.choice(OPTIONS[algorithm])
        if request["options"].get("cells"):
            request["cost"] = generator.choice(MEANS)
    if algorithm == "mu-argus" and generator.random() < 0.5:
        request["accept_unverified"] = True
    if algorithm in LIMITED:
        request["nodes"] = LIMITED[algorithm]
    elif generator.random() < 0.08:
        request["nodes"] = generator.choice([1, 2, 5, 20])
    elif generator.random() < 0.03:
        request["gap"] = generator.choice([0.05, 0.5])
    if generator.random() < 0.2:
        request["seed"] = generator.randrange(5)
    if algorithm in HARDENED and generator.random() < 0.25:
        request["harden"] = True


def _door(generator: random.Random) -> str:
    return generator.choices(list(DOORS), list(DOORS.values()))[0]


def _fitting(door: str, request: dict[str, Any], columns: list[Column]) -> str:
    hostile = any(column.name in HOSTILE_NAMES for column in columns)
    recipes = any(isinstance(made, dict) for made in request.get("hierarchies", {}).values())
    ordered = any(
        "," in value or '"' in value for each in request.get("orders", {}).values() for value in each
    )
    # Flags cannot say a recipe, nor name every column.
    if door == "command" and (hostile or recipes or ordered or "values" in str(request.get("models"))):
        return "command-policy"
    return door


def _then(generator: random.Random) -> tuple[str, ...]:
    return tuple(generator.choices(list(THEN), list(THEN.values()))) if generator.random() < 0.15 else ()
