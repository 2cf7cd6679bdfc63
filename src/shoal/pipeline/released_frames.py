"""What short labels represent in data frames that this process released; no manifest is next to a frame."""

from __future__ import annotations

import weakref
from typing import Any

from shoal.model.result.listed_sets import NOT_LISTED, ListedSets

_sets: dict[int, tuple[weakref.ref[Any], ListedSets]] = {}


def remember_sets(frame: Any, sets: ListedSets) -> None:
    """Remember the short labels of a released frame for as long as it lives.

    Parameters
    ----------
    frame
        The frame; one that cannot be referred to weakly is not remembered.
    sets
        What its short labels represent.
    """
    if not sets:
        return
    number = id(frame)
    try:
        _sets[number] = weakref.ref(frame, lambda _: _sets.pop(number, None)), sets
    except TypeError:
        return


def remembered_sets(frame: Any) -> ListedSets:
    """What the short labels of a frame represent, if it was released by this process."""
    known = _sets.get(id(frame))
    return NOT_LISTED if known is None or known[0]() is not frame else known[1]
