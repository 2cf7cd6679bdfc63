"""The ordered domain of one quasi-identifier, as the search sees it: codes 0..n-1 in a fixed order.

A domain defines how an interval of its codes is printed in a release and how much detail the interval
loses (Iyengar's general loss). Both are decided here, once, for every algorithm and every engine.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Literal

from shoal.errors import InternalError
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.order.arrangement import Arrangement
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.marks import MISSING, SUPPRESSED
from shoal.model.table.number_text import Number, exact, json_number, number, number_text, plus
from shoal.model.table.printed_labels import PrintedLabels, shown_codes

__all__ = ["MISSING", "SUPPRESSED", "Domain", "Kind", "Value", "shown_codes", "value_text"]

Kind = Literal["number", "date", "category"]
Value = Number | str | bool | datetime.date | datetime.datetime | None


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Values of one attribute in their order; `None`, the missing value, can only be the last.

    Parameters
    ----------
    name
        The column.
    kind
        Decides labels and losses: intervals for numbers and dates, sets for categories.
    values
        The values present, in order. With `bin`, the lower ends of the bins present. Numbers are exact; a
        float counts as its shortest text.
    bin
        Width of the bins that the numbers were put into before the search, if any.
    integral
        Whether the numbers are whole, so that a bin of width 5 ends at 24 and not just below 25.
    tree
        The hierarchy over the codes, if any.
    arrangement
        Where the order of categories comes from, if it is known.
    reading
        How the cells of the column are read, if they were.
    """

    name: str
    kind: Kind
    values: tuple[Value, ...]
    bin: Number | None = None
    integral: bool = True
    tree: Tree | None = None
    arrangement: Arrangement | None = field(default=None, compare=False)
    reading: CellReading | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if any(isinstance(value, float) for value in (*self.values, self.bin)):
            exactly = [number(each) if isinstance(each, float) else each for each in self.values]
            object.__setattr__(self, "values", tuple(exactly))
            object.__setattr__(self, "bin", None if self.bin is None else number(self.bin))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def has_missing(self) -> bool:
        return bool(self.values) and self.values[-1] is None

    @cached_property
    def has_doubles(self) -> bool:
        """Whether each of the decimals, and the width of the bins, is the shortest text of a double."""
        decimals = [value for value in (*self.values, self.bin) if isinstance(value, Decimal)]
        return all(isinstance(json_number(value), float) for value in decimals)

    @property
    def is_scale(self) -> bool:
        """Whether the order of categories is meaningful: listed in the policy, or recognised."""
        return self.arrangement is not None and self.arrangement.is_scale

    def loss(self, first: int, last: int) -> Fraction:
        """General loss of the interval of codes `first..last`: 0 for one value, 1 for the whole domain.

        Numbers and dates lose width over width; categories lose (values - 1) over (domain - 1). An interval
        that joins the missing value with others loses everything: it reveals nothing about a row. With a
        hierarchy of the user's the domain is its leaves, seen or not: an interval of numbers covers the
        leaves between its ends, a set of categories only its values.
        """
        if first == last:
            return Fraction(0)
        if self.kind == "category" or self._by_leaves:
            return self.share(first, last)
        if self.values[last] is None:
            return Fraction(1)
        places, _ = self.places
        return Fraction(places[last] - places[first], places[-1])

    def share(self, first: int, last: int) -> Fraction:
        """Loss of the interval of codes `first..last` counted in values: (values - 1) over (domain - 1)."""
        if first == last:
            return Fraction(0)
        if self.tree is None or not self._by_leaves:
            return Fraction(last - first, len(self) - 1)
        whole = self.tree.total - 1
        if self.kind == "category":
            return Fraction(last - first, whole)
        return Fraction(self.tree.places[last] - self.tree.places[first], whole)

    def span_loss(self, codes: Sequence[int]) -> Fraction:
        """General loss of a set of categories, or of an interval with or without the missing value."""
        by_width = self.kind != "category" and not self._by_leaves
        return self.loss(codes[0], codes[-1]) if by_width else self.span_share(codes)

    def span_share(self, codes: Sequence[int]) -> Fraction:
        """Loss of some codes counted in values, as `share` counts those of an interval."""
        if self._is_interval(codes):
            return self.share(codes[0], codes[-1])
        if self.kind == "category":
            return self.share(0, len(codes) - 1)
        # An interval and, apart from it, the missing value.
        whole = self.hierarchy.total if self._by_leaves else len(self)
        return self.share(codes[0], codes[-2]) + Fraction(1, whole - 1)

    @staticmethod
    def _is_interval(codes: Sequence[int]) -> bool:
        return codes[-1] - codes[0] == len(codes) - 1

    @property
    def _by_leaves(self) -> bool:
        return self.tree is not None and self.tree.given

    def part_losses(self, level: int) -> tuple[Fraction, ...]:
        """General loss of each part of a level of the hierarchy."""
        tree = self.hierarchy
        if tree.given or self.kind == "category":
            return self.part_shares(level)
        return tuple(self.loss(codes[0], codes[-1]) for codes in tree.members(level))

    def part_shares(self, level: int) -> tuple[Fraction, ...]:
        """Loss of each part of a level counted in leaves: (leaves - 1) over (all leaves - 1)."""
        tree = self.hierarchy
        return tuple(
            Fraction(below - 1, tree.total - 1) if below > 1 else Fraction(0) for below in tree.leaves[level]
        )

    def part_steps(self, level: int) -> tuple[Fraction, ...]:
        """Levels that each part has climbed, as a share of the hierarchy's height (Sweeney's precision)."""
        tree = self.hierarchy
        # A hierarchy of one value may have no level above it; that value never climbs.
        return tuple(Fraction(step, max(1, tree.height)) for step in tree.steps(level))

    @property
    def hierarchy(self) -> Tree:
        """The tree; an internal error if the domain has none."""
        if self.tree is None:
            raise InternalError(f"column {self.name!r} has no hierarchy")
        return self.tree

    def position(self, code: int) -> Fraction:
        """Where a number or date lies on a line: days or microseconds for dates."""
        value = self.values[code]
        if isinstance(value, datetime.datetime):
            return Fraction((value - datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo)) // _MICROSECOND)
        if isinstance(value, datetime.date):
            return Fraction(value.toordinal())
        assert isinstance(value, int | Decimal)
        return exact(value)

    @cached_property
    def places(self) -> tuple[tuple[int, ...], int]:
        """Positions of the known values as whole numbers from the first, and how many such units make 1."""
        positions = [self.position(code) for code in range(len(self) - self.has_missing)]
        unit = math.lcm(*(each.denominator for each in positions))
        return tuple(int((each - positions[0]) * unit) for each in positions), unit

    @cached_property
    def printed(self) -> PrintedLabels:
        """How a release prints values of this domain."""
        return PrintedLabels(self)

    def label(self, first: int, last: int) -> str | None:
        """The interval of codes `first..last` spelled out; `None` is a missing cell."""
        return self.printed.spelled(range(first, last + 1), (first, last))

    def labels(
        self, starts: Sequence[int], released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        """Labels of all intervals of a partition given by its first codes, no two of them equal.

        Parameters
        ----------
        starts
            The first codes of the intervals.
        released
            The codes that released rows have. A label is built from them alone, so that it cannot reveal a
            value that only suppressed rows had; an interval without any is never printed and has the label
            `None`.
        """
        return self.printed.numbered(self.printed.of_intervals(starts, released))

    def span_labels(
        self, spans: Sequence[Sequence[int]], released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        """Labels of intervals or sets, no two of them equal unless the spans are; as in `labels`."""
        return self.printed.numbered(self.printed.of_spans(spans, released))

    def level_labels(self, level: int, released: Collection[int] | None = None) -> tuple[str | None, ...]:
        """The labels of a level of the hierarchy.

        A label that the user gave reveals the hierarchy and not the rows. A label built from the data spells
        out the values present, so it is spelled again with the values of the released rows only.
        """
        return self.printed.numbered(self.printed.of_level(level, released))

    def bin_end(self, code: int) -> Number:
        """Where a bin ends; the number itself is not in it."""
        start = self.values[code]
        assert self.bin is not None
        assert isinstance(start, int | Decimal)
        return plus(start, self.bin)

    def text(self, code: int) -> str:
        """One value as a release prints it."""
        return value_text(self.values[code])


def value_text(value: Value) -> str:
    """A value as a release prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return number_text(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


_MICROSECOND = datetime.timedelta(microseconds=1)
