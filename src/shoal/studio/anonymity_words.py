"""How a released row hides, in words that claim no more than the audit measured. No page code."""

from __future__ import annotations

from shoal import Verdict

NOT_TOGETHER = " All columns together may identify single rows."
"""The caveat for columns that are known in sets."""

_PERSONS = "k-anonymity("
"""Begins the key of the model that counts persons by their column."""


def persons_of(verdict: Verdict) -> int | None:
    """The fewest persons of a group, if persons were counted; rows alone do not show them."""
    counts = [model.measured for model in verdict.models if model.key.startswith(_PERSONS)]
    return None if not counts or counts[0] is None else int(counts[0])


def smallest_of(verdict: Verdict) -> tuple[int | None, str]:
    """The size of the smallest group, and what it counts: rows, or people where they were counted."""
    persons = persons_of(verdict)
    return (verdict.k, "rows") if persons is None else (persons, "people")


def further(verdict: Verdict) -> int:
    """How many demands were judged in addition to k, of rows or of persons."""
    return sum(not model.key.startswith(_PERSONS) for model in verdict.models)


def hides(verdict: Verdict, sets: int = 0) -> str:
    """Among how many a row hides, as a sentence without its end.

    Parameters
    ----------
    verdict
        What the audit measured; it has groups.
    sets
        Sets of columns that others know apart: a row hides on each by itself, and not on all together.
    """
    many, counted = smallest_of(verdict)
    among = f"at least {many or 0:,} {counted}"
    if sets > 1:
        return f"On each of {sets} sets of columns that others know apart, every row hides among {among}"
    return f"Every row hides among {among}"
