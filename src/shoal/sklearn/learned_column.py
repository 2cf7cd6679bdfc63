"""What `fit` learned of one column: the parts of its values, and where a value falls that it did not see."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.cell_meaning import CellReader, day_of
from shoal.model.table.domain import Kind
from shoal.model.table.marks import SUPPRESSED
from shoal.model.table.number_text import number_of

OUTSIDE = -1
"""The part of a value that no label covers."""

_EPOCH = 719_163
"""The day 1970-01-01 as Python counts days."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LearnedColumn:
    """One column's recoding.

    Parameters
    ----------
    name, kind
        The column, and how its values are read.
    part_of
        The part of each value that was seen, by its text; `None` is the missing value.
    labels
        Per part its label; `None` is printed as a missing cell.
    released
        The parts that released rows have. The others are of suppressed rows alone, and have no label.
    hierarchy
        The user's hierarchy, which knows the labels of values that no row had.
    """

    name: str
    kind: Kind
    part_of: Mapping[str | None, int]
    labels: tuple[str | None, ...]
    released: tuple[int, ...]
    hierarchy: Hierarchy | None = field(default=None, repr=False)

    def parts(self, texts: Sequence[str | None]) -> NDArray[np.int64]:
        """The part of each value: the one that it was seen in, else one whose label covers it."""
        parts = np.array([self.part_of.get(each, OUTSIDE) for each in texts], np.int64)
        new = np.flatnonzero(parts == OUTSIDE)
        labelled = [part for part in self.released if self.labels[part] is not None]
        if len(new) and labelled:
            reader = CellReader(self.hierarchy, self.kind)
            covered = reader.covering(
                [self.labels[part] for part in labelled], [texts[each] for each in new.tolist()]
            )
            found = covered.any(axis=0)
            parts[new[found]] = np.array(labelled)[covered[:, found].argmax(axis=0)]
        return parts

    def nearest(self, texts: Sequence[str | None]) -> NDArray[np.int64]:
        """The part with the nearest number or date; of two equally near ones the lower. Nothing is near to a
        category or to a missing value: `OUTSIDE`."""
        places = np.array([_place(each, self.kind) for each in texts], np.float64)
        parts = np.full(len(texts), OUTSIDE, np.int64)
        known = np.flatnonzero(~np.isnan(places))
        near = [part for part in self.released if not math.isnan(self.bounds[part][0])]
        if len(known) and near:
            low, high = (np.array([self.bounds[part][end] for part in near])[:, None] for end in (0, 1))
            distance = np.maximum(np.maximum(low - places[known], places[known] - high), 0.0)
            parts[known] = np.array(near)[distance.argmin(axis=0)]
        return parts

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Per part the least and the greatest number, or day, of its label; not a number where it has none.

        Where a label is a word, the bounds are those of the values that were seen under it.
        """
        if self.kind == "category":
            return ((math.nan, math.nan),) * len(self.labels)
        reader = CellReader(self.hierarchy, self.kind)
        seen: dict[int, list[float]] = {}
        for text, part in self.part_of.items():
            seen.setdefault(part, []).append(_place(text, self.kind))
        bounds = []
        for part, label in enumerate(self.labels):
            meaning = reader.meaning(label)
            spans = meaning.spans if self.kind == "number" else meaning.days
            ends = [end for span in spans for end in (span.low, span.high)]
            if label in (None, SUPPRESSED) or part not in self.released or meaning.missing:
                bounds.append((math.nan, math.nan))
            elif ends and None not in ends:
                bounds.append((min(map(float, ends)), max(map(float, ends))))  # type: ignore[arg-type]
            else:
                bounds.append((min(seen[part]), max(seen[part])))
        return tuple(bounds)

    @cached_property
    def midpoints(self) -> NDArray[np.float64]:
        """Per part the middle of its numbers, or of its dates in days since 1970; of a category its code."""
        if self.kind == "category":
            return self.codes
        offset = 0 if self.kind == "number" else _EPOCH
        return np.array([(low + high) / 2 - offset for low, high in self.bounds], np.float64)

    @cached_property
    def codes(self) -> NDArray[np.float64]:
        """Per part its place among the released ones, from 0; not a number for the others."""
        codes = np.full(len(self.labels), math.nan)
        codes[list(self.released)] = np.arange(len(self.released), dtype=np.float64)
        return codes


def _place(text: str | None, kind: Kind) -> float:
    """Where a number or a date is on a line."""
    if text is None or kind == "category":
        return math.nan
    place = number_of(text) if kind == "number" else day_of(text)
    return math.nan if place is None else float(place)
