"""The ways to make a hierarchy, with descriptions, and their fields as a recipe. No page code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from shoal import Column, PolicyError

STEPS = ("day", "week", "month", "quarter", "year", "decade", "century")


@dataclass(frozen=True)
class Way:
    """A way: its key, its name, what it does, and the kinds of columns that it is for."""

    key: str
    name: str
    words: str
    kinds: tuple[str, ...] = ("number", "date", "category")


WAYS = (
    Way(
        "automatic",
        "Automatic",
        "Shoal joins values level by level, so that each level has about half the labels of the one before. "
        "Numbers, dates and orders that are recognised are joined with their neighbours, codes by how they "
        "begin, other values rarest first.",
    ),
    Way(
        "intervals",
        "Intervals",
        "Numbers become intervals, wider at each level: with widths 5, 10 and 20 the number 37 is first "
        "35 to 39, then 30 to 39, then 20 to 39.",
        ("number",),
    ),
    Way("calendar", "Calendar", "Dates become months, quarters, years and so on.", ("date",)),
    Way(
        "codes",
        "Code prefixes",
        "Codes lose signs from their end: with 3 and 2 signs kept, 02139 is first 021**, then 02***.",
        ("category", "number"),
    ),
    Way(
        "neighbours",
        "Neighbours",
        "Each level joins so many neighbours in their order. For categories, state the order below.",
        ("category", "date"),
    ),
    Way("groups", "Own groups", "Put the values into groups, and groups into larger ones, and name them."),
    Way("keep", "Keep or drop", "No level in between: a value is released unchanged, or not at all."),
    Way("file", "From a file", "A line per value with its labels, value;label;...;*, as ARX writes them."),
)


def ways_for(column: Column) -> list[Way]:
    """The ways that make sense for a column."""
    return [way for way in WAYS if column.kind in way.kinds]


def way_of(stated: object, column: Column) -> str:
    """The way in which a policy's `hierarchy` is built."""
    if isinstance(stated, str):
        return "file"
    recipe = stated if isinstance(stated, dict) else {}
    for key, way in (
        ("groups", "groups"),
        ("keep", "keep"),
        ("prefixes", "codes"),
        ("steps", "calendar"),
        ("widths", "intervals"),
        ("bottom", "intervals"),
        ("top", "intervals"),
    ):
        if key in recipe:
            return way
    if "fan_outs" in recipe or "fan_out" in recipe:
        return "intervals" if column.kind == "number" else "neighbours"
    return "automatic"


def fields_of(stated: object) -> dict[str, Any]:
    """What the fields of a form show for a policy's `hierarchy`."""
    recipe = stated if isinstance(stated, dict) else {}
    joins = recipe.get("fan_outs", [recipe["fan_out"]] if "fan_out" in recipe else [])
    return {
        "widths": _listed(recipe.get("widths", [])),
        "joins": _listed(joins),
        "bottom": _number_text(recipe.get("bottom")),
        "top": _number_text(recipe.get("top")),
        "prefixes": _listed(recipe.get("prefixes", [])),
        "steps": list(recipe.get("steps", [])),
        "suppressed": recipe.get("suppressed", True),
    }


class FieldError(PolicyError):
    """The content of a field cannot be read; `field` is its name."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def recipe_of(way: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The recipe that the fields of a way describe, as a policy has it."""
    stated: dict[str, Any] = {}
    if way == "intervals":
        widths, joins = numbers("widths", fields["widths"]), whole("joins", fields["joins"])
        stated |= {"widths": widths} if widths else {}
        stated |= _joined(joins, bool(widths))
        for end in ("bottom", "top"):
            ends = numbers(end, fields[end])
            if len(ends) > 1:
                raise FieldError(end, "one number is enough here")
            stated |= {end: ends[0]} if ends else {}
        if not stated:
            raise FieldError("widths", "state at least one width, such as 5, 10, 20")
    elif way == "neighbours":
        stated |= _joined(whole("joins", fields["joins"]), False)
        if not stated:
            raise FieldError("joins", "state how many neighbours are joined, such as 2")
    elif way == "codes":
        stated["prefixes"] = whole("prefixes", fields["prefixes"])
        if not stated["prefixes"]:
            raise FieldError("prefixes", "state how many signs each level keeps, such as 3, 2")
    elif way == "calendar":
        stated["steps"] = [step for step in STEPS if step in fields["steps"]]
        if not stated["steps"]:
            raise FieldError("steps", "choose at least one step")
    elif way == "keep":
        stated["keep"] = True
    return stated if fields.get("suppressed", True) else {**stated, "suppressed": False}


def _joined(joins: list[int], after_widths: bool) -> dict[str, Any]:
    if not joins:
        return {}
    return {"fan_out": joins[0]} if len(joins) == 1 and not after_widths else {"fan_outs": joins}


def suggested(way: str, column: Column) -> dict[str, Any]:
    """Fields to begin a way with, from the values of the column."""
    fields = fields_of({})
    if way == "intervals":
        fields["widths"] = _listed(_widths(column))
    elif way == "neighbours":
        fields["joins"] = "2"
    elif way == "codes":
        longest = max((len(value) for value in column.values), default=1)
        fields["prefixes"] = _listed(range(min(longest - 1, 3), 0, -1)) or "1"
    elif way == "calendar":
        fields["steps"] = ["month", "year"]
    return fields


def _widths(column: Column) -> list[int | float]:
    """Round widths, of which the first makes about twenty intervals."""
    try:
        ends = [float(value) for value in (column.values[0], column.values[-1])]
    except ValueError:  # bins are printed as intervals
        return [10, 20, 40]
    span = ends[1] - ends[0]
    if not (math.isfinite(span) and span > 0):
        return [1]
    magnitude = 10 ** math.floor(math.log10(span / 20))
    width = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= span / 20)
    step = round(width) if width >= 1 else float(f"{width:.6g}")
    return [step, step * 2, step * 4] if step >= 1 else [step, float(f"{step * 10:.6g}")]


def numbers(field: str, text: str) -> list[int | float]:
    """The numbers that a field lists with commas, semicolons or spaces between."""
    values: list[int | float] = []
    for part in str(text or "").replace(";", " ").replace(",", " ").split():
        try:
            number = float(part)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise FieldError(field, "only numbers, with commas between, such as 5, 10, 20; 0.5 with a point")
        values.append(int(number) if number.is_integer() else number)
    return values


def whole(field: str, text: str) -> list[int]:
    """The whole numbers that a field lists."""
    values = numbers(field, text)
    if not all(isinstance(value, int) for value in values):
        raise FieldError(field, "only whole numbers, with commas between, such as 3, 2")
    return [int(value) for value in values]


def _listed(numbers: Any) -> str:
    return ", ".join(_number_text(number) for number in numbers)


def _number_text(number: float | None) -> str:
    return "" if number is None else f"{number:.12g}" if isinstance(number, float) else str(number)
