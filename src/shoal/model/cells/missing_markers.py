"""Cells that mean "missing" without being empty: NA, ?, NULL, and numbers such as 999.

In a column of numbers or dates such a word cannot be a value, so it is recognised there. Among categories it
can: NA is Namibia among countries, "-" a grade, "None" an answer, and many hierarchies have a line for "?".
There the policy decides, and Shoal only suggests. Codes such as 999 are always only suggested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.model.cells.values import text_of
from shoal.model.table.number_text import Number, number_of

MARKERS = frozenset(
    {
        *("", "na", "n/a", "n.a.", "k.a.", "n.d.", "s.d.", "<na>", "#n/a", "#na", "nan", "nat"),
        *("null", "#null!", "(null)", "\\n", "none", "nil", "missing"),
        *("?", "??", ".", "..", "-", "--", "---", "\u2013", "\u2014"),
    }
)
"""In small letters and without spaces around them. Words such as "unknown" or "refused" are answers: whether
they mean the same as an empty cell is for the policy to say."""
LONGEST_MARKER = max(map(len, MARKERS))
CODES = (-9, -99, -999, -9999, 99, 999, 9999)
"""Numbers that often mean "missing"."""


def is_marker(text: str) -> bool:
    """Whether a text usually means "missing" in a column of numbers or dates."""
    return text.strip().casefold() in MARKERS


def marker_text(cell: object) -> str:
    """A marker as it is listed: without spaces around it; a number as a release prints it."""
    return cell.strip() if isinstance(cell, str) else text_of(cell)  # type: ignore[arg-type]


class StatedMarkers:
    """The cells that a policy declares missing; a number is recognised however it is written.

    Parameters
    ----------
    markers
        The texts, as the policy lists them.
    """

    def __init__(self, markers: Iterable[str]) -> None:
        self.texts = frozenset(each.strip() for each in markers)
        self._numbers = frozenset(filter(lambda each: each is not None, map(number_of, self.texts)))

    def __contains__(self, cell: object) -> bool:
        if not self.texts or cell is None:
            return False
        text = marker_text(cell)
        if text in self.texts:
            return True
        return bool(self._numbers) and number_of(text) in self._numbers


def suggested_codes(numbers: Sequence[Number]) -> tuple[int, ...]:
    """The numbers of a column that are far from all others, and look like codes for "missing".

    A negative code is far from numbers that are otherwise not negative. A code at an end is far if the step
    to the next number is at least as long as the range of all others.
    """
    found: list[int] = []
    ordered = sorted(set(numbers))
    while len(ordered) > 2:
        low, high = ordered[0], ordered[-1]
        if low in CODES and (ordered[1] >= 0 > low or ordered[1] - low >= max(5, high - ordered[1])):
            found.append(int(ordered.pop(0)))
        elif high in CODES and high - ordered[-2] >= max(5, ordered[-2] - low):
            found.append(int(ordered.pop()))
        else:
            break
    return tuple(found)
