"""What a request may have on top: treatments, another order, companions, subsets, odd cells and files.

Drawn by a generator of their own, so that a seed still stands for the same table and search.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.fuzz.instance import ROW, Column, Instance
from tests.fuzz.spelling import file_form, odd_column

SHAPES = ("types", "bins", "orders", "hierarchies", "levels")
GENERALIZED = [["flu", "lung", "*"], ["cold", "lung", "*"], ["hiv", "virus", "*"]]
OF_NUMBERS: list[dict[str, Any]] = [
    {"name": "round", "to": 100}, {"name": "round", "to": 0.5}, {"name": "top-code", "at": 900},
    {"name": "bottom-code", "at": 0}, {"name": "top-code", "at": 900, "written": "bound"},
    {"name": "noise", "scale": 10}, {"name": "noise", "scale": 0.5, "distribution": "laplace"},
    {"name": "swap", "within": 30}, {"name": "microaggregate", "k": 2}, {"name": "pseudonym"},
]  # fmt: skip
OF_DATES: list[dict[str, Any]] = [
    {"name": "truncate", "to": "year"}, {"name": "truncate", "to": "quarter"}, {"name": "truncate"},
    {"name": "shift", "days": 30, "by": ROW}, {"name": "top-code", "at": "2020-01-01"}, {"name": "swap"},
    {"name": "shift", "days": 400, "by": "person"},
]  # fmt: skip
OF_TEXTS: list[dict[str, Any]] = [
    {"name": "mask", "pattern": "#**-#"}, {"name": "pseudonym"}, {"name": "pseudonym", "format": "same"},
    {"name": "pram", "keep": 0.3}, {"name": "drop"}, {"name": "generalize", "level": 1},
]  # fmt: skip


def with_extras(instance: Instance, seed: int) -> Instance:
    """The instance of a seed with what it has on top; half of them as they are."""
    generator = random.Random(f"extras {seed}")
    if generator.random() < 0.45:
        return instance
    if instance.door == "compare" and generator.random() < 0.8:
        instance = replace(instance, door=generator.choice(["csv", "parquet", "pandas", "polars", "policy"]))
    then = tuple(door for door in ("read", "codebook") if generator.random() < 0.3)
    instance = replace(instance, then=(*instance.then, *then))
    request = dict(instance.request)
    for extra in (_odd, _treated, _additions, _subset, _sets, _models, _file):
        if generator.random() < 0.5:
            instance = extra(generator, replace(instance, request=request))
            request = dict(instance.request)
    return replace(instance, request=request)


def _odd(generator: random.Random, instance: Instance) -> Instance:
    """A quasi-identifier as a file from elsewhere writes it."""
    request, columns = dict(instance.request), list(instance.columns)
    name = generator.choice(request["quasi_identifiers"])
    column, meanings, form, markers = odd_column(generator, name, instance.rows)
    for shape in SHAPES:
        kept = {key: value for key, value in request.get(shape, {}).items() if key != name}
        request |= {shape: kept}
        if not kept:
            request.pop(shape)
    if form is not None:
        request["formats"] = {name: form}
    if markers is not None:
        request["missing"] = {name: list(markers)}
    columns = [column if each.name == name else each for each in columns]
    return replace(instance, request=request, columns=tuple(columns), reads={name: meanings})


def _treated(generator: random.Random, instance: Instance) -> Instance:
    """Columns that are treated: of numbers, of dates, of texts; and persons with pseudonyms."""
    rows, columns = instance.rows, list(instance.columns)
    numbers = [generator.choice([-7, 0, 50, 150, 250, 890, 901, 5000, None]) for _ in range(rows)]
    first = datetime.date(2019, 6, 1)
    days = [first + datetime.timedelta(days=generator.randrange(900)) for _ in range(rows)]
    names = {"income": "int", "seen": "date", "dx": "text"}
    cells: Mapping[str, tuple[Any, ...]] = {
        "income": tuple(numbers),
        "seen": tuple(None if generator.random() < 0.1 else day for day in days),
        "dx": tuple(generator.choice(["flu", "cold", "hiv", None]) for _ in range(rows)),
    }
    choices = {"income": OF_NUMBERS, "seen": OF_DATES, "dx": OF_TEXTS}
    treatments: dict[str, Any] = {}
    people = any(each.name == "person" for each in columns)
    for name in generator.sample(list(names), generator.randint(1, 3)):
        columns.insert(generator.randrange(len(columns)), Column(name, names[name], cells[name]))
        treatments[name] = generator.choice(choices[name])
        if treatments[name].get("by") == "person" and not people:
            treatments[name] = {"name": "truncate"}
    request = dict(instance.request)
    if treatments.get("dx", {}).get("name") == "generalize":
        request["hierarchies"] = {**request.get("hierarchies", {}), "dx": GENERALIZED}
    if people and "person" not in request.get("identifiers", ()) and generator.random() < 0.6:
        treatments["person"] = generator.choice(
            [{"name": "pseudonym"}, {"name": "drop"}, {"name": "pseudonym", "format": "same"}]
        )
    request["treatments"] = treatments
    return replace(instance, columns=tuple(columns), request=request)


def _additions(generator: random.Random, instance: Instance) -> Instance:
    request = dict(instance.request)
    if generator.random() < 0.6:
        request["order"] = "shuffle"
    if generator.random() < 0.5:
        request["companions"] = True
    if instance.door == "parquet" and generator.random() < 0.7:
        request["nested"] = True
    return replace(instance, request=request)


def _subset(generator: random.Random, instance: Instance) -> Instance:
    """Rows by their number, the only condition that the judge evaluates."""
    if instance.reads and "formats" not in instance.request:
        return instance  # what is recognised depends on the rows that are left
    place = generator.randrange(instance.rows)
    sign = generator.choice([">=", "<=", "<>"])
    request = {**instance.request, "subset": f"{ROW} {sign} {1000 + place}"}
    request["k"] = min(request["k"], 2)
    if request.pop("survey_weight", None) is not None:
        of_people = ("k-map", "delta-presence")
        request["models"] = [each for each in request.get("models", ()) if each["name"] not in of_people]
    if generator.random() < 0.4:
        request["models"] = [*request.get("models", ()), {"name": "k-map", "k": generator.randint(2, 4)}]
    return replace(instance, request=request)


def _sets(generator: random.Random, instance: Instance) -> Instance:
    """Sets with their own k."""
    request = dict(instance.request)
    if "entity" in request:
        return instance
    sets = [list(each) for each in request.get("sets", ())]
    if not sets:
        quasi = request["quasi_identifiers"]
        if len(quasi) < 2 or generator.random() < 0.7 or "options" in request:
            return instance
        request["algorithm"], sets = "datafly", [quasi[:1], quasi]
    place = generator.randrange(len(sets))
    sets[place] = {"columns": sets[place], "k": request["k"] + generator.choice([0, 1, 2])}  # type: ignore[call-overload]
    return replace(instance, request={**request, "sets": sets})


def _models(generator: random.Random, instance: Instance) -> Instance:
    """Demands on all groups together, and ARX's factor."""
    request = dict(instance.request)
    if generator.random() < 0.5:
        made: dict[str, Any] = generator.choice(
            [
                {"name": "rows-at-risk", "threshold": generator.choice([0.2, 0.34, 0.5]), "most": 0.3},
                {"name": "sample-uniqueness", "most": generator.choice([0, 0.2, 0.5])},
                {"name": "population-uniqueness", "most": 0.5, "people": 1000},
            ]
        )
        models = [each for each in request.get("models", ()) if each["name"] != "average-risk"]
        request["models"] = [*models, made]
        if "options" not in request and "sets" not in request and "recoding_model" not in request:
            fitting = ("datafly",) if made["name"] == "population-uniqueness" else ("lattice", "local")
            request["algorithm"] = generator.choice(fitting)
    if request.get("cost") in ("general-loss", "ncp", "precision"):
        request["gs_factor"] = generator.choice([0, 0.25, 0.75, 1])
    return replace(instance, request=request)


def _file(generator: random.Random, instance: Instance) -> Instance:
    """A file that is written in an unusual way; the policy states it, or not."""
    if instance.door not in ("csv", "policy", "command", "command-policy"):
        return instance
    form = file_form(generator, list(instance.columns))
    request = dict(instance.request)
    for key in form:
        # Names that a file's own beginning can hardly show, or that are only seldom guessed, are stated.
        if key in ("skip", "quote") or generator.random() < 0.7:
            request[key] = "utf-8" if form[key] == "utf-8-sig" else form[key]
    return replace(instance, request=request, file=form)
