"""What a released table lost, read from its cells alone and with the same definition for every contender.

General loss as docs/algorithms/exact.md defines it, over the values present in the source: an interval of
numbers loses its width over the width of the column, a set of categories (values - 1) over (all values - 1),
`*` loses 1, and so do numbers that are joined with the missing value. A row that is not released loses 1 in
every cell. This reader shares no code with Shoal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
INTERVAL = re.compile(rf"\[({NUMBER}), ({NUMBER})\]")
RANGE = re.compile(rf"({NUMBER}) ?- ?({NUMBER})")
PREFIX = re.compile(r"(.+?)(\*+)")
SHORT = re.compile(r"\{.*, \.\.\. (\d+) #\d+\}", re.DOTALL)
MEMBER = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,"\s][^,"]*)')
MISSING = "missing"
WHOLE = "*"


class UnreadableError(ValueError):
    """A released cell that none of the documented forms fits."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """The values of a column of the source.

    Parameters
    ----------
    values
        Its distinct values as text, without the missing one.
    missing
        Whether a value is missing.
    least, greatest
        The ends of a column of numbers; `None` for categories.
    """

    values: frozenset[str]
    missing: bool
    least: float | None
    greatest: float | None

    @classmethod
    def of(cls, column: pd.Series) -> Column:
        """What is to know of a column of the source."""
        present = column.dropna()
        number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        return cls(
            values=frozenset(present.astype(str)),
            missing=len(present) < len(column),
            least=float(present.min()) if number else None,
            greatest=float(present.max()) if number else None,
        )

    @property
    def size(self) -> int:
        """Values, the missing one included."""
        return len(self.values) + self.missing

    def of_span(self, first: float, last: float) -> float:
        """Loss of an interval of numbers."""
        assert self.least is not None
        assert self.greatest is not None
        return (last - first) / (self.greatest - self.least)

    def of_set(self, values: int) -> float:
        """Loss of a set with that many values."""
        return (values - 1) / (self.size - 1)


Reader = Callable[[Column, str], float]
"""The loss of a cell, from its text."""


def shoal_cell(column: Column, text: str) -> float:
    """Loss of a cell as docs/reference/released-values.md describes it."""
    if text == WHOLE:
        return 1.0
    if text in column.values or (text == "" and column.missing):
        return 0.0
    if column.least is not None:
        return _shoal_number(column, text)
    if short := SHORT.fullmatch(text):
        return column.of_set(int(short[1]))
    if text.startswith("{") and text.endswith("}"):
        return column.of_set(len(MEMBER.findall(text[1:-1])))
    if prefix := PREFIX.fullmatch(text):
        kept, length = prefix[1], len(text)
        return column.of_set(sum(len(each) == length and each.startswith(kept) for each in column.values))
    raise UnreadableError(text)


def _shoal_number(column: Column, text: str) -> float:
    if re.fullmatch(NUMBER, text):
        return 0.0
    if text.endswith((f" or {MISSING}", f", {MISSING}}}")):
        return 1.0
    if interval := INTERVAL.fullmatch(text):
        return column.of_span(float(interval[1]), float(interval[2]))
    raise UnreadableError(text)


def peer_cell(column: Column, text: str) -> float:
    """Loss of a cell of the Python packages: `20-29`, `20 - 29`; coded categories as `v0,v7` or `v0-v7`."""
    if text == WHOLE:
        return 1.0
    if column.least is None:
        return column.of_set(len(set(re.split("[,-]", text))))
    if re.fullmatch(NUMBER, text) or text in {"", "nan", "nan - nan", "nan-nan"}:
        return 0.0
    if span := RANGE.fullmatch(text):
        return column.of_span(float(span[1]), float(span[2]))
    raise UnreadableError(text)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a release lost.

    Parameters
    ----------
    loss
        The mean over all cells of the source's rows, 0 to 1.
    flattened
        Columns of several values that became one label.
    lost
        Rows that are absent, or of which every quasi-identifier is `*`.
    columns
        The loss of each column.
    """

    loss: float
    flattened: tuple[str, ...]
    lost: int
    columns: dict[str, float]


def measure(
    source: pd.DataFrame, released: pd.DataFrame, counts: pd.Series, read: Mapping[str, Reader]
) -> Measured:
    """Measure a release: its quasi-identifiers as text, and how many rows each of its lines is."""
    rows, kept = len(source), int(counts.sum())
    losses: dict[str, float] = {}
    flattened = []
    for name in released:
        column = Column.of(source[name])
        weights = counts.groupby(released[name]).sum()
        if column.size > 1:
            spent = sum(read[name](column, str(text)) * count for text, count in weights.items())
            losses[name] = float((spent + rows - kept) / rows)
            if len(weights) == 1:
                flattened.append(name)
        else:
            losses[name] = float((rows - kept) / rows)
    blank = int(counts[(released == WHOLE).all(axis=1)].sum())
    return Measured(
        loss=sum(losses.values()) / len(losses),
        flattened=tuple(flattened),
        lost=rows - kept + blank,
        columns=losses,
    )
