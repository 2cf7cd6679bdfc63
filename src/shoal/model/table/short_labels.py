"""Short labels of large sets: `{A, B, ... 12 #7}` has twelve values, and is set 7 of its column.

A cell that lists hundreds of values makes a release many times as large as its source, and nobody reads it.
So a set of more than a handful of values prints its first two, how many it has, and a number that
distinguishes it from the other sets of the column. The manifest lists its values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

MOST_LISTED = 5
"""The most values that a label lists."""

MORE = "..."
"""Begins the part of a short label that is no value; a value that begins so is quoted within a set."""

_END = re.compile(r", \.\.\. ([1-9][0-9]*) #[1-9][0-9]*\}", re.ASCII)


def is_short(text: str) -> bool:
    """Whether a text reads as a short label: without the manifest, its values are unknown."""
    if not (text.startswith("{") and text.endswith("}") and f", {MORE} " in text):
        return False
    return _END.fullmatch(text, text.rindex(f", {MORE} ")) is not None


def short_label(first: str, second: str, values: int, number: int) -> str:
    """The short label of a set.

    Parameters
    ----------
    first, second
        Its first two values, quoted where needed.
    values
        How many it has.
    number
        Its number in the column.
    """
    return f"{{{first}, {second}, {MORE} {values} #{number}}}"


def numbered(sets: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Large sets in the order of their numbers, from 1 on: that of their codes."""
    return sorted({tuple(codes) for codes in sets})


def listed(members: Sequence[str | None], missing: str) -> str:
    """All values of a set in one text, each quoted; `None` is the missing value."""
    texts = (missing if member is None else json.dumps(member, ensure_ascii=False) for member in members)
    return "{" + ", ".join(texts) + "}"
