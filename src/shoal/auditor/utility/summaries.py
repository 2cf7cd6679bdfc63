"""Summaries that an analyst computes from a release, with what it leaves open, next to the original's.

Of every column of numbers or dates: mean, median and quartiles. The bounds hold for the released rows; where
rows were left out, the original's figure can lie outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.utility.bounded import BoundedRows, plain_mean, plain_quantile
from shoal.auditor.utility.compared_column import ComparedColumn
from shoal.model.hierarchy.number_label import Span
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.label_bounds import DAY, MICROSECOND, Grid, moment_of
from shoal.model.table.number_text import number_of

QUARTILES = {"first quartile": 0.25, "median": 0.5, "third quartile": 0.75}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of the original, and what the release says of it.

    Parameters
    ----------
    name
        "mean", "median", "first quartile" or "third quartile".
    original
        The figure of the original.
    lowest, highest
        What it can be at least and at most, by the release.
    estimate
        What it is if every row has the middle of its label.
    """

    name: str
    original: float
    lowest: float
    highest: float
    estimate: float

    @property
    def contains(self) -> bool:
        """Whether the original's figure lies within the bounds, but for the last digits."""
        slack = 1e-9 * max(1.0, abs(self.lowest), abs(self.highest))
        return self.lowest - slack <= self.original <= self.highest + slack

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.name,
            "original": self.original,
            "lowest": self.lowest,
            "highest": self.highest,
            "estimate": self.estimate,
            "contains": self.contains,
        }


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The figures of one column.

    Parameters
    ----------
    column
        The column.
    is_date
        Whether its values are dates; its figures are then numbers of days, as `date` shows them.
    rows
        Released rows with bounds.
    unbounded
        Released rows whose label states no bounds, and which are left out: `*`, or open at one end.
    figures
        Mean, median and quartiles.
    """

    column: str
    is_date: bool
    rows: int
    unbounded: int
    figures: tuple[Figure, ...]

    def shown(self, value: float) -> str:
        """A value of the column for people."""
        if not self.is_date:
            return f"{value:.4g}"
        return moment_of(Fraction(round(value))).date().isoformat()

    def to_dict(self) -> dict[str, object]:
        """For programs; dates as text."""
        figures = [each.to_dict() for each in self.figures]
        if self.is_date:
            for figure in figures:
                for name in ("original", "lowest", "highest", "estimate"):
                    figure[name] = self.shown(figure[name])  # type: ignore[arg-type]
        return {
            "column": self.column,
            "rows": self.rows,
            "unbounded": self.unbounded,
            "figures": figures,
        }


def summary(
    column: ComparedColumn,
    released_weight: NDArray[np.float64],
    original_weight: NDArray[np.float64],
) -> Summary | None:
    """The figures of a column; `None` if its values are neither numbers nor dates, or nothing is left.

    Parameters
    ----------
    column
        The column before and after.
    released_weight, original_weight
        What each row counts.
    """
    if column.read.kind == "category":
        return None
    grid = grid_of(column)
    spans, missing = label_spans(column, grid)
    rows = _bounded(column, spans, missing, released_weight)
    values = np.array([_place(grid, text) for text in column.read.values])[column.original]
    known = ~np.isnan(values) & (original_weight > 0)
    if not len(rows) or not known.any():
        return None
    stars = np.array([span is None and not gone for span, gone in zip(spans, missing, strict=True)])
    open_ = np.array([span is not None and (span.low is None or span.high is None) for span in spans])
    values, weight = values[known], original_weight[known]
    middles = (rows.low + rows.high) / 2
    figures = [
        Figure(
            name="mean",
            original=plain_mean(values, weight),
            lowest=rows.means[0],
            highest=rows.means[1],
            estimate=rows.middle_mean,
        )
    ]
    for name, share in QUARTILES.items():
        low, high = rows.quantiles(share)
        original = plain_quantile(values, weight, share)
        estimate = plain_quantile(middles, rows.weight, share)
        figures.append(Figure(name=name, original=original, lowest=low, highest=high, estimate=estimate))
    return Summary(
        column=column.name,
        is_date=grid.is_date,
        rows=len(rows),
        unbounded=int((stars | open_)[column.released].sum()),
        figures=tuple(figures),
    )


def grid_of(column: ComparedColumn) -> Grid:
    """Where the values of a column lie, by those of the original."""
    known = [value for value in column.read.values if value is not None]
    if column.read.kind == "date":
        days = [day_of(value) for value in known]
        whole = all(day is None or day.denominator == 1 for day in days)
        return Grid(is_date=True, step=DAY if whole else MICROSECOND)
    numbers = [number_of(value) for value in known]
    whole = all(each is None or each.denominator == 1 for each in numbers)
    return Grid(is_date=False, step=Fraction(1) if whole else None)


def label_spans(column: ComparedColumn, grid: Grid) -> tuple[list[Span | None], list[bool]]:
    """Per label what it encloses, and whether it can be the missing value; `*` encloses nothing."""
    read = column.read
    meanings = [read.meaning(cell) for cell in range(len(read.cells))]
    spans = [
        None if read.cells[cell] in (None, SUPPRESSED) else grid.hull(each)
        for cell, each in enumerate(meanings)
    ]
    return spans, [each.missing and not each.everything for each in meanings]


def _bounded(
    column: ComparedColumn,
    spans: Sequence[Span | None],
    missing: Sequence[bool],
    weight: NDArray[np.float64],
) -> BoundedRows:
    low = np.array([np.nan if each is None or each.low is None else float(each.low) for each in spans])
    high = np.array([np.nan if each is None or each.high is None else float(each.high) for each in spans])
    codes = column.released
    chosen = ~np.isnan(low[codes]) & ~np.isnan(high[codes]) & (weight > 0)
    codes = codes[chosen]
    return BoundedRows(
        low=low[codes],
        high=high[codes],
        certain=~np.array(missing, np.bool_)[codes],
        weight=weight[chosen],
    )


def _place(grid: Grid, text: str | None) -> float:
    if text is None:
        return np.nan
    place = day_of(text) if grid.is_date else number_of(text)
    return np.nan if place is None else float(place)
