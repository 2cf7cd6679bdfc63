"""Intervals and sets, and the values that they name: both ends, and every member.

In a minimal release each of them is some row's value. Had no row of the group a member of its set, all rows
could have been given the set without it; had no row the first number of its interval, a shorter one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks.candidates import BLOCK
from shoal.auditor.attacks.certain import NOT_MINIMAL, Alike, Certain, Column, Rows
from shoal.model.hierarchy.number_label import Span
from shoal.model.table.cell_meaning import NOTHING, CellReader, Key, Meaning, key_of


class NamedColumn(Column):
    """Labels that name values, each of which some row of the group must have.

    Parameters
    ----------
    reader
        How the labels are read.
    texts
        The released cells, by number.
    """

    def __init__(self, reader: CellReader, texts: Sequence[str | None]) -> None:
        self._reader = reader
        self._texts = texts
        self._named = cache(self._read)
        self._covered: tuple[Rows, NDArray[np.int64]] | None = None

    @property
    def names_any(self) -> bool:
        """Whether a cell is an interval or a set."""
        return any(len(self._named(label)) > 1 for label in range(len(self._texts)))

    def certain(self, label: int, size: int, k: int, alike: Alike) -> Certain | None:  # noqa: ARG002
        return certain_names(self._named(label), size, k)

    def _read(self, label: int) -> tuple[Meaning, ...]:
        text = self._texts[label]
        meaning = self._reader.meaning(text)
        if text is None or meaning.everything:
            return ()
        own = key_of(text)
        values = sorted(
            (each for each in meaning.values if each != own and not self._is_interval(each)), key=str
        )
        return (
            *(Meaning(values=frozenset([value])) for value in values),
            *(Meaning(values=frozenset([end])) for end in _ends(meaning.spans)),
            *(Meaning(days=(Span(end, end),)) for end in _ends(meaning.days)),
            *([Meaning(missing=True)] if meaning.missing else []),
        )

    def _is_interval(self, value: Key) -> bool:
        """Whether a part of a label is an interval, whose ends are named instead."""
        meaning = NOTHING if isinstance(value, Fraction) else self._reader.meaning(value)
        return bool(_ends(meaning.spans) or _ends(meaning.days))

    def held(self, part: Hashable, values: Rows) -> int:
        assert isinstance(part, Meaning)
        return sum(rows for value, rows in values.items() if part.covers(_text(value)))

    def covered(self, label: int, values: Rows) -> int:
        if self._covered is None or self._covered[0] is not values:
            self._covered = values, self._rows_covered(values)
        return int(self._covered[1][label])

    def _rows_covered(self, values: Rows) -> NDArray[np.int64]:
        """By label the rows that it covers; the readings of many labels share an index of the values."""
        texts, rows = [_text(value) for value in values], np.array(list(values.values()), np.int64)
        width = max(1, BLOCK // max(1, len(texts)))
        blocks = [
            self._reader.covering(self._texts[first : first + width], texts) @ rows
            for first in range(0, len(self._texts), width)
        ]
        return np.concatenate(blocks) if blocks else np.zeros(0, np.int64)


def certain_names(named: Sequence[Hashable], size: int, k: int) -> Certain | None:
    """What is certain about a group whose label names values; `None` if it names a single one, or none."""
    if len(named) < 2:
        return None
    if size < k or len(named) > size:  # more names than rows: some are nobody's
        return NOT_MINIMAL
    return Certain(least=dict.fromkeys(named, 1), exact=len(named))


def _ends(spans: Iterable[Span]) -> list[Fraction]:
    """Both ends of each interval that has and includes both."""
    ends = []
    for span in spans:
        if span.low is not None and span.high is not None and span.has_low and span.has_high:
            ends += sorted({span.low, span.high})
    return ends


def _text(value: Hashable) -> str | None:
    assert value is None or isinstance(value, str)
    return value
