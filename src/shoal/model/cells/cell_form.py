"""A form of cells, of numbers or of dates, and the text that states it in a policy."""

from __future__ import annotations

from shoal.model.cells.date_form import DateForm, NoDateError, parse_date_format
from shoal.model.cells.number_form import NumberForm, parse_number_format
from shoal.model.cells.values import UnreadableError
from shoal.model.table.domain import Value
from shoal.model.table.number_text import NoNumberError

CellForm = NumberForm | DateForm


def parse_format(format: str) -> CellForm | None:
    """The form that a policy states: numbers by example, dates by letters; `None` if it is neither."""
    return parse_number_format(format) or parse_date_format(format)


def read_in_form(text: str, form: CellForm) -> Value:
    """The value of a text in a form; `UnreadableError` if it is none."""
    try:
        return form.read(text)
    except (NoNumberError, NoDateError):
        raise UnreadableError from None
