"""A finding made small: rows, columns, arguments and values go as long as the same fault stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.instance import ROW, Column, Instance

SIMPLE = {"text": "a", "int": 0, "float": 0.0, "category": "a"}
MOST_TRIES = 400


def shrunk(instance: Instance, fails: Callable[[Instance], bool]) -> Instance:
    """The smallest instance that was found to fail in the same way."""
    tries = 0
    progress = True
    while progress and tries < MOST_TRIES:
        progress = False
        for smaller in _smaller(instance):
            tries += 1
            if tries > MOST_TRIES:
                break
            if fails(smaller):
                instance, progress = smaller, True
                break
    return instance


def _smaller(instance: Instance) -> Iterator[Instance]:
    yield from _fewer_rows(instance)
    yield from _fewer_columns(instance)
    yield from _fewer_arguments(instance)
    yield from _plainer_cells(instance)
    for door in ("pandas", "csv"):
        if instance.door not in ("pandas", door, "compare"):
            yield replace(instance, door=door)
    if instance.then:
        yield replace(instance, then=())
    if instance.file and not any(key in instance.request for key in instance.file):
        yield replace(instance, file={})


def _fewer_rows(instance: Instance) -> Iterator[Instance]:
    rows = instance.rows
    for length in (rows // 2, rows // 4, 1):
        for start in range(0, rows, length) if length else ():
            kept = [row for row in range(rows) if not start <= row < start + length]
            if kept:
                columns = tuple(
                    replace(each, cells=tuple(each.cells[row] for row in kept)) for each in instance.columns
                )
                yield replace(instance, columns=columns).asking(k=min(instance.request["k"], len(kept)))


def _fewer_columns(instance: Instance) -> Iterator[Instance]:
    for column in instance.columns:
        if column.name == ROW or instance.quasi_identifiers == [column.name]:
            continue
        request = {name: _without(value, column.name) for name, value in instance.request.items()}
        request = {name: value for name, value in request.items() if value not in ([], {}, None, column.name)}
        if "sets" in request:
            continue
        yield replace(
            instance, columns=tuple(each for each in instance.columns if each is not column), request=request
        )


def _without(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: part for key, part in value.items() if key != name}
    if isinstance(value, list | tuple):
        return [
            part
            for part in value
            if part != name and not (isinstance(part, dict) and part.get("attribute") == name)
        ]
    return value


def _fewer_arguments(instance: Instance) -> Iterator[Instance]:
    for name, value in instance.request.items():
        if name in ("quasi_identifiers", "k", "algorithm", "cost"):
            continue
        yield instance.asking(**{name: None})
        if isinstance(value, dict) and len(value) > 1:
            for key in value:
                yield instance.asking(
                    **{name: {other: part for other, part in value.items() if other != key}}
                )
        if isinstance(value, list) and len(value) > 1 and name != "sets":
            for place in range(len(value)):
                yield instance.asking(**{name: value[:place] + value[place + 1 :]})
    if instance.request["k"] > 1:
        yield instance.asking(k=instance.request["k"] - 1)
    for cost in ("discernibility", "ncp"):
        if instance.request.get("cost") not in (cost, "discernibility", None):
            yield instance.asking(cost=cost)


def _plainer_cells(instance: Instance) -> Iterator[Instance]:
    for place, column in enumerate(instance.columns):
        if column.name == ROW:
            continue
        for cells in _plainer(column):
            columns = list(instance.columns)
            columns[place] = replace(column, cells=cells)
            yield replace(instance, columns=tuple(columns))


def _plainer(column: Column) -> Iterator[tuple[Any, ...]]:
    simple = SIMPLE.get(column.kind, next((cell for cell in column.cells if cell is not None), None))
    if any(cell != simple for cell in column.cells):
        yield (simple,) * len(column.cells)
    for row, cell in enumerate(column.cells):
        if cell != column.cells[0] and cell != simple:
            yield (*column.cells[:row], column.cells[0], *column.cells[row + 1 :])
