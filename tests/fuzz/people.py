"""Random tables of people with several rows, and requests about persons and households.

Most requests are right, and name what may be linked; one in six is wrong, to hear how it is refused.
"""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.instance import ROW, Column, Instance
from tests.fuzz.tables import names
from tests.fuzz.trees import hierarchy
from tests.fuzz.values import CANARY, POOLS, TAME, pool

SHARE = 0.2
"""Of all tries, those that are about people with several rows."""
DOORS = {
    "pandas": 20, "polars": 12, "arrow": 12, "csv": 22, "parquet": 14, "duckdb": 4, "policy": 8,
    "command": 5, "command-policy": 5,
}  # fmt: skip
COSTS = [*(["general-loss"] * 5), *(["ncp"] * 3), *(["precision"] * 3), "discernibility"]
THEN = ("again", "read", "codebook", "audit-original", "audit", "risk", "report")
WRONG: list[dict[str, Any]] = [
    {"entity": None}, {"linkable": None, "known_events": 2}, {"known_events": 0}, {"known_events": -1},
    {"known_events": "some"}, {"household": "person"}, {"entity": "nobody"}, {"suppressed": "mask"},
    {"identifiers": ["person"]}, {"treatments": {"person": {"name": "drop"}}},
    {"treatments": {"person": {"name": "mask", "pattern": "##**"}}}, {"algorithm": "local"},
    {"algorithm": "lattice"}, {"algorithm": "exact"}, {"recoding_model": "AG_TS"}, {"harden": True},
    {"survey_weight": ROW}, {"class_attribute": "kept", "cost": "classification"},
    {"subset": f"{ROW} >= 1003"}, {"sensitive": ["person"]}, {"nodes": 1}, {"accept_unverified": True},
    {"treatments": {"person": {"name": "pseudonym", "format": "same"}}}, {"suppression": 0},
    {"models": [{"name": "k-anonymity", "k": 2}]}, {"models": [{"name": "average-risk", "threshold": 0.5}]},
]  # fmt: skip
"""What is changed in a request that is no longer right, or seldom used."""


def is_of_people(seed: int) -> bool:
    """Whether the try of a seed is one of these."""
    return random.Random(f"people {seed}").random() < SHARE


def people_instance(seed: int) -> Instance:
    """The try of a seed, about people with several rows."""
    generator = random.Random(f"people of {seed}")
    columns, whose = _table(generator)
    quasi = [column.name for column in columns if column.name not in ("person", "sick0", "kept", ROW)]
    persons = len({who for who in whose if who is not None})
    k = generator.choice([1, 2, 2, 2, 2, 3, 3, 4, persons])
    request: dict[str, Any] = {
        "quasi_identifiers": quasi,
        "k": min(k, persons) if generator.random() < 0.97 else persons + 1,
        "algorithm": generator.choice(["auto", "auto", "auto", "person-groups", "person-levels"]),
        "cost": generator.choice(COSTS),
    }
    _promise(generator, request)
    _shapes(generator, request, columns)
    _rest(generator, request, columns)
    door = generator.choices(list(DOORS), list(DOORS.values()))[0]
    if generator.random() < 1 / 6:
        wrong = generator.choice(WRONG)
        if "kept" in [column.name for column in columns] or "class_attribute" not in wrong:
            request = {name: value for name, value in {**request, **wrong}.items() if value is not None}
    if door == "command" and _unspeakable(request):
        door = "command-policy"
    then = tuple(generator.sample(THEN, 1)) if generator.random() < 0.3 else ()
    return Instance(tuple(columns), request, door, then)


def _table(generator: random.Random) -> tuple[list[Column], list[Any]]:
    """The columns, and whose each row is: few persons, some alike, their rows in any order."""
    persons = generator.randint(2, 9)
    most = generator.choice([1, 2, 3, 3, 4])
    whose: list[Any] = [who for who in range(persons) for _ in range(generator.randint(1, most))]
    if generator.random() < 0.6:
        generator.shuffle(whose)
    pools = TAME if generator.random() < 0.75 else POOLS
    columns = []
    for name in names(generator, generator.choices([1, 2, 3, 4], [3, 6, 4, 1])[0]):
        kind, values = pool(generator, pools)
        values = values[: generator.choice([2, 2, 3, 5])]
        if generator.random() < 0.12:
            values = [*values, None]
        own = [generator.choice(values) for _ in range(persons)]
        constant, steady = generator.random() < 0.4, generator.random() < 0.4
        cells = [
            own[who] if constant or (steady and generator.random() < 0.8) else generator.choice(values)
            for who in whose
        ]
        columns.append(Column(name, kind, tuple(cells)))
    if generator.random() < 0.5:
        kind, values = pool(generator, TAME)
        columns.append(Column("sick0", kind, tuple(generator.choice(values) for _ in whose)))
    if generator.random() < 0.4:
        kind, values = pool(generator, POOLS)
        columns.append(Column("kept", kind, tuple(generator.choice(values) for _ in whose)))
    if generator.random() < 0.04:
        whose[generator.randrange(len(whose))] = None
    columns.append(_ids(generator, whose))
    generator.shuffle(columns)
    columns.append(Column(ROW, "int", tuple(range(1000, 1000 + len(whose)))))
    return columns, whose


def _ids(generator: random.Random, whose: list[Any]) -> Column:
    if generator.random() < 0.25:
        return Column("person", "int", tuple(None if who is None else 910_000 + who for who in whose))
    return Column("person", "text", tuple(None if who is None else f"{CANARY}p{who}" for who in whose))


def _promise(generator: random.Random, request: dict[str, Any]) -> None:
    kind = generator.random()
    if kind < 0.1:
        request["entity"] = "person"
    elif kind < 0.3:
        request["household"] = "person"
    else:
        request |= {"entity": "person", "linkable": True}
        if generator.random() < 0.55:
            request["known_events"] = generator.choice([1, 1, 2, 2, 3, 5, "all"])
    if generator.random() < 0.4:
        request["order"] = "shuffle"


def _shapes(generator: random.Random, request: dict[str, Any], columns: list[Column]) -> None:
    """Types, bins, orders, hierarchies and levels of some columns."""
    shapes: dict[str, dict[str, Any]] = {
        "types": {},
        "bins": {},
        "orders": {},
        "hierarchies": {},
        "levels": {},
    }
    for column in columns:
        shape = generator.random()
        if column.name not in request["quasi_identifiers"]:
            continue
        if shape < 0.3:
            made = hierarchy(generator, column)
            if made is not None:
                shapes["hierarchies"][column.name] = made
                if generator.random() < 0.2:
                    shapes["levels"][column.name] = (generator.choice([0, 0, 1]), generator.choice([None, 1]))
        elif shape < 0.4 and column.kind in ("int", "float", "decimal"):
            shapes["bins"][column.name] = generator.choice([1, 5, 10, 0.5])
        elif shape < 0.5:
            shapes["types"][column.name] = "category"
        elif shape < 0.6 and column.kind == "text":
            shapes["orders"][column.name] = "sorted"
    request |= {name: stated for name, stated in shapes.items() if stated}


def _rest(generator: random.Random, request: dict[str, Any], columns: list[Column]) -> None:
    """What is seldom said: limits, models, weights, companions, budgets."""
    present = [column.name for column in columns]
    if "sick0" in present:
        request["sensitive"] = ["sick0"]
        if generator.random() < 0.25:
            model = generator.choice(
                [
                    {"name": "distinct-l-diversity", "l": 2},
                    {"name": "entropy-l-diversity", "l": 1.5},
                    {"name": "t-closeness", "t": 0.5},
                    {"name": "alpha-k-anonymity", "alpha": 0.7},
                ]
            )
            request["models"] = [{**model, "attribute": "sick0"}]
    if generator.random() < 0.35:
        request["suppression"] = generator.choice([0, 1, 3, "10%", "50%", "unlimited"])
    if generator.random() < 0.4:
        request["consistent"] = True
        if request["algorithm"] == "person-groups":
            request["algorithm"] = "auto"
    if generator.random() < 0.15 and request["cost"] in ("general-loss", "ncp", "precision"):
        request["weights"] = {name: generator.choice([1, 2, 0.5]) for name in request["quasi_identifiers"]}
    if generator.random() < 0.1:
        request["companions"] = True
    if generator.random() < 0.1:
        request["nodes"] = generator.choice([1, 5, 100])
    if generator.random() < 0.2:
        request["seed"] = generator.randrange(5)


def _unspeakable(request: dict[str, Any]) -> bool:
    """Whether flags cannot say it: a recipe, an order with commas, a column with an odd name."""
    recipes = any(isinstance(made, dict) for made in request.get("hierarchies", {}).values())
    odd = any(not name.isalnum() for name in request["quasi_identifiers"])
    return recipes or odd or "treatments" in request
