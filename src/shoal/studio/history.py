"""Changes of the policy that can be taken back. No page code."""

from __future__ import annotations

import time

from shoal.studio.draft import Draft

MOST_KEPT = 100
"""Changes that can be taken back."""
TOGETHER = 1.0
"""Seconds within which changes are one: a slider on its way makes many."""


class History:
    """The policy as it was before each change.

    Every change of the studio is announced; whoever keeps the history looks at the policy then.
    """

    def __init__(self) -> None:
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._now: Draft | None = None
        self._changed = 0.0

    def begin(self, draft: Draft) -> None:
        """Forget all: there is another table, with a policy of its own."""
        self._before, self._after, self._now = [], [], draft.copy()

    def look(self, draft: Draft) -> None:
        """Remember the policy as it was, if it has changed since the last look."""
        last = self._now
        if last is None:
            self.begin(draft)
        elif _differs(last, draft):
            now = time.monotonic()
            if now - self._changed > TOGETHER or not self._before:
                self._before = [*self._before, last][-MOST_KEPT:]
            self._changed, self._now, self._after = now, draft.copy(), []

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back and nothing was changed since."""
        return bool(self._after)

    def undo(self, draft: Draft) -> Draft:
        """The policy before the last change."""
        return self._step(draft, self._before, self._after)

    def redo(self, draft: Draft) -> Draft:
        """The policy before the last change was taken back."""
        return self._step(draft, self._after, self._before)

    def _step(self, draft: Draft, taken: list[Draft], kept: list[Draft]) -> Draft:
        self.look(draft)
        if not taken:
            return draft
        kept.append(draft.copy())
        self._now = taken.pop()
        self._changed = 0.0
        return self._now.copy()


def _differs(one: Draft, other: Draft) -> bool:
    return one.stated != other.stated or one.used_files() != other.used_files()
