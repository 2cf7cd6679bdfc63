"""What each treatment promises, in plain definitions of the auditor's own.

They share no line with the treatments that wrote the cells. A definition looks at one released cell (`cell`),
at a released cell and its original (`pair`), or at the whole column (`column`). A missing cell stays missing
in every treatment, which is checked for all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from shoal.auditor.original.column_check import same_text
from shoal.auditor.treated.compared_column import ComparedColumn, Facts, are_equal
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.number_text import number_of


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What holds of a column after a treatment; each part is a function, or absent.

    Parameters
    ----------
    words
        What a cell should be, to end a sentence.
    cell
        Whether a known released cell can be one, by its text alone.
    pair
        Whether a known released cell is right for its known original.
    column
        What is wrong with the column as a whole, in words; `None` if nothing is.
    """

    words: str
    cell: Callable[[Facts, str], bool] | None = None
    pair: Callable[[Facts, str, str], bool] | None = None
    column: Callable[[ComparedColumn], str | None] | None = None


def _is_multiple(facts: Facts, text: str) -> bool:
    value = number_of(text)
    return value is not None and (value / Fraction(str(facts["to"]))).denominator == 1


def _is_nearest(facts: Facts, text: str, original: str) -> bool:
    base, value, exact = Fraction(str(facts["to"])), number_of(text), number_of(original)
    if value is None or exact is None or not _is_multiple(facts, text):
        return False
    distance = abs(value - exact) * 2
    return distance < base or (distance == base and (value / base) % 2 == 0)


def _bound(facts: Facts) -> Fraction | None:
    at = facts["at"]
    return day_of(at) if isinstance(at, str) else Fraction(str(at))


def _value(facts: Facts, text: str) -> Fraction | None:
    return day_of(text) if isinstance(facts["at"], str) else number_of(text)


def _bound_code(sign: str) -> Definition:
    """Top code for `>=`, bottom code for `<=`."""

    def beyond(facts: Facts, value: Fraction) -> bool:
        bound = _bound(facts)
        assert bound is not None
        return value >= bound if sign == ">=" else value <= bound

    def is_label(facts: Facts, text: str) -> bool:
        if facts["written"] == "bound":
            return _value(facts, text) == _bound(facts)
        return text.startswith(f"{sign} ") and _value(facts, text[3:]) == _bound(facts)

    def cell(facts: Facts, text: str) -> bool:
        value = _value(facts, text)
        return is_label(facts, text) or (value is not None and not beyond(facts, value))

    def pair(facts: Facts, text: str, original: str) -> bool:
        value = _value(facts, original)
        if value is not None and beyond(facts, value):
            return is_label(facts, text)
        return are_equal(text, original)

    return Definition(words=f"the bound's label or a value not {sign} the bound", cell=cell, pair=pair)


def _one_to_one(column: ComparedColumn) -> str | None:
    """Whether equal cells have equal pseudonyms and different ones different, in all columns of a domain."""
    domain = column.own.get("domain")
    names = [column.column] if domain is None else [n for n, f in column.facts.items() if _shares(f, domain)]
    pseudonyms: dict[object, str] = {}
    values: dict[str, object] = {}
    for name in names:
        for text, original, _ in _renamed(column, name).pairs:
            if text is None or original is None:
                continue
            value = same_text(original)
            if pseudonyms.setdefault(value, text) != text or values.setdefault(text, value) != value:
                return "does not have exactly one pseudonym for each value"
    if column.own["format"] == "code" and column.values() & {same_text(each) for each in values}:
        return "has pseudonyms that are values of the source"
    return None


def _shares(facts: Facts, domain: str) -> bool:
    return facts["name"] == "pseudonym" and facts.get("domain") == domain


def _renamed(column: ComparedColumn, name: str) -> ComparedColumn:
    return ComparedColumn(
        column=name,
        released=column.released,
        original=column.original,
        rows=column.rows,
        facts=column.facts,
    )


def _is_code(facts: Facts, text: str) -> bool:
    return facts["format"] == "same" or (len(text) >= 20 and set(text) <= set("0123456789abcdef"))


def _has_format(facts: Facts, text: str, original: str) -> bool:
    return facts["format"] == "code" or _shape(text) == _shape(original)


def _shape(text: str) -> list[str]:
    kinds = {**dict.fromkeys("0123456789", "digit")}
    kinds |= dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "capital")
    kinds |= dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "small")
    return [kinds.get(sign, sign) for sign in text]


DEFINITIONS: dict[str, Definition] = {
    "round": Definition(words="the nearest multiple", cell=_is_multiple, pair=_is_nearest),
    "top-code": _bound_code(">="),
    "bottom-code": _bound_code("<="),
    "pseudonym": Definition(
        words="a pseudonym of the form that the manifest says",
        cell=_is_code,
        pair=_has_format,
        column=_one_to_one,
    ),
}
"""Per treatment but `drop`, whose columns must be absent."""
