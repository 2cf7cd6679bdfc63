"""What each treatment promises, in plain definitions of the auditor's own.

They share no line with the treatments that wrote the cells. A definition looks at one released cell (`cell`),
at a released cell and its original (`pair`), or at the whole column (`column`). A missing cell stays missing
in every treatment, which is checked for all of them alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from shoal.auditor.treated.columns import (
    are_means,
    is_generalized,
    is_noise,
    is_redrawn,
    is_swapped,
    one_shift_per_person,
    one_to_one,
)
from shoal.auditor.treated.compared_column import ComparedColumn, Facts, are_equal
from shoal.model.cells.treated_texts import Meant
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
    meant
        What the cells of the source are to it: numbers, dates, either, or texts. `None` if its bound says so.
    """

    words: str
    cell: Callable[[Facts, str], bool] | None = None
    pair: Callable[[Facts, str, str], bool] | None = None
    column: Callable[[ComparedColumn], str | None] | None = None
    meant: Meant | None = "text"

    def needs(self, facts: Facts) -> Meant:
        """What the cells of the source are, by what the manifest says."""
        return self.meant or ("date" if isinstance(facts.get("at"), str) else "number")


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

    return Definition(
        words=f"the bound's label or a value not {sign} the bound", cell=cell, pair=pair, meant=None
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


def _masked(facts: Facts, text: str, original: str) -> bool:
    """Sign by sign: what the pattern keeps is the cell's own, and nothing else of the cell is there."""
    pattern = facts["pattern"]
    if len(text) != len(pattern):
        return False
    for place, sign in enumerate(pattern):
        own = original[place] if place < len(original) else "*"
        if text[place] != (own if sign == "#" else sign):
            return False
    return True


def _fits_mask(facts: Facts, text: str) -> bool:
    signs = zip(facts["pattern"], text, strict=False)
    return len(text) == len(facts["pattern"]) and all(sign in ("#", own) for sign, own in signs)


def _is_period(facts: Facts, text: str) -> bool:
    return re.fullmatch(_PERIODS[facts["to"]], text) is not None


def _in_period(facts: Facts, text: str, original: str) -> bool:
    if not _is_period(facts, text) or day_of(original) is None:
        return False
    year, month = original[:4], int(original[5:7])
    period = {"year": year, "month": f"{year}-{month:02}", "quarter": f"{year}-Q{(month - 1) // 3 + 1}"}
    return text == period[facts["to"]]


_PERIODS = {"year": r"\d{4}", "month": r"\d{4}-(0[1-9]|1[0-2])", "quarter": r"\d{4}-Q[1-4]"}


def _is_number(facts: Facts, text: str) -> bool:  # noqa: ARG001
    return number_of(text) is not None


def _is_date(facts: Facts, text: str) -> bool:  # noqa: ARG001
    return day_of(text) is not None


def _is_value(facts: Facts, text: str) -> bool:
    return _is_number(facts, text) or _is_date(facts, text)


DEFINITIONS: dict[str, Definition] = {
    "round": Definition(words="the nearest multiple", cell=_is_multiple, pair=_is_nearest, meant="number"),
    "top-code": _bound_code(">="),
    "bottom-code": _bound_code("<="),
    "pseudonym": Definition(
        words="a pseudonym of the form that the manifest says",
        cell=_is_code,
        pair=_has_format,
        column=one_to_one,
    ),
    "mask": Definition(words="what the pattern leaves", cell=_fits_mask, pair=_masked),
    "truncate": Definition(words="the period of the date", cell=_is_period, pair=_in_period, meant="date"),
    "generalize": Definition(words="labels", column=is_generalized),
    "shift": Definition(words="dates", cell=_is_date, column=one_shift_per_person, meant="date"),
    "noise": Definition(words="numbers", cell=_is_number, column=is_noise, meant="number"),
    "swap": Definition(words="values of the source", cell=_is_value, column=is_swapped, meant="value"),
    "pram": Definition(words="values of the source", column=is_redrawn),
    "microaggregate": Definition(words="numbers", cell=_is_number, column=are_means, meant="number"),
}
"""Per treatment but `drop`, whose columns must be absent."""
