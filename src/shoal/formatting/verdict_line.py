"""The verdict on a release in one line: the report and all pages of the studio say this sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from shoal.formatting.numbers import number

Promise = Literal["a", "b", "c", "household"]
"""What is promised about people: by single rows, by whole histories, by some known rows; or of households."""

NOT_TOGETHER = " All columns together may identify single rows."
"""The caveat for columns that are known in sets."""


def promise_kind(
    *, entity: str | None, linkable: bool, known_events: int | str, household: str | None
) -> Promise | None:
    """What a policy promises about people; `None` if it counts rows."""
    if household is not None:
        return "household"
    if entity is None:
        return None
    if not linkable:
        return "a"
    return "b" if known_events == "all" else "c"


def verdict_line(
    *,
    holds: bool | None,
    failures: int = 0,
    unmeasured: Sequence[str] = (),
    k: int | None,
    smallest: int | None,
    promise: Promise | None = None,
    known_events: int | str = "all",
    sets: int = 0,
    wildcards: bool = False,
) -> str:
    """What was found, in one sentence that claims no more than was measured.

    Parameters
    ----------
    holds
        Whether what was demanded holds; `None` if nothing was demanded, or not all of it was measured.
    failures
        How many findings break it.
    unmeasured
        What was demanded and not measured in the release.
    k
        The k that is demanded; `None` if only models are, or nothing is.
    smallest
        The rows of the smallest group; `None` if every row is suppressed.
    promise, known_events
        What is promised about people.
    sets
        How many sets of columns others know apart.
    wildcards
        Whether k holds only with suppressed cells read as any value.
    """
    if holds is None and unmeasured:
        return (
            "What could be measured in the release shows no fault. This was measured only when it was made: "
            f"{', '.join(unmeasured)}."
        )
    if holds is None:
        return f"Nothing was demanded; the smallest group has {number(smallest, 'not measured')} row(s)."
    if not holds:
        return f"The release does not hold what was demanded: {failures} finding(s)."
    if k is not None and wildcards:
        return f"The demand holds only with * read as any value: every row is like at least {k:,} rows."
    if k is None:
        return "The release holds what was demanded: the models hold."
    if smallest is None:
        return "The release holds what was demanded: every row is suppressed throughout."
    apart = " on each set of columns that are known apart" if sets > 1 else ""
    more = NOT_TOGETHER if sets > 1 else ""
    return f"The release holds what was demanded: {_hidden(k, promise, known_events)}{apart}.{more}"


def _hidden(k: int, promise: Promise | None, known_events: int | str) -> str:
    """What every row, person or household hides among."""
    if promise is None:
        return f"every row hides among at least {k:,}"
    if promise == "a":
        return f"every row hides among rows of at least {k:,} persons"
    if promise == "b":
        return f"every person's history is that of at least {k:,} persons"
    if promise == "c":
        return f"up to {known_events} known rows of a person are rows of at least {k:,} persons"
    return f"every household has the same members as at least {k:,} households, itself among them"
