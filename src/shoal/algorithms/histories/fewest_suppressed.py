"""The fewest rows that must be suppressed so that k persons share each released number of rows.

Only the numbers of rows matter: see docs/algorithms/person-groups.md for the proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.model.history.histories import Histories

_NEVER = np.iinfo(np.int64).max // 2


def fewest_suppressed(histories: Histories, k: int, whole_units: bool) -> int:
    """Rows that every release of whole histories suppresses at least.

    Where rows belong to rows of other tables, more may have to go.

    Parameters
    ----------
    histories
        The data.
    k
        How many persons must share each released history.
    whole_units
        Whether a person's rows must not be suppressed one by one, as for the members of a household.
    """
    persons = np.bincount(histories.lengths, histories.counts).astype(np.int64)
    if whole_units:
        small = persons < k
        return int((persons * np.arange(len(persons)))[small].sum())
    return _of_numbers(persons, k)


def fewest_suppressed_for_events(histories: Histories, k: int, known_events: int) -> int:
    """Rows that every release suppresses at least against somebody who knows so many rows of a person."""
    lengths, counts = histories.lengths, histories.counts
    shared = known_events
    while shared > 1 and int(counts[lengths >= shared].sum()) < k:
        shared -= 1
    if shared == known_events:
        return 0
    return int((np.maximum(lengths - shared, 0) * counts).sum())


def _of_numbers(persons: NDArray[np.int64], k: int) -> int:
    """By the number of persons who have 0, 1, 2 ... rows.

    From many rows to few. `least[s]` is the fewest rows gone so far if s persons are still open: they are cut
    to the present number of rows, and wait for others to be released with. Who is open at 0 is suppressed.
    """
    most = 2 * k - 2
    least = np.full(most + 1, _NEVER)
    least[0] = 0
    for here in persons[:0:-1].tolist():
        if here:
            least = _after(least, here, k)
        least[1:] = np.where(least[1:] < _NEVER, least[1:] + np.arange(1, most + 1), _NEVER)
    return int(least.min())


def _after(least: NDArray[np.int64], here: int, k: int) -> NDArray[np.int64]:
    """With so many more persons open: nobody is closed, or k or more are."""
    most = len(least) - 1
    found = np.full(most + 1, _NEVER)
    if here <= most:
        found[here:] = least[: most + 1 - here]
    # To leave s open there must be at least s + k: those who were open before are at least s + k - here.
    from_here_on = np.minimum.accumulate(least[::-1])[::-1]
    needed = np.maximum(np.arange(most + 1) + k - here, 0)
    possible = needed <= most
    found[possible] = np.minimum(found[possible], from_here_on[needed[possible]])
    return found
