"""The persons of a release whom a reader can follow, and which of them may be somebody with known events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._alignment import matched
from shoal.auditor.attacks.candidates import Candidates


class Followed:
    """The distinct histories of released persons, as lists of released lines.

    Parameters
    ----------
    candidates
        Which released line may be which event.
    lines, owners
        For each released row its line and its person, in the order of the release.
    ordered
        Whether the order of a person's rows is known; otherwise equal multisets are equal histories.
    """

    def __init__(
        self,
        candidates: Candidates,
        lines: NDArray[np.int64],
        owners: NDArray[np.int64],
        *,
        ordered: bool,
    ) -> None:
        self._candidates = candidates
        self._ordered = ordered
        by_owner = np.argsort(owners, kind="stable") if ordered else np.lexsort((lines, owners))
        rows = lines[by_owner]
        starts = np.flatnonzero(np.diff(owners[by_owner], prepend=-1))
        number: dict[bytes, int] = {}
        of_person = [number.setdefault(own.tobytes(), len(number)) for own in np.split(rows, starts[1:])]
        histories = [np.frombuffer(own, rows.dtype) for own in number]
        self.counts = np.bincount(of_person, minlength=len(number)).astype(np.int64)
        self._lengths = np.array([len(own) for own in histories], np.int64)
        self._first = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int64)
        self._history = np.repeat(np.arange(len(histories)), self._lengths)
        line = np.concatenate(histories) if histories else np.zeros(0, np.int64)
        self._by_line = np.argsort(line, kind="stable")
        self._of_line = np.searchsorted(line[self._by_line], np.arange(len(candidates.release.codes) + 1))
        self._taken = np.zeros(len(line), np.bool_)
        self._rows_of = lru_cache(maxsize=256)(self._covering)
        self._known: dict[tuple[bool, tuple[int, ...]], int] = {}

    def persons(self, events: Sequence[int], *, whole: bool) -> int:
        """How many persons may have some events, each in another of their rows.

        Parameters
        ----------
        events
            The events, as lines of the candidates' people; in their order.
        whole
            Whether these are known to be all events, so that the person has no other row.
        """
        key = whole, tuple(events if self._ordered else sorted(events))
        if key not in self._known:
            self._known[key] = int(self.counts[self._may_have(key[1], whole)].sum())
        return self._known[key]

    def _may_have(self, events: Sequence[int], whole: bool) -> NDArray[np.int64]:
        """The histories that may have some events."""
        rows = [self._rows_of(event) for event in events]
        for least in sorted(range(len(rows)), key=lambda place: len(rows[place])):
            histories = np.unique(self._history[rows[least]])
            lengths = self._lengths[histories]
            histories = histories[lengths == len(events) if whole else lengths >= len(events)]
            rows = [own[self._among(own, histories)] for own in rows]
        if len(events) == 1:
            return histories
        return self._in_order(rows) if self._ordered else self._in_any_order(rows, histories)

    def _covering(self, event: int) -> NDArray[np.int64]:
        """The rows of the histories that may be an event."""
        lines = self._candidates.lines(event).tolist()
        of_lines = [self._by_line[self._of_line[line] : self._of_line[line + 1]] for line in lines]
        return np.sort(np.concatenate(of_lines)) if of_lines else np.zeros(0, np.int64)

    def _among(self, rows: NDArray[np.int64], histories: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Per row whether it is of some histories, which are sorted."""
        if not len(histories):
            return np.zeros(len(rows), np.bool_)
        own = self._history[rows]
        place = np.minimum(np.searchsorted(histories, own), len(histories) - 1)
        return np.asarray(histories[place] == own)

    def _in_order(self, rows: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Where each event has a row after that of the event before: the first, which leaves most rows."""
        histories, first = np.unique(self._history[rows[0]], return_index=True)
        last = rows[0][first]
        for own in rows[1:]:
            left = own[self._among(own, histories)]
            left = left[left > last[np.searchsorted(histories, self._history[left])]]
            histories, first = np.unique(self._history[left], return_index=True)
            last = left[first]
        return histories

    def _in_any_order(
        self, rows: Sequence[NDArray[np.int64]], histories: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Where each event has a row of its own: the first that is left, else by trying all ways."""
        taken: list[NDArray[np.int64]] = []
        found = histories
        for own in sorted(rows, key=len):
            left = own[~self._taken[own]]
            left = left[self._among(left, found)]
            found, first = np.unique(self._history[left], return_index=True)
            taken.append(left[first])
            self._taken[left[first]] = True
        self._taken[np.concatenate(taken)] = False
        missed = np.setdiff1d(histories, found, assume_unique=True)
        saved = [history for history in missed.tolist() if self._is_matched(rows, history)]
        return np.concatenate([found, np.array(saved, np.int64)])

    def _is_matched(self, rows: Sequence[NDArray[np.int64]], history: int) -> bool:
        own = np.arange(self._first[history], self._first[history + 1])
        return matched(np.stack([np.isin(own, each) for each in rows])) is not None
