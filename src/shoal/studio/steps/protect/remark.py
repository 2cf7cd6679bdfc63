"""A sentence about a policy. No page code."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 40
"""Signs of a column's name in a sentence."""


@dataclass(frozen=True)
class Remark:
    """A sentence about a policy, and what it is about.

    Parameters
    ----------
    words
        The sentence.
    column
        The column that it is about.
    model
        The place in the list of models that it is about.
    """

    words: str
    column: str | None = None
    model: int | None = None


def short(name: str) -> str:
    """A column's name for a sentence: on one line, and not longer than a line."""
    line = " ".join(name.split()) or "(no name)"
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
