"""Ends of messages about a name that does not exist: the nearest one that does, and the list of all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST_LISTED = 30


def suggestion(name: str, existing: Iterable[str]) -> str:
    """Which name was perhaps meant, and which exist."""
    names = list(existing)
    lowered = {each.lower(): each for each in names}
    near = difflib.get_close_matches(name.lower(), lowered, n=1)
    near = near or [each for each in lowered if len(name) > 2 and each.startswith(name.lower())]
    meant = f" Did you mean {lowered[near[0]]!r}?" if near else ""
    listed = ", ".join(names[:MOST_LISTED]) + (", ..." if len(names) > MOST_LISTED else "")
    return f"{meant} There are: {listed}." if names else meant
