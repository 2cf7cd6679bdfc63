"""The domain and counts of plain Python values, for hierarchies that are built without a table.

The engines read the cells of tables; they accept more ways to write a value.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, cast

from shoal.errors import PolicyError
from shoal.model.hierarchy.nested_labels import printed
from shoal.model.order.arrangement import LISTED
from shoal.model.order.recognised import recognised
from shoal.model.table.domain import Domain, Kind, Value
from shoal.model.table.number_text import NoNumberError, Number, number


def counted(values: Iterable[Any], kind: Kind | None, *, ordered: bool) -> tuple[Domain, list[int]]:
    """The distinct values in their order, and how often each occurs; missing ones are left out.

    Parameters
    ----------
    values
        Numbers, dates or texts; also scalars of NumPy and pandas.
    kind
        How to read them; guessed from their types when absent.
    ordered
        Whether categories stay in the order in which they first occur; otherwise in the order that is
        recognised in them, or sorted.
    """
    plain = [value for value in map(_plain, values) if value is not None and value == value]
    kind = _kind(plain) if kind is None else kind
    if kind == "number":
        plain = [_number(value) for value in plain]
    elif kind == "date":
        plain = _dates(plain)
    else:
        plain = [printed(value, "the values") for value in plain]
    counts = Counter(plain)
    distinct = list(counts) if ordered else sorted(counts)
    found = recognised(distinct) if kind == "category" and not ordered else None
    if found is not None:
        distinct = [distinct[place] for place in found.order]
    domain = Domain(
        name="values",
        kind=kind,
        values=cast(tuple[Value, ...], tuple(distinct)),
        integral=all(isinstance(value, int) for value in distinct),
        arrangement=LISTED if ordered else found and found.arrangement,
    )
    return domain, [counts[value] for value in distinct]


def _plain(value: Any) -> Any:
    """A scalar of a data library as Python's own; its texts and dates are Python's already."""
    return value.item() if hasattr(value, "item") and not isinstance(value, str) else value


def _kind(values: Sequence[object]) -> Kind:
    if all(isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in values):
        return "number"
    return "date" if all(isinstance(value, datetime.date) for value in values) else "category"


def _number(value: object) -> Number:
    try:
        if isinstance(value, str | int | float | Decimal) and not isinstance(value, bool):
            return number(value)
    except NoNumberError:
        pass
    raise PolicyError("some of the values are not numbers; convert them to numbers first")


def _dates(values: Sequence[object]) -> list[datetime.date]:
    """Dates if no moment has a time of day, else moments."""
    moments = [_moment(value) for value in values]
    if len({moment.tzinfo is None for moment in moments}) > 1:
        raise PolicyError(
            "some of the dates have a time zone and some have none; they cannot be put in order"
        )
    if all(moment.time() == datetime.time() for moment in moments):
        return [moment.date() for moment in moments]
    return cast(list[datetime.date], moments)


def _moment(value: object) -> datetime.datetime:
    try:
        if isinstance(value, str):
            return datetime.datetime.fromisoformat(value)
        if isinstance(value, datetime.datetime):
            return value
        if isinstance(value, datetime.date):
            return datetime.datetime.combine(value, datetime.time())
    except ValueError:
        pass
    raise PolicyError("some of the values are not dates; write them as in 2024-05-17")
