"""The forms that a released column can be read in, and what each of its labels becomes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.hierarchy.number_label import Span
from shoal.model.result.column_coding import CellCoding, ColumnCoding
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.label_bounds import moment_of
from shoal.pipeline.read_back.plain_cells import MOST_WHOLE, plain_cells
from shoal.pipeline.read_back.typed_cells import Element, Ends, Scalar, TypedCells

Form = Literal["typed", "label", "lower", "upper", "midpoint", "interval", "ordered", "list", "missing"]
FORMS: tuple[Form, ...] = get_args(Form)
_OF_BOUNDS = ("lower", "upper", "midpoint", "interval")
_ZONED = re.compile(r"\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)")

Limits = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadColumn:
    """A quasi-identifier of a release.

    Parameters
    ----------
    coding
        How to read its labels.
    labels, codes
        Its distinct labels, and the label of each row.
    limits
        The least and the greatest value that the column can have, if the reader knows them.
    """

    coding: ColumnCoding
    labels: Sequence[str | None]
    codes: NDArray[np.int32]
    limits: Limits | None = None

    def offers(self, form: Form) -> bool:
        """Whether the column can be read in a form."""
        return self._refusal(form) is None

    def read(self, form: Form, name: str | None = None) -> TypedCells:
        """The column in one form; `PolicyError` if it does not have it.

        Parameters
        ----------
        form
            The form.
        name
            What to call the result; like the column when absent.
        """
        refusal = self._refusal(form)
        if refusal is not None:
            raise PolicyError(refusal)
        return _READ[form](self, name or self.coding.name)

    def _refusal(self, form: Form) -> str | None:
        """Why the column cannot be read in a form."""
        column = repr(self.coding.name)
        if form in _OF_BOUNDS:
            return self._no_bounds(form)
        if form == "ordered" and self._order is None:
            return (
                f"the labels of column {column} have no order in which each follows another, so they "
                'cannot be an ordered category; use "label", or "list" for the values of each label'
            )
        if form != "list":
            return None
        if self.coding.kind != "category":
            return (
                f"column {column} has intervals of {self._word}, whose values are not listed; use "
                '"interval", "lower" or "upper"'
            )
        unlisted = [label for label, cell in self._seen if cell.members is None and not cell.suppressed]
        return None if not unlisted else self._word_of_a_hierarchy(unlisted[0])

    def _no_bounds(self, form: str) -> str | None:
        column = repr(self.coding.name)
        if self.coding.center is not None:
            return (
                f"the cells of column {column} are the {self.coding.center} of a group, not an interval that "
                f'contains the value of the row, so they have no {form}; use "typed"'
            )
        if self.coding.kind == "category":
            return (
                f'column {column} has categories, which have no {form}; use "ordered", "list" or "label". '
                f"Forms with bounds are for numbers and dates"
            )
        unread = [label for label, _ in self._seen if not self.coding.reads(label)]
        return None if not unread else self._word_of_a_hierarchy(unread[0])

    def _word_of_a_hierarchy(self, label: str | None) -> str:
        return (
            f"the label {label!r} of column {self.coding.name!r} is a word of a hierarchy, and the manifest "
            "does not list its values; pass the hierarchy: policy=..., or hierarchies={...}"
        )

    @property
    def _word(self) -> str:
        return "numbers" if self.coding.kind == "number" else "dates"

    @cached_property
    def _seen(self) -> list[tuple[str | None, CellCoding]]:
        used = np.unique(self.codes).tolist()
        return [(self.labels[code], self.coding.cell(self.labels[code])) for code in used]

    @cached_property
    def _order(self) -> tuple[str, ...] | None:
        """The labels in their order, each below the next; `None` if some overlap, or there is none."""
        if not self.coding.has_bounds:
            return self.coding.order
        spans = [(cell.span, label) for label, cell in self._seen if cell.span is not None]
        spans.sort(key=lambda each: (each[0].low is not None, each[0].low or 0, each[0].high or 0))
        apart = all(_below(first, second) for (first, _), (second, _) in pairwise(spans))
        return tuple(str(label) for _, label in spans) if apart else None

    # What each label becomes.

    def _cells(self, made: Callable[[CellCoding], object]) -> list[object]:
        return [made(self.coding.cell(label)) for label in self.labels]

    @cached_property
    def element(self) -> Element:
        """The type of its values."""
        if self.coding.kind == "category":
            return "text"
        if self.coding.kind == "date":
            return "moment" if self.coding.moments else "date"
        spans = [cell.span for _, cell in self._seen if cell.span is not None]
        ends = [end for span in spans for end in (span.low, span.high) if end is not None]
        small = all(abs(end) < MOST_WHOLE for end in (*ends, *(self.limits or ())))
        return "whole" if self.coding.whole and small else "decimal"

    def _scalar(self, end: Fraction | None) -> Scalar | None:
        """An end in the column's type."""
        if end is None:
            return None
        if self.coding.kind == "date":
            moment = moment_of(end)
            if not self.coding.moments:
                return moment.date()
            return moment.replace(tzinfo=datetime.UTC) if self._zoned else moment
        return int(end) if self.element == "whole" else float(end)

    @cached_property
    def _zoned(self) -> bool:
        return any(label is not None and _ZONED.search(label) for label in self.labels)

    def _span(self, cell: CellCoding) -> Span | None:
        """The values that a cell can represent, within what the reader knows."""
        if self.limits is None:
            return cell.span
        low, high = self.limits
        span = cell.span
        if cell.suppressed:
            return Span(low, high)
        if span is None:
            return None
        found = Span(
            low if span.low is None else span.low,
            high if span.high is None else span.high,
            span.low is None or span.has_low,
            span.high is None or span.has_high,
        )
        if found.low > found.high:  # type: ignore[operator]
            raise PolicyError(
                f"limits of column {self.coding.name!r}: a label of the release lies beyond them; widen them"
            )
        return found

    def _lower(self, name: str) -> TypedCells:
        def made(cell: CellCoding) -> object:
            span = self._span(cell)
            return None if span is None else self._scalar(span.low)

        return TypedCells(name=name, element=self.element, cells=self._cells(made), codes=self.codes)

    def _upper(self, name: str) -> TypedCells:
        def made(cell: CellCoding) -> object:
            span = self._span(cell)
            return None if span is None else self._scalar(span.high)

        return TypedCells(name=name, element=self.element, cells=self._cells(made), codes=self.codes)

    def _midpoint(self, name: str) -> TypedCells:
        def made(cell: CellCoding) -> object:
            span = self._span(cell)
            if span is None or span.low is None or span.high is None:
                return None
            middle = (span.low + span.high) / 2
            if self.coding.kind == "number":
                return float(middle)
            moment = moment_of(middle)
            return moment.replace(tzinfo=datetime.UTC) if self._zoned else moment

        element: Element = "decimal" if self.coding.kind == "number" else "moment"
        return TypedCells(name=name, element=element, cells=self._cells(made), codes=self.codes)

    def _interval(self, name: str) -> TypedCells:
        def made(cell: CellCoding) -> object:
            span = self._span(cell)
            if span is None:
                return None
            ends = self._scalar(span.low), self._scalar(span.high)
            return Ends(*ends, has_low=span.has_low, has_high=span.has_high)

        cells = self._cells(made)
        return TypedCells(name=name, element=self.element, shape="interval", cells=cells, codes=self.codes)

    def _label(self, name: str) -> TypedCells:
        return TypedCells(name=name, element="text", cells=self.labels, codes=self.codes)

    def _without_stars(self) -> list[str | None]:
        return [None if label == SUPPRESSED else label for label in self.labels]

    def _category(self, name: str) -> TypedCells:
        order, cells = self._order, self._without_stars()
        used = {cells[code] for code in np.unique(self.codes).tolist()}
        listed = [label for label in (*self.coding.entries, *cells) if label is not None and label in used]
        return TypedCells(
            name=name,
            element="text",
            shape="category",
            cells=cells,
            codes=self.codes,
            categories=tuple(dict.fromkeys(listed)) if order is None else order,
            ordered=order is not None,
        )

    def _list(self, name: str) -> TypedCells:
        cells = self._cells(lambda cell: cell.members)
        return TypedCells(name=name, element="text", shape="list", cells=cells, codes=self.codes)

    def _missing(self, name: str) -> TypedCells:
        cells = self._cells(lambda cell: cell.missing)
        return TypedCells(name=name, element="truth", cells=cells, codes=self.codes)

    def _typed(self, name: str) -> TypedCells:
        if self.coding.kind == "category":
            return self._category(name)
        if self.coding.center is not None:
            return plain_cells(name, self._without_stars(), self.codes, is_text=False)
        if not self.offers("interval"):
            return self._category(name)
        spans = [self._span(cell) for _, cell in self._seen]
        single = all(span is None or (span.low == span.high and span.low is not None) for span in spans)
        return self._lower(name) if single else self._interval(name)


def _below(one: Span, other: Span) -> bool:
    """Whether every value of one span is less than every value of another."""
    if one.high is None or other.low is None:
        return False
    return one.high < other.low or (one.high == other.low and not (one.has_high and other.has_low))


_READ: dict[Form, Callable[[ReadColumn, str], TypedCells]] = {
    "typed": ReadColumn._typed,
    "label": ReadColumn._label,
    "lower": ReadColumn._lower,
    "upper": ReadColumn._upper,
    "midpoint": ReadColumn._midpoint,
    "interval": ReadColumn._interval,
    "ordered": ReadColumn._category,
    "list": ReadColumn._list,
    "missing": ReadColumn._missing,
}
