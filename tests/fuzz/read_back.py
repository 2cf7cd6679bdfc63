"""Releases read back with `shoal.read`, and their codebook: judged by the source's own values.

What it says of a cell must hold the value of the row, be missing where the cell is `*`, and say no more than
the cell does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import polars

import shoal
from tests.fuzz.cells import same, size, text_of
from tests.fuzz.instance import ROW
from tests.fuzz.seen import Seen

Faults = Iterator[tuple[str, str]]
LIBRARIES = ("pandas", "polars", "arrow")


def read_back(found: Seen, _: Path, __: shoal.DuckDB) -> Faults:
    """Every value of a released row lies in what `shoal.read` says of it."""
    released = _release(found)
    if released is None or found.manifest["algorithm"] == "microaggregate":
        return
    place = found.columns.index(ROW)
    sources = {text_of(source[ROW]): source for _, source in found.pairs}
    for name in found.quasi:
        kind = found.manifest["columns"][name]["type"]
        forms = ["list"] if kind == "category" else ["lower", "upper", "missing"]
        for library in LIBRARIES:
            try:
                table = shoal.read(**released, as_=library, columns={name: forms})
            except shoal.PolicyError as error:
                if len(str(error).split()) < 3:
                    yield "no-sentence", str(error)
                break
            columns = {form: _cells(table, f"{name}_{form}") for form in forms}
            for number, row in enumerate(found.outcome.rows):
                said = {form: cells[number] for form, cells in columns.items()}
                label = row[found.columns.index(name)]
                if row[place] is None or label == "*":
                    if any(each is not None for each in said.values()):
                        yield "star-says", f"{name!r}: {said!r} of a suppressed cell ({library})"
                        break
                    continue
                value = sources[text_of(row[place])][name]
                wrong = _wrong(said, value)
                if wrong is not None:
                    yield (
                        "untrue",
                        f"{name!r}: {value!r} released as {label!r} reads as {wrong} ({library})",
                    )
                    break
    yield from _typed(found, released)


def _typed(found: Seen, released: dict[str, Any]) -> Faults:
    """Without columns named, the table has all rows, and its kept columns are as they were released."""
    table = shoal.read(**released)
    if len(table) != len(found.outcome.rows):
        yield "rows", f"{len(table)} rows of {len(found.outcome.rows)}"
    if ROW in table.columns:
        place = found.columns.index(ROW)
        released_rows = [None if row[place] is None else int(row[place]) for row in found.outcome.rows]
        if [None if pandas.isna(each) else int(each) for each in table[ROW]] != released_rows:
            yield "order", "the rows are read in another order"


def _wrong(said: dict[str, Any], value: Any) -> str | None:
    if "list" in said:
        listed = said["list"]
        if listed is None:
            return None
        known = None if value is None else text_of(value)
        members = [None if each is None else text_of(each) for each in listed]
        if known in members or any(
            each is not None and known is not None and same(each, known) for each in members
        ):
            return None
        return repr(listed)
    if said["missing"] is not None and bool(said["missing"]) != (value is None):
        return f"missing: {said['missing']!r}"
    if value is None:
        return None
    measured = size(text_of(value))
    for form, sign in (("lower", 1), ("upper", -1)):
        bound = None if said[form] is None else size(text_of(said[form]))
        if bound is None or measured is None:
            continue
        # Bounds in a column of floats are the nearest ones.
        slack = abs(measured) / 2**50 if isinstance(said[form], float) else 0
        if (bound - measured) * sign > slack:
            return f"{form} {said[form]!r}"
    return None


def _cells(table: Any, name: str) -> list[Any]:
    if isinstance(table, pandas.DataFrame):
        return [_plain(each) for each in table[name].tolist()]
    if isinstance(table, polars.DataFrame):
        return [_plain(each) for each in table[name].to_list()]
    return [_plain(each) for each in table[name].to_pylist()]


def _plain(cell: Any) -> Any:
    if isinstance(cell, list | tuple) or type(cell).__name__ == "ndarray":
        return [_plain(each) for each in cell]
    if cell is None or pandas.isna(cell):
        return None
    if isinstance(cell, pandas.Timestamp):
        return cell.to_pydatetime()
    return cell.item() if hasattr(cell, "item") else cell


def _release(found: Seen) -> dict[str, Any] | None:
    if found.outcome.path is not None:
        return {"release": found.outcome.path}
    if found.outcome.data is not None:
        return {
            "release": found.outcome.data,
            "manifest": found.outcome.object,
        }
    return None


def codebook(found: Seen, _: Path, __: shoal.DuckDB) -> Faults:
    """The codebook tells no value of suppressed rows alone, nor an identifier."""
    if found.outcome.path is None:
        return
    book = shoal.codebook(found.outcome.path)
    text = book.to_markdown() + book.to_html()
    for name in (*found.quasi, *found.identifiers):
        for value in found.only_suppressed(name) if name in found.quasi else _hidden(found, name):
            if len(value) >= 7 and value in text:
                yield "told", f"{value!r} of {name!r}"


def _hidden(found: Seen, name: str) -> set[str]:
    shown = found.everything()
    cells = {text_of(source[name]) for source in found.sources if source[name] is not None}
    return {cell for cell in cells if cell not in shown}
