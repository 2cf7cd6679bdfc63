"""How released rows, persons and households hide, in words that claim no more than the audit measured.

No page code.
"""

from __future__ import annotations

from shoal import Verdict

NOT_TOGETHER = " All columns together may identify single rows."
"""The caveat for columns that are known in sets."""

_BY_ROW, _BY_HISTORY, _BY_EVENTS = "k-anonymity(", "whole-history(", "known-events("
"""Begin the keys of the models that count persons or households by their column."""
_OF_PEOPLE = (_BY_ROW, _BY_HISTORY, _BY_EVENTS)


def _promise(verdict: Verdict) -> tuple[str, int, str] | None:
    """The strongest promise about people that was measured: its key, the fewest alike, and what they are."""
    found = [each for each in verdict.models if each.key.startswith(_OF_PEOPLE) and each.measured is not None]
    if not found:
        return None
    strongest = max(found, key=lambda each: not each.key.startswith(_BY_ROW))
    assert strongest.measured is not None
    who = "households" if strongest.unit == "household" else "persons"
    return strongest.key, int(strongest.measured), who


def smallest_of(verdict: Verdict) -> tuple[int | None, str]:
    """The fewest that are alike, and what they are: rows, persons or households, as they were counted."""
    promise = _promise(verdict)
    return (verdict.k, "rows") if promise is None else promise[1:]


def further(verdict: Verdict) -> int:
    """How many demands were judged in addition to k, of rows or of people."""
    return sum(not model.key.startswith(_OF_PEOPLE) for model in verdict.models)


def hides(verdict: Verdict, sets: int = 0) -> str:
    """Among how many a row, a person or a household hides, as a sentence without its end.

    Parameters
    ----------
    verdict
        What the audit measured; it has groups.
    sets
        Sets of columns that others know apart: a row hides on each by itself, and not on all together.
    """
    promise = _promise(verdict)
    many, counted = smallest_of(verdict)
    among = f"at least {many or 0:,} {counted}"
    if promise is not None and promise[0].startswith(_BY_HISTORY):
        if counted == "households":
            return f"Every household has the same members as {among}, itself among them"
        return f"Every person has the same released rows as {among}, themselves among them"
    if promise is not None and promise[0].startswith(_BY_EVENTS):
        events = promise[0].removesuffix(")").rpartition(", ")[2]
        known = "Any row" if events == "1" else f"Any {events} rows"
        return f"{known} of a person can be those of {among}"
    if sets > 1:
        return f"On each of {sets} sets of columns that others know apart, every row hides among {among}"
    return f"Every row hides among {among}"
