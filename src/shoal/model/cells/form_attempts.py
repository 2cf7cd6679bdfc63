"""Tries forms on the cells of a column: which read all of them, or the most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.model.cells.cell_form import CellForm, read_in_form
from shoal.model.cells.date_form import DATE_FORMS, DIGITS_ONLY
from shoal.model.cells.number_form import NumberForm, Parts, number_forms, parts_of
from shoal.model.cells.values import UnreadableError, comparable, read
from shoal.model.table.number_text import NoNumberError

if TYPE_CHECKING:
    from shoal.model.table.domain import Kind, Value

_NO_PARTS: Mapping[str, Parts | None] = {}
_TRIED = 60
"""Cells that a form is tried on before it is tried on all of them."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a form reads: the value of each cell, and the positions of cells that it does not read."""

    form: CellForm
    values: list[Value]
    unread: tuple[int, ...]


def best_attempts(
    known: Sequence[object], texts: Sequence[str], kind: Kind | None, most: int
) -> list[Attempt]:
    """The forms that fail on the fewest cells, the simplest first; none if each fails on more than `most`.

    Parameters
    ----------
    known
        The cells, `None` for missing ones.
    texts
        The texts among them, sorted.
    kind
        The kind that is stated, if any.
    most
        How many cells a form may fail on.
    """
    best: list[Attempt] = []
    parts: dict[str, Parts | None] = {}  # taken apart once, for every form of numbers
    for form in _candidates(texts, kind, parts):
        attempt = attempted(known, form, most, parts)
        if attempt is None or (best and len(attempt.unread) > len(best[0].unread)):
            continue
        best = [*best, attempt] if best and len(attempt.unread) == len(best[0].unread) else [attempt]
    return best


def _candidates(
    texts: Sequence[str], kind: Kind | None, parts: dict[str, Parts | None]
) -> Iterable[CellForm]:
    """The forms that read at least half of some cells; `parts` gets the parts of those that are numbers."""
    some = [texts[at * len(texts) // _TRIED] for at in range(_TRIED)] if len(texts) > _TRIED else texts
    forms: list[CellForm] = []
    if kind != "date":
        numbers = sum(_certain_parts(text) is not None for text in some)
        if 2 * numbers >= len(some) or kind is not None:
            parts.update(zip(texts, map(_certain_parts, texts), strict=True))
            every = [each for each in parts.values() if each is not None]
            forms += number_forms(every) if every else ()
    if kind != "number":
        forms += DATE_FORMS
    if kind == "date":
        forms.append(DIGITS_ONLY)
    return [form for form in forms if 2 * sum(_reads(text, form) for text in some) >= len(some)]


def _certain_parts(text: str) -> Parts | None:
    parts = parts_of(text)
    return None if parts is None or not parts.certain else parts


def attempted(
    known: Sequence[object], form: CellForm, most: int, parts: Mapping[str, Parts | None] = _NO_PARTS
) -> Attempt | None:
    """What a form reads; `None` if it fails on more than `most` cells, or only some have a time zone."""
    values: list[Value] = []
    unread = []
    for at, cell in enumerate(known):
        try:
            values.append(_value(cell, form, parts))
        except UnreadableError:
            unread.append(at)
            values.append(None)
            if len(unread) > most:
                return None
    try:
        return Attempt(form, _compared(values, form), tuple(unread))
    except UnreadableError:
        return None


def _value(cell: object, form: CellForm, parts: Mapping[str, Parts | None]) -> Value:
    if cell is None:
        return None
    if isinstance(form, NumberForm) and isinstance(cell, str) and cell in parts:
        try:
            return form.number(parts[cell])
        except NoNumberError:
            raise UnreadableError from None
    if isinstance(cell, int) and not isinstance(cell, bool) and form.kind == "date":
        cell = str(cell)  # 19800201 in a column of whole numbers
    return read_in_form(cell, form) if isinstance(cell, str) else read([cell], form.kind)[0]


def _compared(values: list[Value], form: CellForm) -> list[Value]:
    return values if isinstance(form, NumberForm) else comparable(values)  # type: ignore[arg-type]


def _reads(text: str, form: CellForm) -> bool:
    try:
        read_in_form(text, form)
    except UnreadableError:
        return False
    return True
